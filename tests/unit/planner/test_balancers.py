"""What a load balancer is as a target, where moto cannot show it."""

from typing import Any

import pytest

from planner.rules.balancers import Asked, Condition, condition_of, found_in

DESCRIBED: dict[str, Any] = {
    "LoadBalancerArn": "arn:aws:elasticloadbalancing:us-east-1:1:loadbalancer/net/api/50dc",
    "DNSName": "api-50dc.elb.us-east-1.amazonaws.com",
    "CanonicalHostedZoneId": "Z26RNL4JYFTOTI",
    "IpAddressType": "dualstack",
    "State": {"Code": "active"},
    "AvailabilityZones": [
        {"ZoneName": "us-east-1b", "LoadBalancerAddresses": [{"IpAddress": "192.0.2.2"}]},
        {"ZoneName": "us-east-1a", "LoadBalancerAddresses": [{"IpAddress": "192.0.2.1"}]},
    ],
}


def asked(**fields: Any) -> Asked:
    """By tag, with an alias."""
    usual = {
        "id": None,
        "answer": "alias",
        "evaluate_target_health": True,
        "types": None,
        "capacity": None,
        "az": None,
    }
    return Asked(**{**usual, **fields})


def test_addresses_are_one_target_an_az() -> None:
    """So that an AZ can be drained alone; each shares the load balancer's health."""
    found = found_in(DESCRIBED, Condition(3, 4), asked(answer="addresses"))
    assert [(one.id, one.address, one.az, one.capacity, one.healthy) for one in found] == [
        ("api.50dc.us-east-1a", "192.0.2.1", "us-east-1a", 3, True),
        ("api.50dc.us-east-1b", "192.0.2.2", "us-east-1b", 3, True),
    ]


def test_one_without_fixed_addresses_answers_none() -> None:
    """The adapter says so instead of taking it for gone."""
    bare = {**DESCRIBED, "AvailabilityZones": [{"ZoneName": "us-east-1a"}]}
    assert found_in(bare, Condition(1, 1), asked(answer="addresses")) == ()


@pytest.mark.parametrize("missing", ["DNSName", "CanonicalHostedZoneId"])
def test_one_that_nothing_can_lead_to_answers_none(missing: str) -> None:
    """A gateway load balancer has neither name nor zone; a tag may well fit it."""
    gateway = {key: value for key, value in DESCRIBED.items() if key != missing}
    assert found_in(gateway, Condition(1, 1), asked()) == ()


def test_one_that_is_not_ready_is_sick() -> None:
    """Whatever its targets say."""
    made = {**DESCRIBED, "State": {"Code": "provisioning"}}
    (one,) = found_in(made, Condition(2, 2), asked())
    assert (one.healthy, one.detail) == (False, "the load balancer is provisioning")


def test_it_answers_the_types_that_it_has_addresses_of() -> None:
    """Unless the config says which."""
    (both,) = found_in(DESCRIBED, None, asked())
    (one,) = found_in({**DESCRIBED, "IpAddressType": "ipv4"}, None, asked())
    (stated,) = found_in(DESCRIBED, None, asked(types=("AAAA",)))
    assert (both.types, one.types, stated.types) == (("A", "AAAA"), ("A",), ("AAAA",))


def test_a_target_of_several_groups_counts_once() -> None:
    """And a function that nobody checks counts as healthy."""
    well, sick = {"State": "healthy"}, {"State": "unhealthy"}
    unchecked = {"State": "unavailable", "Reason": "Target.HealthCheckDisabled"}
    told = [("a", 80, well), ("a", 80, sick), ("a", 81, sick), ("b", 80, sick), ("f", 0, unchecked)]
    descriptions = [
        {"Target": {"Id": one, "Port": port}, "TargetHealth": state} for one, port, state in told
    ]
    assert condition_of(descriptions) == Condition(healthy=2, registered=4)
