"""CNAMEs and aliases that the config itself leads back to themselves.

Where a way leaves what is stated, the zone may hold more than the config says: that is no mistake.
"""

from collections.abc import Iterator

from dnsplan.errors import InvalidName
from dnsplan.loops import loops
from dnsplan.names import Name, join
from dnsplan.normal import normal_form
from dnsplan.records import RecordSet, by_unit
from dnsplan.runtime.config.crosscheck.ground import Ground, zone_name
from dnsplan.runtime.config.crosscheck.records import is_whole
from dnsplan.runtime.config.derived import default_ttl_s, record_set
from dnsplan.runtime.config.explain import Finding
from dnsplan.runtime.config.schema import ZoneEntry


def loop_findings(ground: Ground) -> Iterator[Finding]:
    """Every name that answers nothing because its records lead round."""
    for label, zone in ground.zones.items():
        apex = zone_name(zone)
        if apex is None:
            continue
        keys = _names(zone, apex)
        units = by_unit(one for name, key in keys.items() for one in _stated(zone, name, key))
        for (name, _), text in loops(units, units, apex):
            path = ("zones", label, "names", keys[name])
            yield Finding(path, text, "records that lead to an answer")


def _names(zone: ZoneEntry, apex: Name) -> dict[Name, str]:
    found: dict[Name, str] = {}
    for key in zone.names:
        try:
            found.setdefault(join(key, apex), key)
        except InvalidName:
            continue  # `names` reports it
    return found


def _stated(zone: ZoneEntry, name: Name, key: str) -> Iterator[RecordSet]:
    entry = zone.names[key]
    for record in filter(is_whole, entry.records):
        yield normal_form(record_set(record, name, zone, default_ttl_s(entry, zone)))
