"""An alias leads to what AWS runs or to a name of its own hosted zone, and to no other zone's.

Source: API reference, AliasTarget: an alias record cannot reference one of another hosted zone.
"""

from collections.abc import Iterator, Mapping

from dnsplan.names import Name, display, is_within, parse_name
from dnsplan.runtime.config.crosscheck.ground import Ground, zone_name
from dnsplan.runtime.config.crosscheck.pools import name_problem
from dnsplan.runtime.config.explain import Finding
from dnsplan.runtime.config.nodes import Path
from dnsplan.runtime.config.schema import NameEntry, ZoneEntry


def alias_findings(ground: Ground) -> Iterator[Finding]:
    """Every alias that Route 53 would refuse for the zone that it leads into."""
    homes = {zone.id: label for label, zone in ground.zones.items() if zone.id is not None}
    for label, zone in ground.zones.items():
        apex = zone_name(zone)
        if apex is None:
            continue
        for key, entry in zone.names.items():
            here = ("zones", label, "names", key)
            for path, zone_id, target in _aliases(ground, entry, here):
                yield from _astray(path, zone_id, target, zone, apex, homes)


def _aliases(ground: Ground, entry: NameEntry, here: Path) -> Iterator[tuple[Path, str, str]]:
    for index, record in enumerate(entry.records):
        if record.alias is not None and record.alias.zone_id is not None:
            yield (*here, "records", index, "alias"), record.alias.zone_id, record.alias.name
    pool = None if entry.pool is None else ground.pools.get(entry.pool)
    for index, member in enumerate(pool.targets if pool else ()):
        if member.alias is not None:
            path = ("pools", str(entry.pool), "targets", index, "alias")
            yield path, member.alias.zone_id, member.alias.name


def _astray(
    path: Path, zone_id: str, target: str, zone: ZoneEntry, apex: Name, homes: Mapping[str, str]
) -> Iterator[Finding]:
    if name_problem(target):
        return  # said already
    name = parse_name(target)
    if zone_id == zone.id:
        if not is_within(name, apex):
            found = f"{display(name)} in the zone {apex} itself"
            yield Finding(path, found, "a name in this zone, or the zone_id of what it leads to")
    elif zone_id in homes:
        found = f"{zone_id}, the hosted zone of zones.{homes[zone_id]}"
        allowed = "what AWS runs, or a name of the alias's own zone; a CNAME leads anywhere"
        yield Finding((*path, "zone_id"), found, allowed)
