"""A stated record set is one that Route 53 would take, alone and beside the others of its name."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from dnsplan.errors import InvalidName
from dnsplan.names import Name, is_within, parse_name
from dnsplan.normal import normal_form
from dnsplan.records import RecordSet, Weighted
from dnsplan.runtime.config.crosscheck.pools import target_name
from dnsplan.runtime.config.derived import default_ttl_s, policies, record_set
from dnsplan.runtime.config.explain import Finding
from dnsplan.runtime.config.nodes import Path
from dnsplan.runtime.config.record_shape import Geo, GeoProximity, Record
from dnsplan.runtime.config.schema import NameEntry, ZoneEntry
from dnsplan.runtime.config.slips import value_finding
from dnsplan.runtime.config.written import as_route53
from dnsplan.validation import halves, name_problems, record_problems, type_problems
from dnsplan.values import value_problem

ADDRESS_TYPES = frozenset({"A", "AAAA"})


def record_findings(zone: ZoneEntry, name: Name, entry: NameEntry, path: Path) -> Iterator[Finding]:
    """Every mistake inside the records of one name."""
    apex = parse_name(zone.name)
    for index, record in enumerate(entry.records):
        here = (*path, "records", index)
        found = [*_form(record, here), *_alias(record, zone, here), *_values(record, here)]
        yield from found
        if found or not is_whole(record):
            continue
        stated = record_set(record, name, zone, default_ttl_s(entry, zone))
        for problem in record_problems(stated, apex):
            yield _in_words(here, problem)


def beside_findings(
    name: Name, zone: ZoneEntry, entry: NameEntry, driven: Sequence[str], path: Path
) -> Iterator[Finding]:
    """What cannot stand together at one name: types, policies, doubles, a pool and its like."""
    ttl_s = default_ttl_s(entry, zone)
    first: dict[tuple[str, str], int] = {}
    for index, record in enumerate(entry.records):
        here = (*path, "records", index)
        before = first.setdefault((record.type, record.set_id or ""), index)
        if before != index:
            which = f"{record.type} {record.set_id or ''}".strip()
            found = f"{which} a second time (first in records[{before}])"
            yield Finding(here, found, "one record set with all values, or a set_id for each")
        if record.type in driven:
            found = f"{record.type} beside pool {entry.pool}, which answers {record.type}"
            yield Finding(here, found, "the pool or the record")
        if record.type == "CNAME" and entry.pool is not None:
            yield Finding(here, f"a CNAME beside pool {entry.pool}", "the pool or the CNAME")
    whole = [_sized(record_set(one, name, zone, ttl_s)) for one in entry.records if is_whole(one)]
    yield from _weights(whole, path)
    for problem in name_problems(_without_doubles(whole)):
        yield _in_words((*path, "records"), problem, default="record sets that can stand together")


def _form(record: Record, path: Path) -> Iterator[Finding]:
    stated = policies(record)
    if len(stated) > 1:
        yield Finding(path, " and ".join(stated), "one routing policy")
    if bool(stated) != (record.set_id is not None):
        found = "set_id without a policy" if record.set_id else f"{stated[0]} without set_id"
        yield Finding(path, found, "set_id and one routing policy together, or neither")
    if (record.values is None) == (record.alias is None):
        found = "both values and alias" if record.alias else "neither values nor alias"
        yield Finding(path, found, "exactly one of values and alias")
    if record.type == "SOA":
        yield Finding((*path, "type"), "SOA", "any other type; Route 53 keeps the SOA")
    for problem in type_problems(record.type):
        yield _in_words((*path, "type"), problem)
    if record.geo is not None:
        yield from _geo(record.geo, (*path, "geo"))
    if record.geoproximity is not None:
        yield from _proximity(record.geoproximity, (*path, "geoproximity"))


def _alias(record: Record, zone: ZoneEntry, path: Path) -> Iterator[Finding]:
    alias = record.alias
    if alias is None:
        return
    mistakes = list(target_name(alias.name, (*path, "alias", "name")))
    yield from mistakes
    if record.ttl_s is not None:
        yield Finding((*path, "ttl_s"), "a TTL beside an alias", "no TTL: it is the target's")
    if alias.zone_id is not None:
        return
    if zone.id is None:
        allowed = "the target's hosted zone id; to leave it out for a target in this zone, give"
        yield Finding((*path, "alias", "zone_id"), "nothing", f"{allowed} the zone an id:")
    if not mistakes and not is_within(parse_name(alias.name), parse_name(zone.name)):
        found = f"{alias.name}, which is outside the zone, without zone_id"
        yield Finding((*path, "alias"), found, "a name in this zone, or a zone_id")


def _proximity(stated: GeoProximity, path: Path) -> Iterator[Finding]:
    places = [
        key
        for key in ("region", "local_zone_group", "coordinates")
        if getattr(stated, key) is not None
    ]
    if len(places) != 1:
        found = " and ".join(places) or "no place"
        yield Finding(path, found, "exactly one of region, local_zone_group and coordinates")
    for key, most in (("latitude", 90), ("longitude", 180)) if stated.coordinates else ():
        degrees = getattr(stated.coordinates, key)
        if abs(float(degrees)) > most:
            found = f"{degrees}, which is no place on earth"
            yield Finding((*path, "coordinates", key), found, f"-{most} to {most}")


def _weights(record_sets: Sequence[RecordSet], path: Path) -> Iterator[Finding]:
    """Weight 0 takes an answer out, but when all are 0 Route 53 gives every one of them."""
    weights: dict[str, int] = defaultdict(int)
    for one in record_sets:
        if isinstance(one.routing, Weighted):
            weights[one.type] += one.routing.weight
    for record_type, weight in weights.items():
        if weight == 0:
            found = (
                f"weight 0 for every {record_type} record set, which Route 53 reads as all equal"
            )
            yield Finding((*path, "records"), found, "at least one weight above 0")


def _geo(geo: Geo, path: Path) -> Iterator[Finding]:
    if (geo.continent is None) == (geo.country is None):
        found = ", ".join(sorted(geo.model_fields_set)) or "nothing"
        yield Finding(path, found, "continent, or country with or without subdivision")
    elif geo.subdivision is not None and geo.country is None:
        yield Finding(path, "subdivision without country", "country and subdivision")


def _values(record: Record, path: Path) -> Iterator[Finding]:
    if record.values is not None and not record.values:
        yield Finding((*path, "values"), "no values", "at least one value")
    for index, value in enumerate(record.values or ()) if record.type != "SOA" else ():
        here = (*path, "values", index)
        if problem := value_problem(record.type, as_route53(record.type, value)):
            yield _in_words(here, problem, default=f"a value of type {record.type}")
        elif slip := value_finding(record.type, value, here):
            yield slip


def is_whole(record: Record) -> bool:
    """Whether the record can be made into a record set at all."""
    if record.alias is None:
        return bool(record.values)
    try:
        parse_name(record.alias.name)
    except InvalidName:
        return False
    return record.values is None and record.ttl_s is None


def _sized(one: RecordSet) -> RecordSet:
    """As long as it will be planned: what is not ASCII is escaped."""
    return one if all(map(str.isascii, one.values)) else normal_form(one)


def _without_doubles(record_sets: Sequence[RecordSet]) -> list[RecordSet]:
    kept: dict[tuple[str, str], RecordSet] = defaultdict()
    for one in record_sets:
        kept.setdefault((one.type, one.set_id or ""), one)
    return list(kept.values())


def _in_words(
    path: Path, problem: str, *, default: str = "a record set that Route 53 takes"
) -> Finding:
    found, allowed = halves(problem)
    return Finding(path, found, allowed or default)
