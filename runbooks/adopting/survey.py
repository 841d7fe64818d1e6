"""What a zone holds against what `dns.yaml` states, before it is taken over. Pure.

A plan is made of what stands at the managed names and types, in normal form, and of nothing else;
what the planner would plan next is told by the planner's own rules. What stands elsewhere is
counted and named, never part of a plan.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from enum import Enum

from dnsplan.codec import seal
from dnsplan.fence import fence_name
from dnsplan.guardrails import APEX_TYPES_OFF_LIMITS
from dnsplan.names import Name
from dnsplan.normal import normal_form
from dnsplan.plan import Plan, is_retired
from dnsplan.records import RecordSet, Unit, by_unit, key_of, unit_of
from planner.rules.candidate import ZoneWish, build
from planner.rules.health import Sight
from planner.rules.review import Findings, reviewed
from planner.rules.standing import standing_of
from runbooks.adopting.marks import Mark, marks_of

_CNAME = "CNAME"


class Match(Enum):
    """What stands at a managed name and type, against what `dns.yaml` wants there."""

    EQUAL = "equal"
    DIFFERENT = "different"
    MISSING = "not standing"
    UNLISTED = "standing, managed before, no longer in the config"
    ENDING = "standing, and not part of what the config wants: it ends"


@dataclass(frozen=True, slots=True)
class Finding:
    """One managed name and type: what stands, and what the planner would plan for it next."""

    unit: Unit
    match: Match
    standing: tuple[RecordSet, ...]
    planned: tuple[RecordSet, ...]


@dataclass(frozen=True, slots=True)
class Survey:
    """All that was found; `content` is what a plan from what stands would hold, sorted."""

    content: tuple[RecordSet, ...]
    elsewhere: tuple[Unit, ...]
    marks: tuple[Mark, ...]
    lost: tuple[Unit, ...]
    listed: int

    def marks_on(self, name: Name) -> tuple[Mark, ...]:
        """Marks that speak of a name."""
        return tuple(one for one in self.marks if one.subject == name)


def survey(listed: Iterable[RecordSet], wish: ZoneWish, newest: Plan | None) -> Survey:
    """Split a listing into what is to be managed and what is not."""
    record_sets = tuple(listed)
    units = _units(record_sets, wish.zone)
    managed = _managed(units, wish, newest)
    content = [one for unit in sorted(managed & units.keys()) for one in units[unit]]
    before = {unit_of(one) for one in newest.content} if newest is not None else set()
    return Survey(
        content=tuple(sorted(content, key=key_of)),
        elsewhere=tuple(sorted(units.keys() - managed)),
        marks=marks_of(record_sets, wish.zone),
        lost=tuple(sorted(before - units.keys() - wanted_units(wish))),
        listed=len(record_sets),
    )


def findings(plan: Plan, wish: ZoneWish, *, now_s: int) -> tuple[Finding, ...]:
    """Every managed name and type once the plan from what stands is the newest one."""
    standing = standing_of(plan, seal(plan).plan_id)
    unseen = Sight({}, since_s=0.0, now_s=0.0)
    built = build(wish, standing, unseen, now_s=now_s, applied=plan.generation)
    planned = reviewed(built, standing, wish.zone, Findings()).units
    wanted = wanted_units(wish)
    found = []
    for unit in sorted(standing.units.keys() | planned.keys() | wanted):
        there, then = standing.units.get(unit, ()), planned.get(unit, ())
        match = _match(there, then, is_wanted=unit in wanted)
        found.append(Finding(unit, match, there, then))
    return tuple(found)


def _match(
    there: tuple[RecordSet, ...], planned: tuple[RecordSet, ...], *, is_wanted: bool
) -> Match:
    if not there:
        return Match.MISSING
    if is_wanted:
        return Match.EQUAL if there == planned else Match.DIFFERENT
    return Match.UNLISTED if planned else Match.ENDING


def wanted_units(wish: ZoneWish) -> set[Unit]:
    """Names and types that the config speaks of."""
    driven = {one.unit for one in wish.driven}
    return driven | set(wish.stated)


def _managed(units: Collection[Unit], wish: ZoneWish, newest: Plan | None) -> set[Unit]:
    """What the config speaks of, what was managed before, and what must give way to or from a
    CNAME: beside it nothing else can stand."""
    wanted = wanted_units(wish)
    managed = set(wanted)
    if newest is not None:
        managed.update(map(unit_of, newest.content))
        managed.update(unit for unit in units if is_retired(unit, newest.retired))
    names = {name for name, _ in wanted}
    managed.update((name, kind) for name, kind in units if kind == _CNAME and name in names)
    managed.update((name, kind) for name, kind in units if (name, _CNAME) in wanted)
    return managed


def _units(listed: Iterable[RecordSet], zone: Name) -> Mapping[Unit, tuple[RecordSet, ...]]:
    """The zone by name and type, without the fence and what is never touched at the apex."""
    fence = fence_name(zone)
    kept = [
        normal_form(one)
        for one in listed
        if one.name != fence and not (one.name == zone and one.type in APEX_TYPES_OFF_LIMITS)
    ]
    return by_unit(kept)
