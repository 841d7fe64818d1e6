"""Record sets as values: name, type and (if any) set identifier, with TTL and answers.

Structs are immutable and kept out of the garbage collector, since a plan may hold 300,000 of
them. Nothing here knows what Route 53 would accept; see `validation`. Nothing here compares; see
`normal`.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import groupby
from typing import TypeAlias, assert_never

from msgspec import Struct

from dnsplan.names import Name, is_within


class AliasTarget(Struct, frozen=True, array_like=True, gc=False):
    """Where an alias points. `zone_id` has no `/hostedzone/` before it."""

    zone_id: str
    name: Name
    evaluate_target_health: bool


class Weighted(Struct, frozen=True, array_like=True, gc=False, tag="weighted"):
    """A share of the answers; `weight` is 0 to 255, and all zero means all equal."""

    weight: int


class Latency(Struct, frozen=True, array_like=True, gc=False, tag="latency"):
    """Answered from the AWS Region with the lowest latency."""

    region: str


class Geolocation(Struct, frozen=True, array_like=True, gc=False, tag="geolocation"):
    """Answered by where the resolver is; country `*` is the default answer."""

    continent: str | None
    country: str | None
    subdivision: str | None


class Failover(Struct, frozen=True, array_like=True, gc=False, tag="failover"):
    """`PRIMARY` or `SECONDARY`."""

    role: str


class Multivalue(Struct, frozen=True, array_like=True, gc=False, tag="multivalue"):
    """Up to eight healthy members are answered together."""


class OtherPolicy(Struct, frozen=True, array_like=True, gc=False, tag="other"):
    """A policy that this release passes through: the SDK's fields as canonical JSON text."""

    fields: str


Routing: TypeAlias = Weighted | Latency | Geolocation | Failover | Multivalue | OtherPolicy


class RecordSet(Struct, frozen=True, array_like=True, gc=False):
    """One record set. An alias has no TTL and no values; every other has both.

    `set_id` and `routing` come together or not at all. Values are Route 53's text forms.
    """

    name: Name
    type: str
    ttl_s: int | None
    values: tuple[str, ...]
    set_id: str | None = None
    routing: Routing | None = None
    alias: AliasTarget | None = None
    health_check_id: str | None = None


_ADDRESSES = frozenset({"A", "AAAA", "CNAME"})
TRAFFIC_POLICY = "traffic policy"
# What the policies are called that this release passes through, by Route 53's field.
_PASSED = {
    "GeoProximityLocation": "geoproximity",
    "CidrRoutingConfig": "CIDR",
    "TrafficPolicyInstanceId": TRAFFIC_POLICY,
}

Key: TypeAlias = tuple[Name, str, str]
Unit: TypeAlias = tuple[Name, str]


def key_of(record_set: RecordSet) -> Key:
    """What Route 53 tells record sets apart by; the empty text stands for no set identifier."""
    return (record_set.name, record_set.type, record_set.set_id or "")


def unit_of(record_set: RecordSet) -> Unit:
    """The name and type that change together, and that a plan manages or does not."""
    return (record_set.name, record_set.type)


def by_key(record_sets: Iterable[RecordSet]) -> dict[Key, RecordSet]:
    """Index record sets; later ones win, so callers check for duplicates first."""
    return {(one.name, one.type, one.set_id or ""): one for one in record_sets}


def by_unit(record_sets: Iterable[RecordSet]) -> dict[Unit, tuple[RecordSet, ...]]:
    """Group record sets by name and type, all in the order of their keys."""
    ordered = sorted(record_sets, key=key_of)
    return {unit: tuple(group) for unit, group in groupby(ordered, key=unit_of)}


def heard(record_sets: Iterable[RecordSet]) -> tuple[RecordSet, ...]:
    """Of the members of one name and type those that answer: all weights zero means all equal."""
    members = tuple(record_sets)
    return tuple(one for one in members if one.routing != Weighted(0)) or members


def leads_to(record_sets: Iterable[RecordSet], zone: Name) -> Iterator[tuple[Name, str | None]]:
    """Names of the zone that these answer through, with the type (None: whatever is asked for).

    Values must be in normal form.
    """
    for one in record_sets:
        if one.alias is not None and is_within(one.alias.name, zone):
            yield one.alias.name, one.type
        elif one.type == "CNAME":
            for value in one.values:
                if is_within(Name(value), zone):
                    yield Name(value), None


def loses_answers(gone: Collection[str], stays: Collection[str], record_type: str | None) -> bool:
    """Whether what leads to a name by this type answers nothing once these types are gone there.

    A CNAME (None) still answers while the name has an address of either kind, or leads on.
    """
    if record_type is not None:
        return record_type in gone and record_type not in stays
    if not stays:
        return bool(gone)
    return not _ADDRESSES.isdisjoint(gone) and _ADDRESSES.isdisjoint(stays)


def values_in_words(values: Sequence[str]) -> str:
    """One after the other; with commas where a value may hold blanks, as quoted ones and MX do."""
    has_blanks = any(" " in value or value.startswith('"') for value in values)
    return (", " if has_blanks else " ").join(values)


def member_in_words(one: RecordSet) -> str:
    """A member's identifier and how it is chosen, so that two members never look alike."""
    match one.routing:
        case None | Multivalue():
            return f"{one.set_id}"
        case Weighted(weight):
            return f"{one.set_id}, weight {weight}"
        case Latency(region):
            return f"{one.set_id}, latency {region}"
        case Geolocation(continent, country, subdivision):
            where = "-".join(filter(None, (continent, country, subdivision)))
            return f"{one.set_id}, geolocation {where}"
        case Failover(role):
            return f"{one.set_id}, failover {role}"
        case OtherPolicy(fields):
            return f"{one.set_id}, {fields}"
        case _:
            assert_never(one.routing)


def policy_in_words(routing: Routing | None) -> str:
    """What people call the policy; `simple` where there is none."""
    if not isinstance(routing, OtherPolicy):
        return "simple" if routing is None else type(routing).__name__.lower()
    return next((name for key, name in _PASSED.items() if f'"{key}"' in routing.fields), "other")


def settings_in_words(one: RecordSet) -> str:
    """What is set beside answer, member and TTL; empty when nothing is."""
    said = []
    if one.health_check_id is not None:
        said.append(f"health check {one.health_check_id}")
    if one.alias is not None and one.alias.evaluate_target_health:
        said.append("target health")
    return ", ".join(said)


def elements_of(record_set: RecordSet) -> int:
    """ResourceRecord elements that a change of it costs in a batch; an alias counts as one."""
    return len(record_set.values) or 1


def characters_of(record_set: RecordSet) -> int:
    """Characters in Value elements that a change of it costs in a batch."""
    return sum(map(len, record_set.values))
