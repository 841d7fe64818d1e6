"""What a retirement would end, and what forbids it. Pure.

A name ends only when nobody states it any more and nothing that is managed points at it: else the
planner would make it again, or another name would answer with nothing.
"""

from collections.abc import Iterable, Iterator

from dnsplan.errors import InvalidName
from dnsplan.names import Name, display, join, parse_name
from dnsplan.plan import Plan, Retirement, managed_units
from dnsplan.records import RecordSet, Unit, unit_of
from planner.rules.candidate import ZoneWish

# Values of these types end with a name that must go on answering.
_POINTING = frozenset({"CNAME", "MX", "NS", "SRV", "PTR"})


def named_in(text: str, plan: Plan) -> Name | None:
    """The managed name that an operator means: as in `dns.yaml`, or the full name without a last
    dot; None when the plan manages neither."""
    managed = {name for name, _ in managed_units(plan)}
    managed.update(one.name for one in plan.retired)
    try:
        meant = (join(text, plan.zone), parse_name(text)) if text != "@" else (plan.zone,)
    except InvalidName:
        return None
    return next((name for name in meant if name in managed), None)


def units_of(plan: Plan, name: Name, record_type: str | None) -> tuple[Unit, ...]:
    """The units that would end."""
    units = (unit for unit in managed_units(plan) if unit[0] == name)
    return tuple(sorted(unit for unit in units if record_type in (None, unit[1])))


def retired_before(plan: Plan, name: Name, record_type: str | None) -> Retirement | None:
    """The operator's word that has ended it already."""
    found = [
        one
        for one in plan.retired
        if one.name == name and (record_type is None or one.type in (None, record_type))
    ]
    return max(found, key=lambda one: one.generation, default=None)


def obstacles(plan: Plan, wish: ZoneWish, ending: tuple[Unit, ...]) -> tuple[str, ...]:
    """Everything that forbids it, each with what to do first."""
    return (*_still_stated(wish, ending), *_pointers(plan, ending))


def without(content: Iterable[RecordSet], ending: tuple[Unit, ...]) -> tuple[RecordSet, ...]:
    """What is left."""
    return tuple(one for one in content if unit_of(one) not in ending)


def _still_stated(wish: ZoneWish, ending: tuple[Unit, ...]) -> Iterator[str]:
    driven = {one.unit for one in wish.driven}
    for unit in ending:
        if unit in wish.stated or unit in driven:
            by = "a pool drives it" if unit in driven else "it is stated"
            yield f"{_words(unit)}: {by} in dns.yaml; take it out there first"


def _pointers(plan: Plan, ending: tuple[Unit, ...]) -> Iterator[str]:
    """Managed records that would point at nothing afterwards."""
    left = without(plan.content, ending)
    standing = {name for name, _ in map(unit_of, left)}
    gone = {name for name, _ in ending} - standing
    for one in left:
        if one.alias is not None and (one.alias.name, one.type) in ending:
            yield f"{_words(unit_of(one))} is an alias of it; change or retire that first"
        elif one.type in _POINTING and any(value.split()[-1] in gone for value in one.values):
            yield f"{_words(unit_of(one))} points at it; change or retire that first"


def _words(unit: Unit) -> str:
    return f"{display(unit[0])} {unit[1]}"
