"""CNAMEs and aliases that lead back to themselves: such a name answers nothing, whatever it had.

Follows only what the given record sets say, inside one zone; where a way leaves them, nothing is
known and nothing is said.
"""

from collections.abc import Iterable, Iterator, Mapping

from dnsplan.names import Name, display
from dnsplan.records import RecordSet, Unit, by_unit, leads_to


def loops(
    starts: Iterable[Unit], units: Mapping[Unit, tuple[RecordSet, ...]], zone: Name
) -> Iterator[tuple[Unit, str]]:
    """Each of these units that can come back to itself, with the way in words."""
    types: dict[Name, set[str]] | None = None
    for start in starts:
        if not any(leads_to(units.get(start, ()), zone)):
            continue
        if types is None:
            types = types_by_name(units)
        if way := _way_back(start, units, types, zone):
            shown = " to ".join(display(name) for name, _ in way)
            yield start, f"{start[1]} would lead back to itself: {shown}"


def leading(record_sets: Iterable[RecordSet]) -> dict[Unit, tuple[RecordSet, ...]]:
    """Aliases and CNAMEs by name and type, which is all that `loops` needs: nothing else is on a
    way that comes back. Most plans of 300,000 record sets have few of them."""
    return by_unit([one for one in record_sets if one.alias is not None or one.type == "CNAME"])


def types_by_name(units: Iterable[Unit]) -> dict[Name, set[str]]:
    """The types that each name has."""
    found: dict[Name, set[str]] = {}
    for name, record_type in units:
        found.setdefault(name, set()).add(record_type)
    return found


def _way_back(
    start: Unit,
    units: Mapping[Unit, tuple[RecordSet, ...]],
    types: Mapping[Name, set[str]],
    zone: Name,
) -> tuple[Unit, ...]:
    """The shortest way from a unit to itself; empty when there is none."""
    waiting: list[tuple[Unit, ...]] = [(start,)]
    seen: set[Unit] = set()
    for way in waiting:
        for target, asked in leads_to(units[way[-1]], zone):
            kinds = sorted(types.get(target, ())) if asked is None else [asked]
            for unit in ((target, kind) for kind in kinds):
                if unit == start:
                    return (*way, unit)
                if unit in units and unit not in seen:
                    seen.add(unit)
                    waiting.append((*way, unit))
    return ()
