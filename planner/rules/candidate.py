"""The whole desired content of a zone's managed names, as a candidate for the next plan.

It is what the config states, plus what pools drive, plus everything else of the newest plan: a name
that vanished from the config is carried forward unchanged and reported, since absence is never an
instruction. Only an operator's `retire`, or a stated change from or to CNAME, ends a name's type;
and the planner ends what it made itself, a shard that nothing leads to.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import chain

from dnsplan.guardrails import Limits, answers
from dnsplan.names import Name, typed
from dnsplan.plan import (
    Generation,
    NameLedger,
    Retirement,
    is_retired,
    lets_end,
    sorted_content,
)
from dnsplan.records import RecordSet, Unit
from dnsplan.shards import sharded_name
from dnsplan.velocity import charged
from planner.rules.comparing import Comparing, Comparison
from planner.rules.health import Sight
from planner.rules.idle_shards import shards_to_end
from planner.rules.notes import Fate, UnitNote
from planner.rules.pools import PoolUnit
from planner.rules.rendering import render
from planner.rules.selection import LeftOut, select
from planner.rules.spreading import room_of, spread
from planner.rules.standing import Standing

_CNAME = "CNAME"


@dataclass(frozen=True, slots=True, kw_only=True)
class Wording:
    """What the config says about a zone's content, as digests: of all, and of each pool's names;
    and the pools' further sources. See `dnsplan.plan.Turn`."""

    config: str
    pools: tuple[tuple[str, str], ...]
    sources: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ZoneWish:
    """All that the config says about a zone. `stated` groups are sorted by key, in normal form.

    `observe`: nothing is written to the zone, so its plans wait for nobody.
    """

    label: str
    zone: Name
    stated: Mapping[Unit, tuple[RecordSet, ...]]
    driven: tuple[PoolUnit, ...]
    limits: Limits
    zone_id: str | None = None
    wording: Wording | None = None
    observe: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """Desired record sets by unit, the ledger that goes with them, and notes for people.

    `changed` are the names and types that come, go or differ from the newest plan, sorted.
    """

    units: Mapping[Unit, tuple[RecordSet, ...]]
    ledger: Mapping[Unit, NameLedger]
    retired: tuple[Retirement, ...]
    notes: tuple[UnitNote, ...]
    changed: tuple[Unit, ...]

    @property
    def is_waiting(self) -> bool:
        """Whether some name still waits for its first probe round, or for its sources."""
        return any(note.fate in (Fate.FIRST_LOOK, Fate.FIRST_READ) for note in self.notes)

    def content(self) -> tuple[RecordSet, ...]:
        """The record sets as a plan holds them."""
        return sorted_content(tuple(chain.from_iterable(self.units.values())))

    def sorted_ledger(self) -> tuple[NameLedger, ...]:
        """The ledger as a plan holds it."""
        return tuple(self.ledger[unit] for unit in sorted(self.ledger))

    def is_same_as(self, standing: Standing) -> bool:
        """Whether publishing it would say nothing new."""
        return self.retired == standing.retired and not self.changed


def build(
    wish: ZoneWish,
    standing: Standing,
    sight: Sight,
    *,
    now_s: int,
    applied: Generation,
    comparing: Comparing | None = None,
) -> Candidate:
    """Put a candidate together: the newest plan, but for what is wanted otherwise.

    `applied` is the newest generation known to be in the zone; `comparing` is kept between passes.
    """
    compared = (comparing or Comparing()).of(wish.stated, standing)
    driven = _driven(wish, standing, sight, now_s=now_s)
    beside = {*compared.beside, *driven.units}
    beside = {unit for unit in beside if unit[0] not in driven.awaited}
    differing = (unit for unit in compared.differing if unit[0] not in driven.awaited)
    stated = {unit: wish.stated[unit] for unit in differing}
    units = {**standing.units, **stated, **driven.units}
    idle = [unit for unit in compared.unstated if unit not in driven.units]
    ended = shards_to_end(idle, units, standing, zone=wish.zone, applied=applied)
    rest = _rest(wish, compared, driven, beside, ended)
    for unit in rest.ended:
        del units[unit]
    ledger = {
        unit: _carried(standing.ledger[unit], standing.answering(unit), wish.limits, now_s=now_s)
        for unit in rest.carried
        if unit in standing.ledger
    }
    return Candidate(
        units=units,
        ledger={**ledger, **driven.ledger},
        retired=(*_retirements(standing, beside, applied=applied), *ended),
        notes=(*driven.notes, *rest.notes, *_unknown(compared)),
        changed=_changed((*stated, *driven.units, *rest.ended), units, standing),
    )


def _changed(
    touched: Iterable[Unit], units: Mapping[Unit, object], standing: Standing
) -> tuple[Unit, ...]:
    """Of what was touched, what differs now: all else is the newest plan's own."""
    there = standing.units
    return tuple(sorted(unit for unit in {*touched} if units.get(unit) != there.get(unit)))


def _unknown(compared: Comparison) -> Iterable[UnitNote]:
    return (UnitNote(unit, Fate.UNKNOWN_TYPE) for unit in compared.unknown)


@dataclass(frozen=True, slots=True)
class _Driven:
    """`awaited` are names whose CNAME answers until their pool can: all of such a name stays, since
    a TXT beside the pool would end the CNAME with nothing in its place."""

    units: Mapping[Unit, tuple[RecordSet, ...]]
    ledger: Mapping[Unit, NameLedger]
    notes: tuple[UnitNote, ...]
    awaited: frozenset[Name]


def _driven(wish: ZoneWish, standing: Standing, sight: Sight, *, now_s: int) -> _Driven:
    units: dict[Unit, tuple[RecordSet, ...]] = {}
    ledger: dict[Unit, NameLedger] = {}
    notes: list[UnitNote] = []
    for pool_unit in wish.driven:
        unit = pool_unit.unit
        there = standing.answering(unit)
        room = room_of(pool_unit, there, zone_id=wish.zone_id)
        ledger_there = standing.ledger.get(unit)
        chosen = select(pool_unit, there, ledger_there, sight, now_s=now_s, room=room)
        if isinstance(chosen, LeftOut):
            notes.append(UnitNote(unit, chosen.fate, chosen.detail))
            continue
        whole = render(pool_unit, chosen, there)
        units.update(spread(pool_unit, whole, standing.units, zone_id=wish.zone_id))
        ledger[unit] = chosen.ledger
        notes.append(UnitNote(unit, Fate.DRIVEN, "", chosen.notes, chosen.is_panic))
    come = {name for name, _ in units}
    names = {one.name for one in wish.driven if (one.name, _CNAME) in standing.units}
    return _Driven(units, ledger, tuple(notes), frozenset(names - come))


@dataclass(frozen=True, slots=True)
class _Rest:
    carried: tuple[Unit, ...]
    ended: tuple[Unit, ...]
    notes: tuple[UnitNote, ...]


def _rest(
    wish: ZoneWish,
    compared: Comparison,
    driven: _Driven,
    beside: Collection[Unit],
    ended_shards: Iterable[Retirement],
) -> _Rest:
    """What the newest plan holds beside what is wanted now: each unit is carried on or ends."""
    left_out = {one.unit for one in wish.driven}
    notes: list[UnitNote] = []
    names = {name for name, _ in beside}
    carried, ended = [], []
    for unit in compared.unstated:
        if unit in driven.units:
            continue
        if is_retired(unit, ended_shards):
            notes.append(UnitNote(unit, Fate.SHARD_ENDS))
            ended.append(unit)
            continue
        is_awaited = unit in left_out or unit[0] in driven.awaited
        if not is_awaited and sharded_name(unit[0]) is None:
            fate = _fate(unit, compared.standing.retired, beside, names)
            notes.append(UnitNote(unit, fate, _next_command(wish, unit, fate)))
            if fate is not Fate.UNLISTED:
                ended.append(unit)
                continue
        carried.append(unit)
    return _Rest(tuple(carried), tuple(ended), tuple(notes))


def _fate(
    unit: Unit, retired: Iterable[Retirement], beside: Collection[Unit], names: set[Name]
) -> Fate:
    name, record_type = unit
    if is_retired(unit, retired):
        return Fate.RETIRED
    if name in names and (record_type == _CNAME or (name, _CNAME) in beside):
        return Fate.SWITCHED
    return Fate.UNLISTED


def _next_command(wish: ZoneWish, unit: Unit, fate: Fate) -> str:
    """What an operator types to end what the config lost."""
    if fate is not Fate.UNLISTED:
        return ""
    return f"dns-runbook retire {wish.label} {typed(unit[0])} --type {unit[1]}"


def _retirements(
    standing: Standing, beside: Iterable[Unit], *, applied: Generation
) -> tuple[Retirement, ...]:
    """Carried on, but for names that the config states again: left alone, a retirement would lift
    P2 from the name for ever. It waits until its own generation is applied, since the zone may
    still hold what it ends."""
    return tuple(
        one
        for one in standing.retired
        if one.generation > applied or not any(lets_end(one, unit) for unit in beside)
    )


def with_names_restored(
    candidate: Candidate, standing: Standing, problems: Mapping[Name, str]
) -> Candidate:
    """The candidate with some names as in the newest plan, or left out where they are new."""
    units = {unit: sets for unit, sets in candidate.units.items() if unit[0] not in problems}
    ledger = {unit: one for unit, one in candidate.ledger.items() if unit[0] not in problems}
    restored = {unit: sets for unit, sets in standing.units.items() if unit[0] in problems}
    units.update(restored)
    ledger.update((unit, standing.ledger[unit]) for unit in restored if unit in standing.ledger)
    kept = [note for note in candidate.notes if note.unit[0] not in problems]
    bad = sorted(
        unit
        for unit in {*restored, *(unit for unit in candidate.units if unit[0] in problems)}
        if sharded_name(unit[0]) not in problems  # said of the name itself
    )
    kept.extend(UnitNote(unit, Fate.MALFORMED, problems[unit[0]]) for unit in bad)
    changed = tuple(unit for unit in candidate.changed if unit[0] not in problems)
    return replace(candidate, units=units, ledger=ledger, notes=tuple(kept), changed=changed)


def _carried(
    ledger: NameLedger, sets: tuple[RecordSet, ...], limits: Limits, *, now_s: int
) -> NameLedger:
    """The entry of a unit that no pool drives now: what answers is all that is known of it, so that
    a floor raised meanwhile cannot refuse the zone's other names."""
    spent = charged(ledger, limits.of((ledger.name, ledger.type)), removed=0, now_s=now_s)
    targets = len(answers(sets))
    return NameLedger(ledger.name, ledger.type, targets, min(ledger.healthy, targets), spent)
