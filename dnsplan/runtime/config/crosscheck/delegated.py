"""A name at or below a delegation of its own zone is never answered, whatever is stated for it.

Route 53 keeps such records and answers with the delegation. What stays is the delegation itself, NS
and DS, and the addresses of its own name servers, which go along with every referral. Who delegates
names that answer takes them out of the config: the plan carries them on until `retire`.
Source: RFC 1034, section 4.3.2; RFC 9471.
"""

from collections.abc import Iterator, Mapping

from dnsplan.errors import InvalidName
from dnsplan.names import Name, display, join, upwards
from dnsplan.normal import normal_values
from dnsplan.runtime.config.crosscheck.ground import Ground, zone_name
from dnsplan.runtime.config.crosscheck.names import DELEGATION_TYPES
from dnsplan.runtime.config.derived import targets_by_type
from dnsplan.runtime.config.explain import Finding
from dnsplan.runtime.config.schema import NameEntry, ZoneEntry

_ADDRESSES = frozenset({"A", "AAAA"})

# Each name below the apex with NS, and its name servers.
_Cuts = Mapping[Name, frozenset[str]]


def delegated_findings(ground: Ground) -> Iterator[Finding]:
    """Every name that another zone answers."""
    for label, zone in ground.zones.items():
        apex = zone_name(zone)
        cuts = {} if apex is None else dict(_cuts(zone, apex))
        for key, entry in zone.names.items() if cuts else ():
            name = None if apex is None else _name(key, apex)
            if name is None or apex is None:
                continue
            types = _types(ground, entry)
            cut = next(filter(None, (_cut(name, one, cuts, apex) for one in types)), None)
            if cut is not None:
                where = "beside" if name == cut else "below"
                found = f"{display(name)}, {where} the delegation {display(cut)}"
                allowed = "its NS, its DS and its name servers' addresses; no other is answered"
                yield Finding(("zones", label, "names", key), found, allowed)


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


def _types(ground: Ground, entry: NameEntry) -> list[str]:
    pool = None if entry.pool is None else ground.pools.get(entry.pool)
    return [*(one.type for one in entry.records), *(targets_by_type(pool) if pool else ())]


def _cut(name: Name, record_type: str, cuts: _Cuts, apex: Name) -> Name | None:
    """The delegation that takes the answers of this name and type away."""
    for above, _ in upwards(name, apex):
        if above not in cuts or (above == name and record_type in DELEGATION_TYPES):
            continue
        if record_type not in _ADDRESSES or name not in cuts[above]:
            return above
    return None
