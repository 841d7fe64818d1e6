"""A pool at or below a delegation of its own zone answers nobody, whatever its health.

Route 53 keeps such records and answers with the delegation, but for the addresses of its own name
servers, which go along with every referral. Stated records may stand there: zones that are taken
over have some left behind, and who delegates names that answer puts the delegation in first.
Source: RFC 1034, section 4.3.2; RFC 9471.
"""

from collections.abc import Iterator, Mapping

from dnsplan.errors import InvalidName
from dnsplan.names import Name, display, join, upwards
from dnsplan.normal import normal_values
from dnsplan.runtime.config.crosscheck.ground import Ground, zone_name
from dnsplan.runtime.config.explain import Finding
from dnsplan.runtime.config.schema import ZoneEntry

# Each name below the apex with NS, and its name servers.
_Cuts = Mapping[Name, frozenset[str]]


def delegated_findings(ground: Ground) -> Iterator[Finding]:
    """Every pool whose name another zone answers."""
    for label, zone in ground.zones.items():
        apex = zone_name(zone)
        cuts = {} if apex is None else dict(_cuts(zone, apex))
        for key, entry in zone.names.items() if cuts else ():
            name = None if apex is None else _name(key, apex)
            if name is None or apex is None:
                continue
            cut = _cut(name, cuts, apex) if entry.pool is not None else None
            if cut is not None:
                where = "beside" if name == cut else "below"
                found = f"a pool at {display(name)}, {where} the delegation {display(cut)}"
                allowed = "no pool, but for the delegation's own name servers: nobody is answered"
                yield Finding(("zones", label, "names", key, "pool"), found, allowed)


def _cuts(zone: ZoneEntry, apex: Name) -> Iterator[tuple[Name, frozenset[str]]]:
    for key, entry in zone.names.items():
        servers = [value for one in entry.records if one.type == "NS" for value in one.values or ()]
        name = _name(key, apex) if servers else None
        if name is not None and name != apex:
            yield name, frozenset(normal_values("NS", tuple(servers)))


def _name(key: str, apex: Name) -> Name | None:
    try:
        return join(key, apex)
    except InvalidName:
        return None  # `names` reports it


def _cut(name: Name, cuts: _Cuts, apex: Name) -> Name | None:
    """The delegation that takes the name's answers away."""
    for above, _ in upwards(name, apex):
        if above in cuts and name not in cuts[above]:
            return above
    return None
