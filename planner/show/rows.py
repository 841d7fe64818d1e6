"""A planning report as rows that a person can judge: what comes, goes, waits or stays, and why."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from dnsplan.bounds import NAMES_CHANGED, TTL
from dnsplan.guardrails import FLOOR, HANDS_OFF, NEVER_EMPTY, VELOCITY, answers
from dnsplan.records import (
    RecordSet,
    Unit,
    Weighted,
    member_in_words,
    policy_in_words,
    settings_in_words,
)
from planner.cycle import ZoneReport
from planner.rules.changes import UnitChange, changes
from planner.rules.notes import LASTING, Fate, TargetNote, UnitNote, Why
from planner.rules.outcomes import Pending, Published, Refused

GUARDRAILS = (NEVER_EMPTY, HANDS_OFF, FLOOR, VELOCITY, NAMES_CHANGED, TTL)

_STATED = "stated in the config"


@dataclass(frozen=True, slots=True)
class Row:
    """One line: `+` comes, `-` goes, `~` is set otherwise, `!` should be otherwise, `=` stays."""

    sign: str
    unit: Unit
    answer: str
    target: str
    why: str


def rows_of(report: ZoneReport) -> tuple[Row, ...]:
    """Everything worth a line, by name and type."""
    candidate, standing = report.shown, report.standing
    if candidate is None or standing is None:
        return ()
    notes = {note.unit: note for note in candidate.notes}
    changed = {change.unit: change for change in changes(candidate, standing)}
    found: list[Row] = []
    for unit, change in changed.items():
        found.extend(_change_rows(change, notes.get(unit)))
    for note in candidate.notes:
        shown = changed[note.unit].coming if note.unit in changed else ()
        found.extend(_note_rows(note, shown))
    order = "-+~!="
    return tuple(sorted(found, key=lambda row: (row.unit, order.index(row.sign), row.answer)))


def guardrail_verdicts(report: ZoneReport) -> Mapping[str, tuple[str, ...]]:
    """What each guardrail found; nothing found is its leave. Empty when nothing was judged."""
    if not isinstance(report.outcome, Pending | Published | Refused):
        return {}
    violations = report.outcome.violations if isinstance(report.outcome, Refused) else ()
    return {rule: tuple(str(one) for one in violations if one.rule == rule) for rule in GUARDRAILS}


def _change_rows(change: UnitChange, note: UnitNote | None) -> Iterator[Row]:
    targets = {one.answer: one for one in note.targets} if note is not None else {}
    otherwise = _STATED if note is None or note.fate is Fate.DRIVEN else note.fate.value
    for sign, going_or_coming, sets in (
        ("-", change.going, change.before),
        ("+", change.coming, change.after),
    ):
        for answer in going_or_coming:
            target = targets.get(answer)
            text = answer if target is not None else _with_members(answer, sets)
            yield Row(sign, change.unit, text, *_because(target, otherwise))
    if change.before and change.after:
        for text in _settings(change.before, change.after):
            yield Row("~", change.unit, text, "", otherwise)
    if (told := _shards(change)) is not None:
        yield Row("~", change.unit, told, "", "Route 53 takes 100 members at a name")


def _shards(change: UnitChange) -> str | None:
    """How many shards the answers are spread over, where that changes."""
    before, after = change.shards
    if before == after:
        return None
    words = [f"{count} shards" if count else "one name" for count in change.shards]
    return f"{words[0]} -> {words[1]}" if change.before else f"in {words[1]}"


def _with_members(answer: str, sets: Iterable[RecordSet]) -> str:
    """An answer with the members that give it, since two of them may give the same."""
    members = [
        member_in_words(one) for one in sets if one.set_id is not None and answer in answers((one,))
    ]
    return f"{answer} [{'; '.join(members)}]" if members else answer


def _note_rows(note: UnitNote, shown: Collection[str]) -> Iterator[Row]:
    """`shown` are answers that come, which have a line already."""
    if note.is_panic:
        yield Row("!", note.unit, "panic", "", "health is ignored: too few look healthy")
    for target in note.withheld:
        name, why = _because(target, "")
        text = f"withheld: {why}; it goes as the floor and the velocity window allow"
        yield Row("!", note.unit, target.answer, name, text)
    for target in note.targets:
        if target.why is Why.MISSING:
            yield Row("=", note.unit, target.answer, "", target.why.value)
        elif target.why in (Why.PANIC, Why.DOUBTED) and target.answer not in shown:
            yield Row("=", note.unit, target.answer, *_because(target, ""))
    if note.fate in LASTING:
        sign = "!" if note.fate is Fate.MALFORMED else "="
        why = f"{note.fate.value}: {note.detail}" if note.detail else note.fate.value
        yield Row(sign, note.unit, "", "", why)


def _because(note: TargetNote | None, otherwise: str) -> tuple[str, str]:
    """The target's id, and the reason with what the probes showed."""
    if note is None:
        return "", otherwise
    why = note.why.value
    if note.health is not None and (last := note.health.last) is not None:
        why = f"{why}: {last.detail}, {note.health.streak} in a row"
    return note.target_id or "", why


def _settings(before: Sequence[RecordSet], after: Sequence[RecordSet]) -> Iterator[str]:
    """What is set otherwise for record sets that stay."""
    old = {one.set_id: one for one in before}
    new = {one.set_id: one for one in after}
    kinds = [_kind(old.values()), _kind(new.values())]
    if kinds[0] != kinds[1]:
        yield f"routing {kinds[0]} -> {kinds[1]}"
    ttls = [_ttl(old.values()), _ttl(new.values())]
    if ttls[0] != ttls[1]:
        yield f"ttl {ttls[0]} -> {ttls[1]}"
    for set_id in sorted(old.keys() & new.keys(), key=str):
        was, now = old[set_id].routing, new[set_id].routing
        if isinstance(was, Weighted) and isinstance(now, Weighted) and was != now:
            yield f"weight of {set_id} {was.weight} -> {now.weight}"
        elif was != now and kinds[0] == kinds[1]:
            yield f"{member_in_words(old[set_id])} -> {member_in_words(new[set_id])}"
        yield from _checks(old[set_id], new[set_id])
    # One that gives what others gave, or give still, changes no answer.
    gone = [one for one in before if one.set_id not in new and answers((one,)) <= answers(after)]
    come = [one for one in after if one.set_id not in old and answers((one,)) <= answers(before)]
    if kinds[0] == kinds[1]:
        yield from (f"{member_in_words(one)} ends" for one in gone)
        yield from (f"{member_in_words(one)} is new" for one in come)


def _checks(was: RecordSet, now: RecordSet) -> Iterator[str]:
    of = f"{now.set_id}: " if now.set_id else ""
    nothing = "no health check" if now.alias is None else "no target health"
    words = [settings_in_words(one) or nothing for one in (was, now)]
    if words[0] != words[1]:
        yield f"{of}{words[0]} -> {words[1]}"
    if was.alias is not None and now.alias is not None and was.alias.zone_id != now.alias.zone_id:
        yield f"{of}alias in zone {was.alias.zone_id} -> {now.alias.zone_id}"


def _kind(sets: Iterable[RecordSet]) -> str:
    kinds = {policy_in_words(one.routing) for one in sets}
    return "/".join(sorted(kinds))


def _ttl(sets: Iterable[RecordSet]) -> str:
    return "/".join(sorted({str(one.ttl_s) for one in sets if one.ttl_s is not None})) or "none"
