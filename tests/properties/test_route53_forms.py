"""Record sets in AWS's form and ours: both ways without loss, whatever the form."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from dnsplan.names import parse_name
from dnsplan.records import OtherPolicy, RecordSet
from dnsplan.runtime.route53_forms import (
    record_set_from_aws,
    record_set_to_aws,
    zone_id_from_aws,
)
from tests.properties.drawn import names, record_sets

texts = st.text(min_size=1, max_size=9)
policies: st.SearchStrategy[dict[str, Any]] = st.one_of(
    st.just({}),
    st.fixed_dictionaries({"Weight": st.integers(0, 255)}),
    st.fixed_dictionaries({"Region": st.sampled_from(["us-east-1", "eu-west-1"])}),
    st.fixed_dictionaries({"Failover": st.sampled_from(["PRIMARY", "SECONDARY"])}),
    st.fixed_dictionaries(
        {
            "GeoLocation": st.one_of(
                st.fixed_dictionaries({"ContinentCode": st.just("EU")}),
                st.fixed_dictionaries({"CountryCode": st.sampled_from(["*", "CH"])}),
                st.just({"CountryCode": "US", "SubdivisionCode": "CA"}),
            )
        }
    ),
    st.just({"MultiValueAnswer": True}),
    st.fixed_dictionaries(
        {
            "GeoProximityLocation": st.fixed_dictionaries(
                {
                    "Coordinates": st.just({"Latitude": "49.22", "Longitude": "-74.01"}),
                    "Bias": st.integers(-99, 99),
                }
            )
        }
    ),
    st.just({"CidrRoutingConfig": {"CollectionId": "c", "LocationName": "*"}}),
    st.fixed_dictionaries(
        {"TrafficPolicyInstanceId": texts}, optional={"Weight": st.integers(0, 255)}
    ),
)
values = st.fixed_dictionaries(
    {
        "TTL": st.integers(0, 2**31 - 1),
        "ResourceRecords": st.lists(
            st.fixed_dictionaries({"Value": texts}), min_size=1, max_size=3
        ),
    }
)
aliases = st.fixed_dictionaries(
    {
        "AliasTarget": st.fixed_dictionaries(
            {"HostedZoneId": st.just("Z1"), "DNSName": names, "EvaluateTargetHealth": st.booleans()}
        )
    }
)


@st.composite
def listed(draw: st.DrawFn) -> dict[str, Any]:
    """A record set as a listing could show it."""
    policy = draw(policies)
    return {
        "Name": draw(names),
        "Type": draw(st.sampled_from(["A", "TXT", "HTTPS", "NAPTR"])),
        **draw(values | aliases),
        **policy,
        **({"SetIdentifier": draw(texts)} if policy else {}),
        **({"HealthCheckId": draw(texts)} if draw(st.booleans()) else {}),
    }


@given(listed())
def test_what_is_listed_is_deleted_exactly(one: dict[str, Any]) -> None:
    """Every field of a listed record set is in the DELETE that is made of it, and no other."""
    assert record_set_to_aws(record_set_from_aws(one)) == one


@given(record_sets(names=names))
def test_what_is_created_is_read_back(one: RecordSet) -> None:
    """A record set that is created and listed again is the same."""
    assert record_set_from_aws(record_set_to_aws(one)) == one


@given(listed())
def test_foreign_policies_are_kept_whole(one: dict[str, Any]) -> None:
    """A policy that we have no words for is one canonical text, the same for the same fields."""
    ours = record_set_from_aws(one)
    shuffled = dict(reversed(list(one.items())))
    assert record_set_from_aws(shuffled) == ours
    foreign = {"GeoProximityLocation", "CidrRoutingConfig", "TrafficPolicyInstanceId"}
    assert isinstance(ours.routing, OtherPolicy) == bool(foreign & one.keys())


def test_names_are_folded() -> None:
    """Names of any spelling come out as Route 53 lists them; zone ids lose their path."""
    one: dict[str, Any] = {
        "Name": "*.Example.COM",
        "Type": "A",
        "AliasTarget": {
            "HostedZoneId": "/hostedzone/Z1",
            "DNSName": "LB.Example.NET",
            "EvaluateTargetHealth": True,
        },
        "MultiValueAnswer": False,
    }
    ours = record_set_from_aws(one)
    assert (ours.name, ours.alias and ours.alias.name) == ("\\052.example.com.", "lb.example.net.")
    assert (ours.alias and ours.alias.zone_id, ours.routing) == ("Z1", None)
    assert ours.name == parse_name(one["Name"])
    assert zone_id_from_aws("/hostedzone/Z1") == zone_id_from_aws("Z1") == "Z1"
