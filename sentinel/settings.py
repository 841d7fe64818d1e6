"""What the sentinel takes from the config: the names that should answer, and by which servers.

Pure. It reads the config alone and no plan: what the planner made of it is what is being watched.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from dnsplan.names import Name, is_within, parse_name
from dnsplan.records import Geolocation, RecordSet
from dnsplan.runtime.config import (
    PoolUnit,
    Settings,
    desired_static,
    limits_for,
    pool_units,
)
from dnsplan.runtime.config.schema import ZoneEntry
from dnsplan.runtime.config.server_address import parse_server
from dnsplan.shards import MEMBERS_MAX
from sentinel.ports import NameServer
from sentinel.rules.findings import CNAME
from sentinel.rules.watched import Expected, Scope, Unwatched, WatchedName, scope

ADDRESS_TYPES = ("A", "AAAA")
_EVERYWHERE = "*"
# Route 53 answers with at most so many of a multivalue name's record sets.
MULTIVALUE_ANSWERS_MAX = 8


@dataclass(frozen=True, slots=True)
class Watching:
    """What one process watches. `stated`: name servers that the config or an option names;
    `resolvers`: who is asked beside the servers of a public zone."""

    scope: Scope
    zones: Mapping[str, ZoneEntry]
    stated: Mapping[str, tuple[NameServer, ...]]
    resolvers: Mapping[str, tuple[NameServer, ...]] = field(default_factory=dict)


def watching(
    settings: Settings, labels: Sequence[str], servers: Mapping[str, Sequence[str]]
) -> Watching:
    """The names of these zones. `servers` overrule the config's, by label; "" is for every zone."""
    zones = {label: settings.zones[label] for label in labels}
    names: list[WatchedName] = []
    unjudged: list[Unwatched] = []
    for label, zone in zones.items():
        found, left_out = zone_names(settings, label, zone)
        names.extend(found)
        unjudged.extend(left_out)
    return Watching(
        scope(names, unjudged=unjudged, names_max=settings.sentinel.names_max),
        zones,
        {label: _servers(settings, label, servers) for label in labels},
        {label: _resolvers(settings, label) for label in labels},
    )


def zone_names(
    settings: Settings, label: str, zone: ZoneEntry
) -> tuple[list[WatchedName], list[Unwatched]]:
    """Every name of a zone with the types that the config gives it, and those nobody can judge."""
    apex = parse_name(zone.name)
    stated = desired_static(zone)
    types: dict[Name, set[str]] = {}
    least: dict[tuple[Name, str], int] = {}
    limits = limits_for(settings, label)
    for unit in pool_units(settings, label):
        types.setdefault(unit.name, set()).add(unit.type)
        if zone.mode == "enforce":
            least[unit.unit] = _least(unit, limits.of(unit.unit).min_targets)
    left_out = dict.fromkeys(_answered_elsewhere(stated))
    for one in stated:
        if (one.name, one.type) not in left_out:
            types.setdefault(one.name, set()).add(one.type)
    addressed = {name for name, kinds in types.items() if kinds & {*ADDRESS_TYPES}}
    aliases = _cname_targets(stated)
    names = [
        WatchedName(
            label,
            apex,
            name,
            tuple(
                replace(
                    _expected(kind, aliases.get(name), apex, addressed),
                    least=least.get((name, kind), 1),
                )
                for kind in sorted(kinds)
            ),
            recursive=zone.private,
            enforced=zone.mode == "enforce",
        )
        for name, kinds in sorted(types.items())
    ]
    reason = "answered by where the client is, and nothing is stated for the rest of the world"
    return names, [Unwatched((label, name), f"{kind}: {reason}") for name, kind in left_out]


def _least(unit: PoolUnit, floor: int) -> int:
    """How many answers one reply has at least, by routing; a name with stated sets beside its pool
    is judged as its pool alone would be."""
    is_whole = unit.routing == "simple" and len(unit.targets) <= MEMBERS_MAX["simple"]
    # A list that is spread over shards answers a part of itself.
    most = 1 if unit.routing == "weighted" else floor if is_whole else MULTIVALUE_ANSWERS_MAX
    addresses = sum(one.address is not None and one.capacity > 0 for one in unit.targets)
    return max(1, min(floor, most, addresses))


def _expected(
    kind: str, targets: Sequence[Name] | None, apex: Name, addressed: set[Name]
) -> Expected:
    """A CNAME whose target lies in the zone is asked for what is behind it."""
    if kind != CNAME or not targets or not all(is_within(one, apex) for one in targets):
        return Expected(kind, (kind,))
    through = all(one in addressed for one in targets)
    return Expected(kind, ADDRESS_TYPES if through else ADDRESS_TYPES[:1], through)


def _cname_targets(stated: Iterable[RecordSet]) -> dict[Name, list[Name]]:
    targets: dict[Name, list[Name]] = {}
    for one in stated:
        if one.type == CNAME:
            values = [one.alias.name] if one.alias else [parse_name(value) for value in one.values]
            targets.setdefault(one.name, []).extend(values)
    return targets


def _answered_elsewhere(stated: Sequence[RecordSet]) -> Iterator[tuple[Name, str]]:
    """Units that only geolocation answers, without a default: from here they may well be empty."""
    located: dict[tuple[Name, str], list[Geolocation]] = {}
    for one in stated:
        if isinstance(one.routing, Geolocation):
            located.setdefault((one.name, one.type), []).append(one.routing)
    for unit, places in located.items():
        if all(place.country != _EVERYWHERE for place in places):
            yield unit


def _servers(
    settings: Settings, label: str, servers: Mapping[str, Sequence[str]]
) -> tuple[NameServer, ...]:
    section = settings.sentinel
    texts = (
        servers.get(label)
        or servers.get("")
        or section.zone_name_servers.get(label)
        or section.name_servers
    )
    return tuple(NameServer(*parse_server(text)) for text in texts)


def _resolvers(settings: Settings, label: str) -> tuple[NameServer, ...]:
    """None for a private zone: there is nobody else whose word theirs could be compared with."""
    section = settings.sentinel
    texts = section.zone_resolvers.get(label) or section.resolvers or ()
    private = settings.zones[label].private
    return () if private else tuple(NameServer(*parse_server(text)) for text in texts)
