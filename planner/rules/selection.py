"""Who answers one pool-driven name and type now, who is taken out, and who must wait to go.

Three questions in a row: whom health and the operator want in (`wishes`), whom velocity and the
floor let go (`leave`), and what the ledger says afterwards. What answers now and is in doubt stays.
The result is never empty while the pool has a target or the name an answer (P2), never below the
floor while targets are left, and never takes out more in a window than allowed (P7).
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from msgspec import structs

from dnsplan.guardrails import answers
from dnsplan.plan import NameLedger
from dnsplan.records import RecordSet, Weighted
from dnsplan.shards import SHARDED_TARGETS_MAX
from dnsplan.velocity import VelocityLimit, charged, may_remove
from planner.rules.health import Phase, Sight
from planner.rules.notes import Fate, Place, TargetNote, Why
from planner.rules.pools import Member, PoolUnit, TargetKey
from planner.rules.probation import slow_share
from planner.rules.wishes import Wishes, wishes


@dataclass(frozen=True, slots=True)
class Selection:
    """The answers of one unit. `leftovers` left the pool but may not go yet.

    `shares` are of those that slow start gives a part of their weight.
    """

    members: tuple[Member, ...]
    leftovers: tuple[str, ...]
    ledger: NameLedger
    notes: tuple[TargetNote, ...]
    is_panic: bool
    shares: Mapping[TargetKey, float] = field(default_factory=dict)

    @property
    def withheld(self) -> int:
        """Targets that should be taken out and still answer."""
        return sum(note.place is Place.WITHHELD for note in self.notes)


@dataclass(frozen=True, slots=True)
class LeftOut:
    """The unit is new and cannot answer yet: no target was looked at, or all are drained."""

    fate: Fate
    detail: str = ""


def select(
    unit: PoolUnit,
    standing: Sequence[RecordSet],
    ledger: NameLedger | None,
    sight: Sight,
    *,
    now_s: int,
    room: int = SHARDED_TARGETS_MAX,
) -> Selection | LeftOut:
    """Choose the answers, given the record sets and the ledger of the newest plan.

    No more than `room` can stand at the name: while the old ones must wait, new ones do.
    """
    answering = answers(standing)
    if not answering and (fate := _why_not_yet(unit, sight)):
        return LeftOut(fate, _detail(unit, fate))
    wanted = wishes(unit, answering, sight)
    book = _opened(ledger, unit, healthy=wanted.healthy)
    limit = _reachable(unit)
    staying = answering & unit.staying
    known = {member.answer for member in unit.members}
    # What left the pool is replaced by what is proven well, and by nothing else: where all of the
    # pool are drained there is no panic, and nobody either.
    is_replaced = bool(wanted.answers) and not wanted.is_panic
    spared = frozenset[str]() if is_replaced else answering - known - staying
    going = _going(unit, answering - wanted.answers - staying - spared, sight)
    allowed = may_remove(book, limit, answering=len(answering | wanted.answers), now_s=now_s)
    gone, kept = going[:allowed], going[allowed:]
    spent = charged(book, limit, removed=len(gone), now_s=now_s)
    heard = wanted.answers.union(kept, staying, spared)
    crowded = _crowded(unit, wanted, heard - answering, room - len(heard & answering))
    heard -= {member.answer for member in crowded}
    return Selection(
        members=tuple(member for member in unit.members if member.answer in heard),
        leftovers=tuple(sorted(heard - known)),
        ledger=structs.replace(book, spent=spent),
        notes=(
            *_notes(unit, _without(wanted, crowded), sight, gone=gone, kept=kept),
            *_still(spared, Why.SPARED),
            *_still(staying, Why.MISSING),
        ),
        is_panic=wanted.is_panic,
        shares=_shares(unit, standing, answering, sight),
    )


def _crowded(
    unit: PoolUnit, wanted: Wishes, coming: Collection[str], room: int
) -> Sequence[Member]:
    """Those of who would come for whom there is no room; who is known to be well comes first."""
    if len(coming) <= room:
        return ()
    well = {Why.HEALTHY, Why.NOT_PROBED}
    order = sorted(
        (member for member in unit.members if member.answer in coming),
        key=lambda member: (wanted.reasons[member.key] not in well, member.target_id),
    )
    return order[max(0, room) :]


def _without(wanted: Wishes, crowded: Sequence[Member]) -> Wishes:
    """The wishes as far as there is room."""
    if not crowded:
        return wanted
    reasons = {**wanted.reasons, **dict.fromkeys([one.key for one in crowded], Why.CROWDED)}
    answers_left = wanted.answers - {one.answer for one in crowded}
    return replace(wanted, answers=answers_left, reasons=reasons)


def _shares(
    unit: PoolUnit, standing: Sequence[RecordSet], answering: frozenset[str], sight: Sight
) -> Mapping[TargetKey, float]:
    """A name without weights yet has nobody who could spare a target."""
    shares: dict[TargetKey, float] = {}
    if unit.slow_start_s <= 0 or not any(isinstance(one.routing, Weighted) for one in standing):
        return shares
    for member in unit.members:
        health = sight.of(member)
        is_spared = health.phase is Phase.HEALTHY or member.answer in answering
        if member.is_probed and is_spared:
            shares[member.key] = slow_share(unit, health, now_s=sight.now_s)
    return shares


def _still(answers: Collection[str], why: Why) -> tuple[TargetNote, ...]:
    return tuple(TargetNote(None, one, Place.ANSWERS, why, None) for one in sorted(answers))


def _why_not_yet(unit: PoolUnit, sight: Sight) -> Fate | None:
    if unit.attendance is not None and not unit.attendance.is_read:
        return Fate.FIRST_READ
    if not unit.members:
        return Fate.NO_TARGETS
    if all(member.is_drained for member in unit.members):
        return Fate.DRAINED
    if all(sight.has_looked(member, unit.first_look_s) for member in unit.members):
        return None
    return Fate.FIRST_LOOK


def _detail(unit: PoolUnit, fate: Fate) -> str:
    """Why the sources were not read, where that is what is waited for."""
    if fate is not Fate.FIRST_READ or unit.attendance is None:
        return ""
    return unit.attendance.unread


def _opened(ledger: NameLedger | None, unit: PoolUnit, *, healthy: int) -> NameLedger:
    """The newest plan's entry with today's counts, or a fresh one."""
    spent = () if ledger is None else ledger.spent
    targets = len(unit.members) + len(unit.staying)
    return NameLedger(unit.name, unit.type, targets, healthy, spent)


def _reachable(unit: PoolUnit) -> VelocityLimit:
    """The limit with a floor that the pool can reach: a pool of two cannot keep three answering."""
    floor = min(unit.limit.min_targets, len(unit.members))
    return structs.replace(unit.limit, min_targets=max(1, floor))


def _going(unit: PoolUnit, leaving: frozenset[str], sight: Sight) -> tuple[str, ...]:
    """The answers to take out, in the order in which they go: longest unhealthy first, then id."""
    if not leaving:
        return ()
    by_answer = {member.answer: member for member in unit.members}

    def order(answer: str) -> tuple[bool, float, str, str]:
        member = by_answer.get(answer)
        if member is None:
            return (True, 0.0, "", answer)
        health = sight.of(member)
        is_sick = member.is_probed and health.phase is Phase.UNHEALTHY
        return (not is_sick, health.since_s if is_sick else 0.0, member.target_id, answer)

    return tuple(sorted(leaving, key=order))


def _notes(
    unit: PoolUnit,
    wanted: Wishes,
    sight: Sight,
    *,
    gone: Collection[str],
    kept: Collection[str],
) -> tuple[TargetNote, ...]:
    notes = []
    for member in unit.members:
        place = Place.ANSWERS if member.answer in wanted.answers else Place.OUT
        if member.answer in kept:
            place = Place.WITHHELD
        why = wanted.reasons[member.key]
        notes.append(TargetNote(member.target_id, member.answer, place, why, sight.of(member)))
    known = {member.answer for member in unit.members}
    for answer in sorted({*gone, *kept} - known):
        place = Place.WITHHELD if answer in kept else Place.OUT
        notes.append(TargetNote(None, answer, place, Why.REMOVED, None))
    return tuple(notes)
