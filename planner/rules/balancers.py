"""A load balancer as a target: its id, what it answers with, and what its own checks say. Pure.

Its capacity is the number of its healthy targets, so that weights follow what it can carry. None
healthy is an unhealthy look, which panic and the floor judge like any other; it is no capacity of
0, which would be a drain. A load balancer without target groups says nothing of its health.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from dnsplan.names import parse_name
from dnsplan.records import AliasTarget
from planner.rules.roll import Found

_READY = frozenset({"active", "active_impaired"})
# A function behind a load balancer has no checks unless somebody turns them on.
_UNCHECKED = "Target.HealthCheckDisabled"
CAPACITY_UNTOLD = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """How one load balancer is to answer. `id` and `capacity` are None where nobody stated them."""

    id: str | None
    answer: Literal["alias", "addresses"]
    evaluate_target_health: bool
    types: tuple[str, ...] | None
    capacity: int | None
    az: str | None


@dataclass(frozen=True, slots=True)
class Condition:
    """How many of its targets are healthy, of how many; None: it has no target groups."""

    healthy: int
    registered: int


def condition_of(descriptions: Iterable[Mapping[str, Any]]) -> Condition:
    """Count `TargetHealthDescriptions` of all its target groups; a target counts once."""
    states: dict[tuple[str, int], bool] = {}
    for one in descriptions:
        target, told = one["Target"], one.get("TargetHealth", {})
        key = (target["Id"], target.get("Port", 0))
        is_well = told.get("State") == "healthy" or told.get("Reason") == _UNCHECKED
        states[key] = states.get(key, False) or is_well
    return Condition(sum(states.values()), len(states))


def found_in(
    described: Mapping[str, Any], condition: Condition | None, asked: Asked
) -> tuple[Found, ...]:
    """The targets that a load balancer is: one by an alias, one an AZ by addresses.

    `described` is the API's own description. None when it has no addresses of its own, or no name
    to lead to, as a gateway load balancer has none.
    """
    target_id = asked.id or id_of(described["LoadBalancerArn"])
    is_well, detail = _health(described, condition)
    capacity = asked.capacity
    if capacity is None:
        capacity = CAPACITY_UNTOLD if condition is None else max(1, condition.healthy)
    if asked.answer == "addresses":
        return tuple(
            Found(
                id=f"{target_id}.{zone}",
                address=address,
                alias=None,
                types=("A",),
                capacity=capacity,
                az=zone,
                healthy=is_well,
                detail=detail,
            )
            for zone, address in sorted(_addresses(described))
        )
    stated_name, zone_id = described.get("DNSName"), described.get("CanonicalHostedZoneId")
    if not stated_name or not zone_id:
        return ()
    name = parse_name(stated_name)
    return (
        Found(
            id=target_id,
            address=None,
            alias=AliasTarget(zone_id, name, asked.evaluate_target_health),
            types=asked.types or _types(described),
            capacity=capacity,
            az=asked.az or _only_zone(described),
            healthy=is_well,
            detail=detail,
        ),
    )


def id_of(arn: str) -> str:
    """Its name and the number that AWS gave it: one made again under the same name is another."""
    return ".".join(arn.rpartition("loadbalancer/")[2].split("/")[1:])


def _health(described: Mapping[str, Any], condition: Condition | None) -> tuple[bool | None, str]:
    state = described.get("State", {}).get("Code", "active")
    if state not in _READY:
        return False, f"the load balancer is {state}"
    if condition is None:
        return None, ""
    return condition.healthy > 0, f"{condition.healthy} of {condition.registered} targets healthy"


def _types(described: Mapping[str, Any]) -> tuple[str, ...]:
    return ("A",) if described.get("IpAddressType", "ipv4") == "ipv4" else ("A", "AAAA")


def _only_zone(described: Mapping[str, Any]) -> str | None:
    zones = [one["ZoneName"] for one in described.get("AvailabilityZones", ())]
    return zones[0] if len(zones) == 1 else None


def _addresses(described: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for zone in described.get("AvailabilityZones", ()):
        for one in zone.get("LoadBalancerAddresses", ())[:1]:
            if "IpAddress" in one:
                yield zone["ZoneName"], one["IpAddress"]
