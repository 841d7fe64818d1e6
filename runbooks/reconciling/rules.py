"""Why a zone's history is in doubt, and under which number and content it goes on. Pure.

Head is never simply set to what the fence says: numbers above it may have been issued and lost. So
the zone's content opens an era. Only a finished restore keeps its number, while its mark stands in
the fence: that no number of its era was issued is certain, since reconcile takes the mark away
before anybody may plan on.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from msgspec import structs

from dnsplan.errors import InvalidRecord, PlanUnusable
from dnsplan.fence import FenceRecord
from dnsplan.generation import GenerationItem
from dnsplan.names import Name
from dnsplan.plan import (
    NO_GENERATION,
    SCHEMA,
    Generation,
    NameLedger,
    Plan,
    managed_units,
    may_end,
    next_era,
    next_generation,
    sorted_content,
)
from dnsplan.records import RecordSet, Unit, by_key, key_of, unit_of
from planner.rules.standing import ledger_seen
from runbooks.controls.outside import Operator, Refused
from runbooks.controls.standing import Standing
from runbooks.restoring.rules import began_s_of, restore_at


@dataclass(frozen=True, slots=True, kw_only=True)
class Word:
    """What the operator typed; each lifts one refusal, and names what it lifts."""

    expect_generation: int | None = None
    above: int = 0
    take_over: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """What table and zone say of a zone's past. `item` is None where the table has none.

    `lost_head` is why the plan at head cannot be used, if it cannot; `issued` are the generations
    that the table has rows of.
    """

    label: str
    item: GenerationItem | None
    incarnation: str
    standing: Standing
    lost_head: PlanUnusable | None
    issued: tuple[Generation, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Making:
    """Who makes the plan, for whom, and when; `above` is a number that the operator has seen."""

    owner: str
    zone: Name
    now_s: int
    operator: Operator
    above: int = 0


def doubts(history: History) -> tuple[str, ...]:
    """Everything that keeps planners or enactors from going on, in words; none: nothing is wrong
    that reconcile could mend."""
    return tuple(_doubts(history))


def _doubts(history: History) -> Iterator[str]:
    item, standing = history.item, history.standing
    if item is None:
        if standing.generation > NO_GENERATION or standing.owner is not None:
            yield f"the table has no item, and the zone's fence is at {standing.generation}"
        elif history.issued:
            yield f"the table has plans up to {max(history.issued)} and no item"
        return
    if item.incarnation != history.incarnation:
        yield (
            f"the item was written in table {item.incarnation}, and {history.incarnation} is open:"
            " the table was restored or copied"
        )
    if item.ahead is not None and standing.generation <= item.head:
        yield f"the fence was seen at {item.ahead}, above or beside head {item.head}"
    yield from _fence_doubts(item, standing)
    if history.lost_head is not None:
        yield f"the plan at head cannot be used: {history.lost_head}"
    try:
        next_generation(item.head)
    except InvalidRecord:
        yield f"the era of generation {item.head} is used up"


def _fence_doubts(item: GenerationItem, standing: Standing) -> Iterator[str]:
    if standing.owner not in (None, item.owner):
        yield f"the fence belongs to owner {standing.owner}, and the item to {item.owner}"
    if standing.generation > item.head:
        yield f"the fence is at generation {standing.generation}, above head {item.head}"
    fence = None if standing.fence is None else standing.fence.record
    if (
        fence is not None
        and NO_GENERATION < fence.generation == item.head
        and fence.digest != item.head_digest
    ):
        yield f"the fence is at head {item.head} with the digest of another plan"


def check(history: History, word: Word) -> None:
    """Refuse what an operator must decide first: a pin, another owner, another place than shown."""
    item, standing, label = history.item, history.standing, history.label
    if item is not None and item.pin is not None:
        raise Refused(f"{label} is pinned to {item.pin}; run dns-runbook unpin {label} first")
    mine = None if item is None else item.owner
    if standing.owner not in (None, mine, word.take_over):
        has = f"this deployment's owner is {mine}" if mine else "this table has no item of it"
        raise Refused(
            f"the fence of {label}'s zone belongs to owner {standing.owner}, and {has}. If no other"
            f" deployment writes this zone any more: --take-over {standing.owner}; else take the"
            " zone out of its config, or of this one"
        )
    if word.expect_generation not in (None, standing.generation):
        raise Refused(
            f"{label}'s fence is at generation {standing.generation}, not"
            f" {word.expect_generation}; nothing was changed"
        )


def freeze_seen(history: History) -> str | None:
    """The freeze that goes on: the zone's before the table's, which may be older."""
    in_table = None if history.item is None else history.item.frozen
    return history.standing.frozen or in_table


def is_freeze_unknown(history: History) -> bool:
    """Whether a freeze may have been forgotten by both that would tell of it (P9): no fence can
    be read, and the item is gone or may be of another time."""
    item, standing = history.item, history.standing
    if standing.fence is not None:
        return False
    if item is None or item.incarnation != history.incarnation:
        return True
    return item.ahead is not None or standing.generation > item.head


def is_half_restored(standing: Standing) -> bool:
    """Whether a restore began here that has not reached its end."""
    fence = None if standing.fence is None else standing.fence.record
    return fence is not None and began_s_of(fence) is not None and not fence.is_complete


def kept(history: History, making: Making, content: tuple[RecordSet, ...]) -> Plan | None:
    """The plan of the finished restore that the fence names, if it is exactly what stands."""
    fence = None if history.standing.fence is None else history.standing.fence.record
    if fence is None or not _is_finished(fence) or fence.owner != making.owner:
        return None
    item = history.item
    known = () if item is None else (item.head, item.claimed)
    if any(number >= fence.generation for number in known):
        return None
    if any(number > fence.generation for number in history.issued):
        return None
    return restore_at(fence, history.label, making.zone, content)


def opened(
    history: History, making: Making, known: Plan | None, content: tuple[RecordSet, ...]
) -> Plan:
    """The first plan of the era above every number seen, of what stands."""
    item = history.item
    seen = () if item is None else (item.head, item.claimed, item.ahead or 0)
    standing = {unit_of(one) for one in content}
    ledger = {} if known is None else ledger_seen(known, seen_s=making.now_s)
    number = next_era(*seen, *history.issued, history.standing.generation, making.above)
    return Plan(
        schema=SCHEMA,
        owner=making.owner,
        label=history.label,
        zone=making.zone,
        generation=number,
        base=history.standing.generation,
        created_s=making.now_s,
        author=f"operator {making.operator.name}",
        reason=f"reconcile: {making.operator.because}",
        content=sorted_content(content),
        ledger=tuple(ledger[unit] for unit in sorted(ledger.keys() & standing)),
        retired=() if known is None else known.retired,
    )


def joined(plans: Sequence[Plan], file: Plan | None) -> Plan | None:
    """What is known to be managed: the newest plan, with what older ones and a file state besides,
    but for what the newest ends. Without any plan it is the file."""
    newest = max(plans, key=lambda one: one.generation, default=file)
    if newest is None:
        return None
    others = (*plans, *(() if file is None else (file,)))
    units = managed_units(newest)
    added = [
        one
        for plan in others
        for one in plan.content
        if unit_of(one) not in units and not may_end(newest, key_of(one))
    ]
    content = (*newest.content, *by_key(added).values())
    return structs.replace(newest, content=sorted_content(content), ledger=_ledgers(plans))


def _ledgers(plans: Sequence[Plan]) -> tuple[NameLedger, ...]:
    """Each entry once, with all that any of these plans knew to have been taken out (P7)."""
    found: dict[Unit, NameLedger] = {}
    for plan in sorted(plans, key=lambda one: one.generation):
        for one in plan.ledger:
            unit = (one.name, one.type)
            spent = dict(found[unit].spent) if unit in found else {}
            for second, count in one.spent:
                spent[second] = max(count, spent.get(second, 0))
            found[unit] = structs.replace(one, spent=tuple(sorted(spent.items())))
    return tuple(found[unit] for unit in sorted(found))


def _is_finished(fence: FenceRecord) -> bool:
    return fence.is_complete and fence.held == 0 and began_s_of(fence) is not None
