"""Names that come to lead to a name of the zone which the plan does not state: said, not refused.

The zone may hold that name unmanaged, and the planner never sees the zone. An operator does, and
so does the enactor, which holds a name that answers before it leads it nowhere.
"""

from collections.abc import Iterable, Iterator, Mapping

from dnsplan.names import Name, display, upwards
from dnsplan.records import RecordSet, Unit, leads_to
from planner.rules.notes import Fate, UnitNote


def unstated_targets(
    changed: Iterable[Unit], units: Mapping[Unit, tuple[RecordSet, ...]], zone: Name
) -> Iterator[UnitNote]:
    """A note for each changed unit whose target in the zone no record set of the plan answers."""
    names: frozenset[Name] | None = None
    for unit in changed:
        missing = []
        for target, record_type in leads_to(units.get(unit, ()), zone):
            names = frozenset(name for name, _ in units) if names is None else names
            stated = target in names if record_type is None else (target, record_type) in units
            if not stated and not _is_covered(target, names, units, zone):
                missing.append(f"{display(target)} {record_type or ''}".strip())
        if missing:
            yield UnitNote(unit, Fate.UNSTATED_TARGET, ", ".join(dict.fromkeys(missing)))


def _is_covered(
    target: Name, names: frozenset[Name], units: Mapping[Unit, object], zone: Name
) -> bool:
    """Whether a wildcard or a delegation of the plan may answer for the name."""
    return any(
        (above, "NS") in units or wildcard in names for above, wildcard in upwards(target, zone)
    )
