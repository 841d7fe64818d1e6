"""A zone is found by id where its name alone does not tell it apart."""

from collections import defaultdict
from collections.abc import Iterator

from dnsplan.names import Name
from dnsplan.runtime.config.crosscheck.ground import Ground, zone_name
from dnsplan.runtime.config.crosscheck.pools import dns_name
from dnsplan.runtime.config.explain import Finding
from dnsplan.runtime.config.schema import ZoneEntry


def zone_findings(ground: Ground) -> Iterator[Finding]:
    """Every mistake about the zones themselves."""
    for label, zone in ground.zones.items():
        yield from dns_name(zone.name, ("zones", label, "name"))
    yield from _same_id(ground)
    yield from _same_name(ground)


def _same_id(ground: Ground) -> Iterator[Finding]:
    first: dict[str, str] = {}
    for label, zone in ground.zones.items():
        if zone.id is None:
            continue
        before = first.setdefault(zone.id, label)
        if before != label:
            found = f"{zone.id} a second time (first in zones.{before})"
            yield Finding(("zones", label, "id"), found, "each hosted zone under one label")


def _same_name(ground: Ground) -> Iterator[Finding]:
    alike: dict[tuple[Name, bool], list[tuple[str, ZoneEntry]]] = defaultdict(list)
    for label, zone in ground.zones.items():
        name = zone_name(zone)
        if name is not None:
            alike[name, zone.private].append((label, zone))
    for (name, private), members in alike.items():
        for label, zone in members if len(members) > 1 else ():
            if zone.id is None:
                others = ", ".join(other for other, _ in members if other != label)
                kind = "private" if private else "public"
                found = f"no id, with a {kind} zone {name} in zones.{others} too"
                yield Finding(("zones", label), found, "an id for each zone of one name")
