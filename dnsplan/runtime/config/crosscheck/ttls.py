"""Every TTL that a zone states, or takes where it states none, is within the zone's bounds."""

from collections.abc import Iterator

from dnsplan.bounds import Bounds
from dnsplan.runtime.config.crosscheck.ground import Ground
from dnsplan.runtime.config.derived import bounds_of
from dnsplan.runtime.config.explain import Finding
from dnsplan.runtime.config.nodes import Path
from dnsplan.runtime.config.schema import ZoneEntry


def ttl_findings(ground: Ground) -> Iterator[Finding]:
    """Every TTL out of bounds, and bounds that allow none."""
    everywhere = ground.guardrails
    if everywhere.ttl_min_s > everywhere.ttl_max_s:
        yield _upside_down(everywhere.ttl_min_s, everywhere.ttl_max_s, ("guardrails",))
        return
    for label, zone in ground.zones.items():
        bounds, path = bounds_of(everywhere, zone), ("zones", label)
        if bounds.ttl_min_s > bounds.ttl_max_s:
            yield _upside_down(bounds.ttl_min_s, bounds.ttl_max_s, (*path, "guardrails"))
        else:
            yield from _zone(zone, bounds, path)


def _zone(zone: ZoneEntry, bounds: Bounds, path: Path) -> Iterator[Finding]:
    said = "" if "ttl_s" in zone.model_fields_set else ", the TTL of a zone that states none"
    yield from _one(zone.ttl_s, bounds, (*path, "ttl_s"), said)
    for key, entry in zone.names.items():
        here = (*path, "names", key)
        yield from _one(entry.ttl_s, bounds, (*here, "ttl_s"))
        for index, record in enumerate(entry.records):
            yield from _one(record.ttl_s, bounds, (*here, "records", index, "ttl_s"))


def _one(ttl_s: int | None, bounds: Bounds, path: Path, said: str = "") -> Iterator[Finding]:
    if ttl_s is not None and not bounds.allows(ttl_s):
        yield Finding(path, f"the number {ttl_s}{said}", f"{bounds.ttls} of the zone's guardrails")


def _upside_down(ttl_min_s: int, ttl_max_s: int, path: Path) -> Finding:
    found = f"ttl_min_s {ttl_min_s} above ttl_max_s {ttl_max_s}"
    return Finding((*path, "ttl_min_s"), found, "ttl_min_s up to ttl_max_s")
