"""What a restore writes, and when it must not. Pure.

The plan that it writes is told by the file, the fence and the second at which the restore began,
which stands in the fence as part of the writer; so whoever runs the same file again finds the half
of it that stands, by its digest, and finishes it under the same number. It changes names and types
that the file states, and what cannot stand beside them, and nothing else.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from dnsplan.codec import seal
from dnsplan.diff import NameChange
from dnsplan.fence import FenceRecord
from dnsplan.formats.planfile import PlanFile
from dnsplan.guardrails import NEVER_EMPTY, Limits, judge_live
from dnsplan.names import Name, display
from dnsplan.plan import BELIEVED_MAX, SCHEMA, Digest, Plan, next_era
from dnsplan.records import RecordSet, Unit, unit_of
from dnsplan.velocity import VelocityLimit
from dnsplan.violation import Violation
from runbooks.controls.outside import Mistaken, Refused
from runbooks.controls.standing import Standing

AUTHOR = "restore"
REASON = "break-glass: a plan file"

_CNAME = "CNAME"
_OWNER = re.compile(r"[0-9a-f]{32}")
_STAMP = re.compile(r"restore\.([0-9]{1,12})\.[A-Za-z0-9-]*")

# A plan file has no ledger, so floor and velocity have nothing to go by: its editor is the judge.
NO_LIMITS = Limits(VelocityLimit(min_targets=1, max_removed_share=1.0, window_s=1))


@dataclass(frozen=True, slots=True, kw_only=True)
class Word:
    """What the operator typed beside the file. Each lifts one refusal, and names what it lifts."""

    expect_generation: int | None = None
    above: int = 0
    thaw: str | None = None
    take_over: str | None = None


@dataclass(frozen=True, slots=True)
class Target:
    """The plan to bring about, and the writer that its fences name; `resumes` a half of it."""

    plan: Plan
    digest: Digest
    writer: str
    resumes: bool


def check_file(stated: PlanFile) -> None:
    """What a plan file may say and a fence could not carry."""
    if not _OWNER.fullmatch(stated.owner):
        raise Mistaken(f"owner: {stated.owner!r}; allowed: 32 digits of 0-9 and a-f, as exported")
    if stated.generation > BELIEVED_MAX:
        raise Mistaken(f"generation: {stated.generation}; allowed: at most {BELIEVED_MAX}")
    if not stated.label:
        raise Mistaken("label: nothing; allowed: the zone's label in dns.yaml")


def target_of(
    stated: PlanFile, standing: Standing, word: Word, *, now_s: int, operator: str
) -> Target:
    """The restore that stands begun, else a new one above every number seen."""
    if standing.fence is not None:
        begun = restore_at(standing.fence.record, stated.label, stated.zone, stated.content)
        if begun is not None and begun.owner == stated.owner:
            return _target(begun, operator, resumes=True)
    seen = (standing.generation, stated.generation, word.above)
    plan = _plan(
        FenceRecord(
            generation=next_era(*seen),
            step=1,
            steps=1,
            base=standing.generation,
            held=0,
            owner=stated.owner,
            writer=_stamp(now_s, operator),
            nonce="",
            digest=Digest(""),
        ),
        (stated.label, stated.zone, stated.content),
        created_s=now_s,
    )
    return _target(plan, operator, resumes=False)


def restore_at(
    fence: FenceRecord, label: str, zone: Name, content: tuple[RecordSet, ...]
) -> Plan | None:
    """The plan of the restore that a fence names, if it is one, and of exactly this content."""
    began_s = began_s_of(fence)
    if began_s is None:
        return None
    plan = _plan(fence, (label, zone, content), created_s=began_s)
    return plan if seal(plan).plan_id.digest == fence.digest else None


def began_s_of(fence: FenceRecord) -> int | None:
    """When the restore began that a fence was last moved by; None when it was moved otherwise."""
    found = _STAMP.fullmatch(fence.writer)
    return None if found is None else int(found[1])


def check_standing(stated: PlanFile, standing: Standing, target: Target, word: Word) -> None:
    """Refuse a zone that is another's, frozen, or not where the operator believes it to be."""
    label, owner = stated.label, standing.owner
    if owner not in (None, stated.owner, word.take_over):
        raise Refused(
            f"the fence of {label}'s zone belongs to owner {owner}, and the file is of owner"
            f" {stated.owner}: another deployment writes this zone, and nothing was changed. If"
            f" the content is meant for it, write owner {owner} into the file; to take the zone"
            f" from it for good: --take-over {owner}"
        )
    if standing.frozen not in (None, word.thaw):
        frozen = standing.frozen
        raise Refused(
            f"{label}'s fence is frozen by {frozen}; run dns-runbook thaw {label} {frozen}"
            f" first, or, where the table cannot be reached, end that freeze by --thaw {frozen}"
        )
    before = (standing.generation, target.plan.base if target.resumes else standing.generation)
    if word.expect_generation is not None and word.expect_generation not in before:
        raise Refused(
            f"{label}'s fence is at generation {standing.generation}, not"
            f" {word.expect_generation}; nothing was changed"
        )


def ours(listed: Iterable[RecordSet], stated: Sequence[RecordSet]) -> tuple[RecordSet, ...]:
    """What of a listing may be changed: the names and types that are stated, and at a stated name
    what a CNAME cannot stand beside."""
    units = {unit_of(one) for one in stated}
    names = {name for name, _ in units}
    return tuple(
        one
        for one in listed
        if unit_of(one) in units
        or (one.name in names and _CNAME in (one.type, _cname_at(one.name, units)))
    )


def violations(
    listed: Sequence[RecordSet], changes: Sequence[NameChange], plan: Plan
) -> tuple[Violation, ...]:
    """P2 and P6 against what the zone holds; aliases that nobody states count as well."""
    live = ours(listed, plan.content)
    found = judge_live(live, changes, plan, NO_LIMITS, since=plan.generation - 1)
    return (*found, *_stranded(listed, changes, plan))


def is_whole(fence: FenceRecord | None, target: Target) -> bool:
    """Whether the fence says that all of the file stands."""
    return (
        fence is not None
        and (fence.generation, fence.digest) == (target.plan.generation, target.digest)
        and fence.is_complete
        and fence.held == 0
    )


def _stranded(
    listed: Sequence[RecordSet], changes: Sequence[NameChange], plan: Plan
) -> Iterator[Violation]:
    """Aliases in the zone, stated or not, whose target's type ends as its name becomes a CNAME or
    ceases to be one."""
    stated = {unit_of(one) for one in plan.content}
    ended = {unit_of(one) for change in changes for one in change.before} - stated
    for one in listed:
        is_left = unit_of(one) not in stated and unit_of(one) not in ended
        if is_left and one.alias is not None and (one.alias.name, one.type) in ended:
            yield Violation(
                rule=NEVER_EMPTY,
                zone=plan.label,
                name=display(one.name),
                measured=f"{one.type} is an alias of {display(one.alias.name)}, which ends",
                limit="state it in the file too, pointing elsewhere",
            )


def _cname_at(name: Name, units: set[Unit]) -> str:
    return _CNAME if (name, _CNAME) in units else ""


def _target(plan: Plan, operator: str, *, resumes: bool) -> Target:
    return Target(plan, seal(plan).plan_id.digest, _stamp(plan.created_s, operator), resumes)


def _plan(
    fence: FenceRecord, said: tuple[str, Name, tuple[RecordSet, ...]], *, created_s: int
) -> Plan:
    """Nothing in it depends on who runs it, on the file's wording, or on when it is run again."""
    label, zone, content = said
    return Plan(
        schema=SCHEMA,
        owner=fence.owner,
        label=label,
        zone=zone,
        generation=fence.generation,
        base=fence.base,
        created_s=created_s,
        author=AUTHOR,
        reason=REASON,
        content=content,
    )


def _stamp(began_s: int, operator: str) -> str:
    plain = "".join(c if c.isascii() and c.isalnum() else "-" for c in operator)
    return f"restore.{began_s}.{plain}"[:80]
