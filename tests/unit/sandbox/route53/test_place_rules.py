"""Where a record set may stand, beside whom, and what an alias may point at."""

from dataclasses import replace
from typing import Any

import pytest

from sandbox.route53.model import AliasTo, Geo, StoredRecordSet
from tests.unit.sandbox.route53.bench import ZONE, Bench, record, weighted
from tests.unit.sandbox.route53.cases import rule

POLICIES: dict[str, StoredRecordSet] = {
    "simple": record(),
    "weighted": weighted("w"),
    "latency": record(set_id="l", region="eu-west-1"),
    "failover": record(set_id="f", failover="PRIMARY"),
    "geolocation": record(set_id="g", geo=Geo(None, "*", None)),
    "multivalue": record(set_id="m", multivalue=True),
    "cidr": record(set_id="c", other=(("CidrRoutingConfig", "<CidrRoutingConfig/>"),)),
    "geoproximity": record(
        set_id="p", other=(("GeoProximityLocation", "<GeoProximityLocation/>"),)
    ),
}


@rule("create-exists")
def test_create_over_what_is_there() -> None:
    """CREATE is refused whatever the values."""
    bench = Bench()
    bench.create(record())
    assert bench.create(record(values=("192.0.2.9",))) == (
        "InvalidChangeBatch: [Tried to create resource record set [name='www.example.com.',"
        " type='A'] but it already exists]"
    )
    assert [record()] == bench.held()


@rule("upsert")
def test_upsert_has_no_condition() -> None:
    """UPSERT makes a set and replaces it, last writer wins."""
    bench = Bench()
    assert bench.upsert(record()) == ""
    assert bench.upsert(record(values=("192.0.2.9",))) == ""
    assert bench.values("www", "A") == ("192.0.2.9",)


@rule("one-policy")
@pytest.mark.parametrize("first", POLICIES)
@pytest.mark.parametrize("second", POLICIES)
def test_one_policy_a_name_and_type(first: str, second: str) -> None:
    """Sets of two policies never share a name and type; another type is not concerned."""
    bench = Bench()
    bench.create(POLICIES[first])
    newcomer = POLICIES[second]
    if newcomer.set_id is not None:
        newcomer = replace(newcomer, set_id="second", region=newcomer.region and "us-east-1")
        newcomer = replace(newcomer, failover=newcomer.failover and "SECONDARY")
        newcomer = replace(newcomer, geo=newcomer.geo and Geo("EU", None, None))
    if first == second == "simple":
        assert "already exists" in bench.create(newcomer)
    else:
        assert (first == second) == (bench.create(newcomer) == "")
    other_type = replace(newcomer, type="AAAA", values=("2001:db8::1",))
    assert bench.create(other_type) == ""


@rule("one-policy")
@pytest.mark.parametrize(
    ("newcomer", "words"),
    [
        ("simple", "type A cannot be created as other RRSets exist with the same name and type."),
        (
            "weighted",
            (
                "type A, SetIdentifier w cannot be created as a non-weighted set exists with the"
                " same name and type."
            ),
        ),
        (
            "multivalue",
            (
                "type A, SetIdentifier m cannot be created because a non multivalue answer rrset"
                " exists with the same name and type."
            ),
        ),
    ],
)
def test_the_words_about_mixed_policies(newcomer: str, words: str) -> None:
    """The refusals are those that clients meet."""
    bench = Bench()
    bench.create(POLICIES["latency"])
    answer = bench.create(POLICIES[newcomer])
    assert f"InvalidChangeBatch: [RRSet with DNS name www.example.com., {words}]" == answer


@rule("group-distinct")
@pytest.mark.parametrize(
    ("policy", "other"),
    [
        ("latency", {"region": "us-east-1"}),
        ("failover", {"failover": "SECONDARY"}),
        ("geolocation", {"geo": Geo("EU", None, None)}),
    ],
)
def test_a_group_has_each_region_role_or_place_once(policy: str, other: dict[str, object]) -> None:
    """A second set for the same one is refused; for another one it stands."""
    bench = Bench()
    bench.create(POLICIES[policy])
    twin = replace(POLICIES[policy], set_id="twin")
    assert f"a set with the same {policy} exists" in bench.create(twin)
    assert bench.create(replace(twin, **other)) == ""  # type: ignore[arg-type]  # one field each


@rule("group-100")
def test_a_group_has_at_most_100_sets() -> None:
    """The 101st is refused."""
    bench = Bench()
    assert bench.create(*[weighted(f"s{n}") for n in range(100)]) == ""
    assert "at most 100 sets" in bench.create(weighted("s100"))


@rule("set-id")
@pytest.mark.parametrize(
    ("sent", "words"),
    [
        (
            record(set_id="x"),
            "[Weight, Region, Failover, GeoLocation, or MultiValueAnswer], but found none",
        ),
        (record(weight=1), "Missing field 'SetIdentifier' in Change with [Action=CREATE"),
        (weighted("x", region="eu-west-1"), "but found more than one"),
        (weighted("x" * 129), "cvc-maxLength-valid"),
        (weighted(""), "cvc-maxLength-valid"),
    ],
)
def test_identifier_and_policy_come_together(sent: StoredRecordSet, words: str) -> None:
    """One without the other, two policies, or a bad identifier is malformed."""
    answer = Bench().create(sent)
    assert answer.startswith("InvalidInput: ")
    assert words in answer


@rule("cname-alone")
def test_a_cname_stands_alone() -> None:
    """Neither may a CNAME join others, nor others a CNAME."""
    bench = Bench()
    cname = record("x", "CNAME", values=("y.example.org.",))
    bench.create(record("x"))
    assert bench.create(cname) == (
        "InvalidChangeBatch: [RRSet of type CNAME with DNS name x.example.com. is not permitted as"
        " it conflicts with other records with the same DNS name in zone example.com.]"
    )
    assert bench.send(("DELETE", record("x")), ("CREATE", cname)) == ""
    assert bench.create(record("x")) == (
        "InvalidChangeBatch: [RRSet of type A with DNS name x.example.com. is not permitted because"
        " a conflicting RRSet of type CNAME with the same DNS name already exists in zone"
        " example.com.]"
    )


@rule("cname-alone")
def test_a_weighted_cname_group_stands() -> None:
    """Several CNAME sets of one group are one CNAME."""
    group = [weighted(f"s{n}", name="x", values=("y.example.org.",)) for n in range(3)]
    assert Bench().create(*[replace(one, type="CNAME") for one in group]) == ""


@rule("cname-apex")
def test_no_cname_at_the_apex() -> None:
    """The apex has NS and SOA."""
    answer = Bench().create(record(ZONE, "CNAME", values=("y.example.org.",)))
    assert "is not permitted at apex in zone example.com." in answer


@rule("apex-kept")
def test_the_apex_keeps_ns_and_soa() -> None:
    """They can be replaced, not removed."""
    bench = Bench()
    ns, soa = (bench.zone.sets_at(ZONE)[kind, ""] for kind in ("NS", "SOA"))
    assert "A HostedZone must contain at least one NS record for the zone itself." in bench.delete(
        ns
    )
    assert "A HostedZone must contain exactly one SOA record." in bench.delete(soa)
    assert bench.upsert(replace(ns, ttl=60)) == ""
    assert "at least one NS" in bench.delete(replace(ns, ttl=60))
    assert bench.send(("DELETE", soa), ("CREATE", replace(soa, ttl=60))) == ""


@rule("soa-apex")
def test_soa_and_ns_are_simple() -> None:
    """A SOA below the apex, and NS or SOA with a policy, are refused."""
    soa = "ns.example.org. host.example.org. 1 2 3 4 5"
    assert "only at the apex" in Bench().create(record("x", "SOA", values=(soa,)))
    answer = Bench().create(replace(weighted("a", values=("ns.example.org.",)), type="NS"))
    assert "cannot have a routing policy" in answer


@rule("wildcard-ns")
def test_no_ns_at_a_wildcard() -> None:
    """A wildcard may have any other type."""
    assert "wildcard cannot have type NS" in Bench().create(
        record("*", "NS", values=("ns.example.org.",))
    )
    assert Bench().create(record("*")) == ""


@rule("weighted-values")
@pytest.mark.parametrize("several", [True, False])
def test_values_of_a_weighted_set(several: bool) -> None:
    """Whether a weighted set may hold two values is a switch."""
    bench = Bench(weighted_holds_several_values=several)
    answer = bench.create(weighted("a", values=("192.0.2.1", "192.0.2.2")))
    assert several == (answer == "")


@rule("weighted-ttl")
@pytest.mark.parametrize("match", [True, False])
def test_ttls_of_a_weighted_group(match: bool) -> None:
    """Whether two sets of a group may differ in TTL is a switch."""
    bench = Bench(weighted_ttl_must_match=match)
    bench.create(weighted("a", ttl=60))
    assert match == ("must have one TTL" in bench.create(weighted("b", ttl=61)))


@rule("alias-or-ttl")
@pytest.mark.parametrize(
    ("fields", "found"),
    [
        ({"alias": AliasTo("Z9", "lb.example.org.", False), "ttl": 60}, "more than one"),
        (
            {"alias": AliasTo("Z9", "lb.example.org.", False), "values": ("192.0.2.1",)},
            "more than one",
        ),
        ({"ttl": None, "values": ()}, "none"),
        ({"values": ()}, "none"),
        ({"ttl": None}, "none"),
    ],
)
def test_a_set_answers_from_one_source(fields: dict[str, Any], found: str) -> None:
    """An alias, or a TTL with values."""
    assert (
        "InvalidInput: Invalid request: Expected exactly one of [AliasTarget, all of [TTL, and"
        f" ResourceRecords], or TrafficPolicyInstanceId], but found {found} in Change with"
        " [Action=CREATE, Name=www.example.com., Type=A, SetIdentifier=null]"
    ) == Bench().create(record(**fields))


@rule("alias-target", "alias-type")
def test_an_alias_needs_its_target() -> None:
    """The target has to be there, with the alias's own type, before the alias."""
    bench = Bench()
    words = (
        "Tried to create an alias that targets t.example.com., type A in zone Z1, but that target"
        " was not found"
    )
    assert f"InvalidChangeBatch: [{words}]" == bench.create(bench.alias("a", "t"))
    bench.create(record("t", "AAAA", values=("2001:db8::1",)))
    assert words in bench.create(bench.alias("a", "t"))
    assert words in bench.create(bench.alias("a", "t"), record("t"))
    assert bench.create(record("t"), bench.alias("a", "t")) == ""


@rule("alias-within")
def test_the_target_lies_in_its_zone() -> None:
    """A name of another zone cannot be stated with this zone's id."""
    bench = Bench()
    sent = record("a", alias=AliasTo(bench.zone.id, "t.example.org.", False))
    assert "but the alias target name does not lie within the target zone" in bench.create(sent)


@rule("alias-other-zone")
def test_an_alias_stays_in_its_zone() -> None:
    """Another hosted zone cannot be a target; an AWS resource's zone can."""
    bench = Bench()
    other = bench.account.create_zone(name="example.org", private=False, caller_reference="2")
    sent = record("a", alias=AliasTo(other.id, "t.example.org.", False))
    assert "does not lie within the target zone" in bench.create(sent)
    load_balancer = AliasTo("Z35SXDOTRQ7X7K", "lb-1.us-east-1.elb.amazonaws.com.", True)
    assert bench.create(record("a", alias=load_balancer)) == ""


@rule("alias-multivalue")
def test_no_multivalue_alias() -> None:
    """Multivalue answers are values of their own."""
    bench = Bench()
    bench.create(record("t"))
    answer = bench.create(bench.alias("a", "t", set_id="m", multivalue=True))
    assert "cannot be a multivalue answer alias" in answer
