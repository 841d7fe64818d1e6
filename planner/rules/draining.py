"""What an operator's drains change in how a candidate is made: their targets have no capacity.

Pure. What a drained target is for the floor, for panic and for its weight is the same whoever
drained it; nothing is taken out faster or further for it.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from dnsplan.drains import Drain
from planner.rules.candidate import ZoneWish
from planner.rules.notes import Fate, UnitNote
from planner.rules.pools import Member, PoolUnit


@dataclass(frozen=True, slots=True)
class Aside:
    """The wish without the capacity of what is drained, and a note for each unit that this hits."""

    wish: ZoneWish
    notes: tuple[UnitNote, ...]


def set_aside(wish: ZoneWish, drains: Collection[Drain]) -> Aside:
    """Set aside whom drains name."""
    if not drains:
        return Aside(wish, ())
    driven: list[PoolUnit] = []
    notes: list[UnitNote] = []
    for unit in wish.driven:
        hit = dict(_hit(unit, drains))
        members = tuple(replace(one, capacity=0) if one.key in hit else one for one in unit.members)
        driven.append(replace(unit, members=members))
        notes.extend(
            UnitNote(unit.unit, Fate.SET_ASIDE, _words(one))
            for one in drains
            if any(one in hits for hits in hit.values())
        )
    return Aside(replace(wish, driven=tuple(driven)), tuple(notes))


def drained_by(member: Member, drains: Collection[Drain]) -> tuple[Drain, ...]:
    """The drains that name a member."""
    pool, target_id = member.key
    return tuple(one for one in drains if one.names(pool=pool, target_id=target_id, az=member.az))


def _hit(
    unit: PoolUnit, drains: Collection[Drain]
) -> Iterator[tuple[tuple[str, str], tuple[Drain, ...]]]:
    for member in unit.members:
        if hits := drained_by(member, drains):
            yield member.key, hits


def _words(one: Drain) -> str:
    until = datetime.fromtimestamp(one.until_s, UTC).strftime("%Y-%m-%d %H:%M:%SZ")
    return f"{one.what} until {until}, by {one.by}: {one.because}"
