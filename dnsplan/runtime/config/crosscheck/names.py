"""A name lies in its zone, is stated once, and holds things that can stand together there."""

from collections.abc import Iterator, Sequence

from dnsplan.errors import InvalidName
from dnsplan.fence import fence_name
from dnsplan.guardrails import APEX_TYPES_OFF_LIMITS
from dnsplan.names import Name, display, is_within, join, longest_zone
from dnsplan.runtime.config.crosscheck.ground import Ground, zone_name
from dnsplan.runtime.config.crosscheck.records import beside_findings, record_findings
from dnsplan.runtime.config.derived import is_alias, targets_by_type
from dnsplan.runtime.config.explain import Finding, nearest, show
from dnsplan.runtime.config.nodes import Path
from dnsplan.runtime.config.schema import NameEntry, Pool, ZoneEntry
from dnsplan.runtime.config.slips import place_again, slip_in_name
from dnsplan.shards import MEMBERS_MAX, SHARDED_TARGETS_MAX, sharded_name, why_unshardable
from dnsplan.validation import NAME_ELEMENTS_MAX

SIMPLE_TARGETS_MAX = NAME_ELEMENTS_MAX // 2
DELEGATION_TYPES = frozenset({"NS", "DS"})


def name_findings(ground: Ground) -> Iterator[Finding]:
    """Every mistake about the names of all zones."""
    names = {label: zone_name(zone) for label, zone in ground.zones.items()}
    for label, zone in ground.zones.items():
        apex = names[label]
        if apex is None:
            continue
        children = [
            other
            for one, other in names.items()
            if other is not None
            and ground.zones[one].private == zone.private
            and other != apex
            and is_within(other, apex)
        ]
        yield from _zone(ground, label, apex, children)


def _zone(ground: Ground, label: str, apex: Name, children: Sequence[Name]) -> Iterator[Finding]:
    zone = ground.zones[label]
    first: dict[Name, str] = {}
    for key, entry in zone.names.items():
        path = ("zones", label, "names", key)
        name = _name_of(key, apex)
        if isinstance(name, Finding):
            yield Finding(path, name.found, name.allowed)
            continue
        before = first.setdefault(name, key)
        if before != key:
            found = f"{key}, which is {display(name)} like the key {before}"
            yield Finding(path, found, "each name once")
        yield from _placed(name, apex, children, entry, path)
        yield from _entry(ground, zone, name, entry, path)


def _name_of(key: str, apex: Name) -> Name | Finding:
    try:
        name = join(key, apex)
    except InvalidName as error:
        return Finding((), str(error), "a DNS name, or @ for the zone itself")
    if slip := slip_in_name(key):
        return Finding((), f"{show(key)}, which {slip[0]}", slip[1])
    if not is_within(name, apex):
        return Finding((), f"{key}, which is outside the zone", f"a name in {apex}")
    if key != "@" and (again := place_again(key, apex)):
        allowed = f'"{again[1] or "@"}", or the full name with a last dot: "{key}."'
        return Finding((), f"{key}, which would become {again[0]}", allowed)
    return name


def _placed(
    name: Name, apex: Name, children: Sequence[Name], entry: NameEntry, path: Path
) -> Iterator[Finding]:
    if sharded_name(name) is not None:
        found = f"{display(name)}, a name that is kept for shards of big pools"
        yield Finding(path, found, "any other name")
    if is_within(name, fence_name(apex)):
        yield Finding(path, f"{display(name)}, the fence's name", "any other name")
    if name == apex:
        for index, record in enumerate(entry.records):
            if record.type in APEX_TYPES_OFF_LIMITS:
                found = f"{record.type} at the zone's apex, which is never managed here"
                yield Finding((*path, "records", index, "type"), found, "any other type")
    child = longest_zone(name, children)
    if child is None:
        return
    others = sorted({one.type for one in entry.records} - DELEGATION_TYPES)
    if name != child or entry.pool is not None or others:
        found = f"{display(name)}, which belongs to the zone {child}"
        yield Finding(path, found, f"the name under the zone {child}; here only its NS and DS")


def _entry(
    ground: Ground, zone: ZoneEntry, name: Name, entry: NameEntry, path: Path
) -> Iterator[Finding]:
    if entry.pool is None and not entry.records:
        stated = (*path, "records") if "records" in entry.model_fields_set else path
        yield Finding(stated, "no answers", "pool, records or both")
    pool = ground.pools.get(entry.pool) if entry.pool is not None else None
    known = ground.pool_names
    if entry.pool is not None and known is not None and entry.pool not in known:
        found = f"{entry.pool}, a pool that does not exist"
        yield Finding((*path, "pool"), found, f"a pool: {nearest(entry.pool, tuple(known))}")
    if entry.pool is None and "routing" in entry.model_fields_set:
        yield Finding((*path, "routing"), "routing without a pool", "routing beside pool")
    driven = targets_by_type(pool) if pool else {}
    if pool is not None:
        yield from _routing(pool, entry, path)
        yield from _size(zone, name, pool, entry, path)
    yield from record_findings(zone, name, entry, path)
    yield from beside_findings(name, zone, entry, tuple(driven), path)


def _routing(pool: Pool, entry: NameEntry, path: Path) -> Iterator[Finding]:
    others = [f"target {one.id}" for one in pool.targets if is_alias(one)]
    read = [one.load_balancers for one in pool.sources if one.load_balancers is not None]
    others.extend("target of load_balancers" for one in read if one.answer == "alias")
    if others and entry.routing != "weighted":
        found = f"{entry.routing} routing with the alias {others[0]}"
        yield Finding((*path, "routing"), found, "weighted")


def _size(
    zone: ZoneEntry, name: Name, pool: Pool, entry: NameEntry, path: Path
) -> Iterator[Finding]:
    """A pool that is too big for its name is spread over shards, where that can be done."""
    most, allowed = MEMBERS_MAX[entry.routing], f"with {entry.routing} routing"
    why_not = why_unshardable(name, zone.id)
    by_type = targets_by_type(pool)
    there = sum(len(targets) for targets in by_type.values() if len(targets) <= most)
    if entry.routing == "simple" and there > SIMPLE_TARGETS_MAX:
        # A host that goes takes its A and its AAAA along, and each is one record set of all values.
        found = f"a pool of {there} A and AAAA targets with simple routing"
        allowed_both = f"at most {SIMPLE_TARGETS_MAX}, which can all change in one batch; or"
        yield Finding((*path, "pool"), found, f"{allowed_both} multivalue or weighted")
    for record_type, targets in by_type.items():
        found = f"a pool of {len(targets)} {record_type} targets"
        if len(targets) > SHARDED_TARGETS_MAX:
            yield Finding((*path, "pool"), found, f"at most {SHARDED_TARGETS_MAX}")
        elif len(targets) > most and why_not is not None:
            text = f"at most {most} {allowed}; more where it can have shards: {why_not}"
            yield Finding((*path, "pool"), found, text)
