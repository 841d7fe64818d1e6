"""Which names that answer would come to lead nowhere by a CNAME: step by step along the way that it
opens, through what the plan states, what held names keep, and what stands unmanaged.

The planner never sees the zone; whoever sends looks first, and such a name keeps its records (P2).
Route 53 itself refuses an alias to nothing. Where a part of the zone is delegated, or the way
leaves the zone, nothing is known and nobody is held.
"""

from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from dnsplan.diff import NameChange
from dnsplan.names import Name, display, upwards
from dnsplan.records import RecordSet, leads_to, loses_answers

NOWHERE = "would lead nowhere: "

RecordsAt: TypeAlias = Callable[[Name], Sequence[RecordSet]]


@dataclass(frozen=True, slots=True)
class Answers:
    """The way ends with an answer, or where nobody can tell."""


@dataclass(frozen=True, slots=True)
class Onward:
    """Another CNAME stands there."""

    target: Name


@dataclass(frozen=True, slots=True)
class Nowhere:
    """The way ends without an answer; why."""

    reason: str


Step: TypeAlias = Answers | Onward | Nowhere


def newly_led_to(change: NameChange, zone: Name) -> Name | None:
    """The name of the zone that a CNAME of this change leads to, if none did before."""
    if not change.before:
        return None  # it answers nothing yet
    so_far = {target for target, _ in leads_to(change.before, zone)}
    ahead = (target for target, record_type in leads_to(change.after, zone) if record_type is None)
    return next((target for target in ahead if target not in so_far), None)


def around(target: Name, zone: Name) -> frozenset[Name]:
    """The names whose records decide whether this one has an answer."""
    return frozenset({target}.union(*upwards(target, zone)))


def step(
    target: Name, had: frozenset[str], at: RecordsAt, zone: Name, *, has_below: Container[Name]
) -> Step:
    """What a client meets at a name, that had answers of these types so far.

    `at` gives what will stand at each name of `around`; `has_below` are those of them with names
    below them, which therefore exist without records of their own.
    """
    found, is_covered = at(target), target not in has_below
    for above, wildcard in upwards(target, zone):
        if any(one.type == "NS" for one in at(above)):
            return Answers()
        # A wildcard answers directly below the closest name that exists (RFC 4592, section 3.3.1).
        is_covered &= above == target or not (at(above) or above in has_below)
        found = found or (at(wildcard) if is_covered else ())
    links = {value for one in found if one.type == "CNAME" for value in one.values}
    if len(links) == 1:
        return Onward(Name(links.pop()))
    types = frozenset(one.type for one in found)
    if links or not loses_answers(had, types, None):
        return Answers()
    if not found:
        return Nowhere(f"{NOWHERE}nothing stands at {display(target)}, and no plan states it")
    return Nowhere(f"{NOWHERE}{display(target)} has no address, only {', '.join(sorted(types))}")


def leads_round(way: Iterable[Name]) -> Nowhere:
    """The way comes back to where it has been."""
    return Nowhere(f"{NOWHERE}back to itself: {' to '.join(map(display, way))}")
