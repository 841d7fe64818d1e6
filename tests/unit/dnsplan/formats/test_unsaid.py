"""Why a record set has no form in another tool's file, in words that a person understands."""

import pytest

from dnsplan.formats.unsaid import simple_form
from dnsplan.names import parse_name
from dnsplan.records import Latency, OtherPolicy, RecordSet, Routing


@pytest.mark.parametrize(
    ("routing", "why"),
    [
        (Latency("eu-west-1"), "it has latency routing, which only Route 53 knows"),
        (
            OtherPolicy('{"CidrRoutingConfig":{"CollectionId":"x","LocationName":"*"}}'),
            "it has CIDR routing, which only Route 53 knows",
        ),
        (
            OtherPolicy('{"GeoProximityLocation":{"AWSRegion":"eu-west-1"}}'),
            "it has geoproximity routing, which only Route 53 knows",
        ),
        (OtherPolicy("{}"), "it has other routing, which only Route 53 knows"),
        (None, None),
    ],
)
def test_a_policy_is_named_as_people_name_it(routing: Routing | None, why: str | None) -> None:
    """Those too that this release only passes through."""
    name = parse_name("www.example.com")
    set_id = None if routing is None else "one"
    assert simple_form(RecordSet(name, "A", 60, ("192.0.2.1",), set_id, routing)) == why
