"""The whole desired content of a zone's managed names, as a candidate for the next plan.

It is what the config states, plus what pools drive, plus everything else of the newest plan: a name
that vanished from the config is carried forward unchanged and reported, since absence is never an
instruction. Only an operator's `retire`, or a stated change from or to CNAME, ends a name's type.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from dnsplan.guardrails import Limits, answers
from dnsplan.names import Name, display
from dnsplan.plan import (
    Generation,
    NameLedger,
    Retirement,
    is_retired,
    lets_end,
    sorted_content,
)
from dnsplan.records import RecordSet, Unit
from dnsplan.validation import TYPES
from dnsplan.velocity import charged
from planner.rules.health import Sight
from planner.rules.notes import Fate, UnitNote
from planner.rules.pools import BlockedUnit, PoolUnit
from planner.rules.rendering import render
from planner.rules.selection import LeftOut, select
from planner.rules.standing import Standing

_CNAME = "CNAME"


@dataclass(frozen=True, slots=True, kw_only=True)
class ZoneWish:
    """All that the config says about a zone. `stated` groups are sorted by key, in normal form."""

    label: str
    zone: Name
    stated: Mapping[Unit, tuple[RecordSet, ...]]
    driven: tuple[PoolUnit, ...]
    blocked: tuple[BlockedUnit, ...]
    limits: Limits


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """Desired record sets by unit, the ledger that goes with them, and notes for people."""

    units: Mapping[Unit, tuple[RecordSet, ...]]
    ledger: Mapping[Unit, NameLedger]
    retired: tuple[Retirement, ...]
    notes: tuple[UnitNote, ...]

    @property
    def is_waiting(self) -> bool:
        """Whether some name still waits for its first probe round, or for its sources."""
        return any(note.fate in (Fate.FIRST_LOOK, Fate.FIRST_READ) for note in self.notes)

    def content(self) -> tuple[RecordSet, ...]:
        """The record sets as a plan holds them."""
        return sorted_content(tuple(one for sets in self.units.values() for one in sets))

    def sorted_ledger(self) -> tuple[NameLedger, ...]:
        """The ledger as a plan holds it."""
        return tuple(self.ledger[unit] for unit in sorted(self.ledger))

    def changed_units(self, standing: Standing) -> tuple[Unit, ...]:
        """Names and types that come, go or differ from the newest plan, sorted."""
        there = standing.units
        differing = [unit for unit, sets in self.units.items() if there.get(unit) != sets]
        differing.extend(unit for unit in there if unit not in self.units)
        return tuple(sorted(differing))

    def is_same_as(self, standing: Standing) -> bool:
        """Whether publishing it would say nothing new."""
        return self.retired == standing.retired and not self.changed_units(standing)


def build(
    wish: ZoneWish, standing: Standing, sight: Sight, *, now_s: int, applied: Generation
) -> Candidate:
    """Put a candidate together. `applied` is the newest generation known to be in the zone."""
    driven = _driven(wish, standing, sight, now_s=now_s)
    wanted = {**wish.stated, **driven.units}
    rest = _rest(wish, standing, wanted)
    ledger = {
        unit: _carried(standing.ledger[unit], sets, wish.limits, now_s=now_s)
        for unit, sets in rest.units.items()
        if unit in standing.ledger
    }
    return Candidate(
        units={**wanted, **rest.units},
        ledger={**ledger, **driven.ledger},
        retired=_retirements(standing, wanted, applied=applied),
        notes=(*driven.notes, *rest.notes, *_unknown(wish)),
    )


def _unknown(wish: ZoneWish) -> Iterable[UnitNote]:
    return (UnitNote(unit, Fate.UNKNOWN_TYPE) for unit in wish.stated if unit[1] not in TYPES)


@dataclass(frozen=True, slots=True)
class _Part:
    units: Mapping[Unit, tuple[RecordSet, ...]]
    ledger: Mapping[Unit, NameLedger]
    notes: tuple[UnitNote, ...]


def _driven(wish: ZoneWish, standing: Standing, sight: Sight, *, now_s: int) -> _Part:
    units: dict[Unit, tuple[RecordSet, ...]] = {}
    ledger: dict[Unit, NameLedger] = {}
    notes: list[UnitNote] = []
    for pool_unit in wish.driven:
        unit = pool_unit.unit
        there = standing.units.get(unit, ())
        chosen = select(pool_unit, there, standing.ledger.get(unit), sight, now_s=now_s)
        if isinstance(chosen, LeftOut):
            notes.append(UnitNote(unit, chosen.fate))
            continue
        units[unit] = render(pool_unit, chosen, there)
        ledger[unit] = chosen.ledger
        notes.append(UnitNote(unit, Fate.DRIVEN, "", chosen.notes, chosen.is_panic))
    return _Part(units, ledger, tuple(notes))


def _rest(wish: ZoneWish, standing: Standing, wanted: Mapping[Unit, object]) -> _Part:
    """What the newest plan holds beside what is wanted now: each unit is carried on or ends."""
    blocked = {one.unit: one.reason for one in wish.blocked}
    driven = {one.unit for one in wish.driven}
    notes = [UnitNote(unit, Fate.BLOCKED, reason) for unit, reason in blocked.items()]
    names = {name for name, _ in wanted}
    carried: dict[Unit, tuple[RecordSet, ...]] = {}
    for unit, sets in standing.units.items():
        if unit in wanted:
            continue
        if unit not in blocked and unit not in driven:
            fate = _fate(unit, standing.retired, wanted, names)
            notes.append(UnitNote(unit, fate, _next_command(wish, unit, fate)))
            if fate is not Fate.UNLISTED:
                continue
        carried[unit] = sets
    return _Part(carried, {}, tuple(notes))


def _fate(
    unit: Unit, retired: Iterable[Retirement], wanted: Mapping[Unit, object], names: set[Name]
) -> Fate:
    name, record_type = unit
    if is_retired(unit, retired):
        return Fate.RETIRED
    if name in names and (record_type == _CNAME or (name, _CNAME) in wanted):
        return Fate.SWITCHED
    return Fate.UNLISTED


def _next_command(wish: ZoneWish, unit: Unit, fate: Fate) -> str:
    """What an operator types to end what the config lost."""
    if fate is not Fate.UNLISTED:
        return ""
    return f"dns-runbook retire {wish.label} {display(unit[0])} --type {unit[1]}"


def _retirements(
    standing: Standing, wanted: Mapping[Unit, object], *, applied: Generation
) -> tuple[Retirement, ...]:
    """Carried on, but for names that the config states again: left alone, a retirement would lift
    P2 from the name for ever. It waits until its own generation is applied, since the zone may
    still hold what it ends."""
    return tuple(
        one
        for one in standing.retired
        if one.generation > applied or not any(lets_end(one, unit) for unit in wanted)
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
    bad = sorted({unit for unit in candidate.units if unit[0] in problems} | restored.keys())
    kept.extend(UnitNote(unit, Fate.MALFORMED, problems[unit[0]]) for unit in bad)
    return replace(candidate, units=units, ledger=ledger, notes=tuple(kept))


def _carried(
    ledger: NameLedger, sets: tuple[RecordSet, ...], limits: Limits, *, now_s: int
) -> NameLedger:
    """The entry of a unit that no pool drives now: what answers is all that is known of it, so that
    a floor raised meanwhile cannot refuse the zone's other names."""
    spent = charged(ledger, limits.of((ledger.name, ledger.type)), removed=0, now_s=now_s)
    targets = len(answers(sets))
    return NameLedger(ledger.name, ledger.type, targets, min(ledger.healthy, targets), spent)
