"""What Route 53 would refuse is found before anything is planned."""

import pytest
from msgspec import structs

from dnsplan.names import Name
from dnsplan.records import (
    AliasTarget,
    Failover,
    Geolocation,
    Latency,
    Multivalue,
    RecordSet,
    Routing,
    Weighted,
)
from dnsplan.validation import halves, name_problems, record_problems
from dnsplan.values import value_problem
from tests.unit.dnsplan.samples import ZONE, a, weighted

WWW = Name("www.example.com.")
WILD = Name("\\052.example.com.")
ALIAS = AliasTarget("Z1", Name("lb.example.net."), evaluate_target_health=False)
CLOUDFRONT = AliasTarget("Z2FDTNDATAQYW2", Name("d1.cloudfront.net."), evaluate_target_health=True)


@pytest.mark.parametrize(
    "record_set",
    [
        a("www.example.com.", "192.0.2.1", "192.0.2.2"),
        a("www.example.com.", ttl_s=0),
        a("www.example.com.", ttl_s=2_147_483_647),
        weighted("www.example.com.", "x", "192.0.2.1", weight=255),
        weighted("www.example.com.", "x", "192.0.2.1", weight=0),
        RecordSet(ZONE, "A", None, (), alias=ALIAS),
        RecordSet(WWW, "A", 60, ("192.0.2.1",), "x", Failover("PRIMARY"), health_check_id="hc"),
        RecordSet(WWW, "A", 60, ("192.0.2.1",), "x", Failover("SECONDARY")),
        RecordSet(WWW, "A", None, (), "x", Failover("PRIMARY"), ALIAS),
        RecordSet(WWW, "A", 60, ("192.0.2.1",), "x", Geolocation(None, "US", "CA")),
        RecordSet(WWW, "A", 60, ("192.0.2.1",), "x", Geolocation(None, "UA", "43")),
        RecordSet(WWW, "CNAME", 60, ("x.example.net.",)),
        RecordSet(WWW, "TXT", 60, ('"' + "x" * 255 + '"',)),
        RecordSet(WWW, "A", 60, tuple(f"10.0.{n >> 8}.{n & 255}" for n in range(400))),
    ],
)
def test_what_route53_takes(record_set: RecordSet) -> None:
    """A sound record set has no problems, also at the limits."""
    assert record_problems(record_set, ZONE) == ()


@pytest.mark.parametrize(
    ("record_set", "said"),
    [
        (a("www.example.net."), "outside the zone"),
        (RecordSet(ZONE, "CNAME", 60, ("x.example.net.",)), "apex"),
        (RecordSet(WWW, "A", 60, ("192.0.2.1",), set_id="x"), "come together"),
        (RecordSet(WWW, "A", 60, ("192.0.2.1",), routing=Multivalue()), "come together"),
        (weighted(WWW, "x", "192.0.2.1", weight=256), "weight 256"),
        (weighted(WWW, "x", "192.0.2.1", weight=-1), "weight -1"),
        (a(WWW, ttl_s=-1), "TTL -1"),
        (a(WWW, ttl_s=2_147_483_648), "TTL 2147483648"),
        (RecordSet(WWW, "A", None, ("192.0.2.1",)), "TTL None"),
        (RecordSet(WWW, "A", 60, ()), "no values"),
        (RecordSet(WWW, "A", 60, tuple(f"10.0.{n >> 8}.{n & 255}" for n in range(401))), "401"),
        (RecordSet(WWW, "AAAA", 60, ("2001:db8::1", "2001:DB8::1")), "twice"),
        (RecordSet(WWW, "CNAME", 60, ("x.example.net.", "y.example.net.")), "one value"),
        (RecordSet(WWW, "A", 60, (), alias=ALIAS), "no TTL"),
        (RecordSet(WWW, "NS", None, (), alias=ALIAS), "type NS"),
        (RecordSet(WILD, "NS", 60, ("ns.example.net.",)), "wildcard"),
        (RecordSet(WWW, "NS", 60, ("ns.x.net.",), "x", Weighted(1)), "routing policy"),
        (RecordSet(WWW, "A", None, (), "x", Multivalue(), ALIAS), "multivalue"),
        (weighted(WWW, "x" * 129, "192.0.2.1"), "129 characters"),
        (RecordSet(WWW, "CNAME", 60, ("x.net.",), "x", Multivalue()), "multivalue"),
        (RecordSet(WWW, "A", 60, ("192.0.2.1",), "x", Failover("PRIMARY")), "PRIMARY without"),
        (RecordSet(WWW, "A", 60, ("192.0.2.1",), "x", Geolocation(None, "DE", "BY")), "BY of DE"),
        (RecordSet(WWW, "A", 60, ("192.0.2.1",), "x", Geolocation(None, "*", "CA")), "CA of *"),
        (RecordSet(WWW, "A", None, (), alias=CLOUDFRONT), "CloudFront"),
        (RecordSet(WWW, "CNAME", 60, (".",)), "the root"),
        (RecordSet(WWW, "NS", 60, (".",)), "the root"),
        (RecordSet(WWW, "PTR", 60, (".",)), "the root"),
        (RecordSet(WWW, "A", 60, ("192.0.2.1",), "x", Geolocation(None, None, None)), "single"),
        (RecordSet(WWW, "A", 60, ("192.0.2.1",), "x", Geolocation("EU", "CH", None)), "single"),
        (RecordSet(WWW, "A", 60, ("192.0.2.1",), "x", Geolocation("EU", None, "BY")), "BY of EU"),
        (RecordSet(WWW, "A ", 60, ("192.0.2.1",)), "in capitals"),
        (RecordSet(WWW, "ALIAS", 60, ("x.example.net.",)), "none of DNS"),
        (RecordSet(WWW, "ANAME", 60, ("x.example.net.",)), "none of DNS"),
    ],
)
def test_what_route53_refuses(record_set: RecordSet, said: str) -> None:
    """Each fault is said in words, and alone."""
    assert [said in one for one in record_problems(record_set, ZONE)] == [True]


@pytest.mark.parametrize(
    ("record_type", "value"),
    [
        ("A", "192.0.2.256"),
        ("A", "192.0.2.1 ; main"),
        ("A", "\\# 4 0a000001"),
        ("A", ""),
        ("AAAA", "192.0.2.1"),
        ("AAAA", "fe80::1%eth0"),
        ("AAAA", "::ffff:192.0.2.1"),
        ("MX", "mail.example.com."),
        ("MX", "10 (\nmail.example.com.)"),
        ("MX", "70000 mail.example.com."),
        ("SRV", "1 2 x.example.com."),
        ("CAA", "0 issue"),
        ("CAA", '0 issue "a" "b"'),
        ("CAA", '256 issue "a"'),
        ("CAA", '0 is-sue "a"'),
        ("CAA", "0 issue bare"),
        ("CAA", '0 issue "' + "x" * 256 + '"'),
        ("TXT", " ".join(['"' + "é" * 100 + '"'] * 6)),
        ("CNAME", "a..b"),
        ("TXT", "bare"),
        ("TXT", '"' + "x" * 256 + '"'),
        ("TXT", '"short" "' + "x" * 256 + '"'),
        ("TXT", " ".join(['"' + "x" * 250 + '"'] * 17)),
        ("HTTPS", " "),
        ("HTTPS", "hello world"),
        ("HTTPS", "1 . alpn"),
        ("HTTPS", "1 . port=x"),
        ("HTTPS", '1 . nokey="x"'),
        ("SVCB", "x"),
        ("SVCB", "1 a..b alpn=h2"),
        ("SSHFP", "-1 900 zz"),
        ("TLSA", "nonsense here"),
        ("TLSA", "3 1 1 " + "ab" * 32 + " ; mine"),
        ("DS", "garbage"),
        ("DS", "1 8 2 abcd"),
        ("NAPTR", "1"),
        ("NAPTR", '70000 1 "S" "x" "" .'),
        ("NAPTR", '1 1 "S" "x" "" a..b'),
        ("NAPTR", '1 1 "S" "x" "" "a.b."'),
        ("NAPTR", '1 1 "S" "x" "" . ; mine'),
        ("NAPTR", '1 1 "U" "x" "!a!b!" a.b.'),
        ("ZZZ", " "),
    ],
)
def test_bad_values(record_type: str, value: str) -> None:
    """A value that is none of its type has a problem."""
    assert value_problem(record_type, value) is not None


@pytest.mark.parametrize(
    ("record_type", "value"),
    [
        ("A", "192.0.2.1"),
        ("AAAA", "2001:db8::1"),
        ("MX", "10 mail.example.com."),
        ("SRV", "1 2 443 x.example.com."),
        ("CAA", '0 issue "letsencrypt.org; policy=ev"'),
        ("CAA", '0 issue ";"'),
        ("CAA", '0 iodef "mailto:\\303\\274@example.com"'),
        ("CAA", '0 issue "' + "x" * 255 + '"'),
        ("TXT", " ".join(['"' + "é" * 100 + '"'] * 4)),
        ("TXT", " ".join(['"' + "x" * 247 + '"'] * 15 + ['"' + "x" * 248 + '"'])),
        ("TXT", '"semi;colon (and) more"'),
        ("CNAME", "\\052.example.com."),
        ("CNAME", "\\303\\251.example.com."),
        ("MX", "0 ."),
        ("PTR", "host.example.com."),
        ("NS", "ns.example.com."),
        ("HTTPS", "1 . alpn=h2"),
        ("SVCB", '1 svc.example.net. alpn="h2" key65400="x"'),
        ("SSHFP", "1 1 " + "ab" * 20),
        ("TLSA", "3 1 1 " + "AB" * 32),
        ("DS", "60485 8 2 " + "ab" * 32),
        ("NAPTR", '1 1 "U" "E2U+sip" "!^.*$!sip:x@y!" .'),
        ("NAPTR", '1 1 "U" "E2U+sip" "!^(.*)$!sip:\\\\1;x!" .'),
        ("ZZZ", "whatever it is ; all of it"),
    ],
)
def test_good_values(record_type: str, value: str) -> None:
    """A value of its type has none."""
    assert value_problem(record_type, value) is None


@pytest.mark.parametrize(
    ("record_type", "said"),
    [
        *((kind, "Route 53 does not take") for kind in ("LOC", "HINFO", "DNAME", "CERT")),
        *((kind, "Route 53 does not take") for kind in ("OPENPGPKEY", "DNSKEY", "ANY")),
        ("AAAAA", "nobody knows; AAAA, if"),
        ("TSLA", "nobody knows; TLSA, if"),
        ("TYPE28", "is AAAA; write AAAA"),
    ],
)
def test_types_that_route53_never_takes(record_type: str, said: str) -> None:
    """A type that is known and not taken is said, and a slip of the hand names what was meant."""
    found = record_problems(RecordSet(WWW, record_type, 60, ("x",)), ZONE)
    assert [said in one for one in found] == [True]


@pytest.mark.parametrize("record_type", ["TYPE65280", "ZZZ", "NEWRR"])
def test_types_that_nobody_knows_pass(record_type: str) -> None:
    """A type that Route 53 may have learnt yesterday is not ours to refuse, whatever it holds."""
    assert record_problems(RecordSet(WWW, record_type, 60, ("a (b) ; c",)), ZONE) == ()


def test_names_hold_together() -> None:
    """A CNAME stands alone, a type has one policy and one TTL, and at most 100 members."""
    one, other = weighted(WWW, "x", "192.0.2.1"), weighted(WWW, "y", "192.0.2.2")
    cname = RecordSet(WWW, "CNAME", 60, ("x.example.net.",))
    assert name_problems([one, other]) == ()
    assert name_problems([cname]) == ()
    assert name_problems([one, cname]) == ("a CNAME cannot stand beside A",)
    mixed = structs.replace(other, routing=Multivalue())
    assert name_problems([one, mixed]) == ("A mixes routing policies",)
    slow = structs.replace(other, ttl_s=300)
    assert name_problems([one, slow]) == ("A has members with different TTLs",)
    many = [weighted(WWW, str(n), "192.0.2.1") for n in range(101)]
    assert name_problems(many[:100]) == ()
    assert name_problems(many) == ("A has 101 record sets; at most 100",)
    assert name_problems([structs.replace(one, routing=Weighted(0)), other]) == ()


@pytest.mark.parametrize(
    ("routing", "said"),
    [
        (Latency("eu-west-1"), "the region eu-west-1"),
        (Failover("SECONDARY"), "the role SECONDARY"),
        (Geolocation(None, "US", "CA"), "the place US CA"),
        (Geolocation("EU", None, None), "the place EU"),
        (Weighted(1), None),
        (Multivalue(), None),
    ],
)
def test_twins(routing: Routing, said: str | None) -> None:
    """No two record sets of a name and type claim one region, place or role."""
    one, other = (
        structs.replace(weighted(WWW, set_id, "192.0.2.1"), routing=routing) for set_id in "xy"
    )
    found = name_problems([one, other])
    assert found == ((f"A has two record sets for {said}",) if said else ())


@pytest.mark.parametrize(
    ("one", "other", "is_taken"),
    [
        (Failover("PRIMARY"), Failover("SECONDARY"), True),
        (Latency("eu-west-1"), Latency("us-east-1"), True),
        (Geolocation("EU", None, None), Geolocation(None, "*", None), True),
        (Weighted(1), Weighted(2), False),
        (Multivalue(), Multivalue(), False),
    ],
)
def test_a_ttl_is_one_where_members_share_what_clients_keep(
    one: Routing, other: Routing, is_taken: bool
) -> None:
    """The API reference says so of weights, and multivalue members are one answer."""
    members = [
        RecordSet(WWW, "A", ttl_s, (f"192.0.2.{ttl_s}",), f"m{ttl_s}", routing, None, "hc")
        for ttl_s, routing in ((60, one), (30, other))
    ]
    assert (name_problems(members) == ()) == is_taken


def test_doubles_are_named() -> None:
    """Whoever stated four hundred values need not look for them; a great many are summed up."""
    values = tuple(f"192.0.2.{number}" for number in (1, 2, 2, 3, 3, 4, 4, 5, 5))
    assert record_problems(RecordSet(WWW, "A", 60, values), ZONE) == (
        (
            "the same value is stated twice: '192.0.2.2', '192.0.2.3', '192.0.2.4' and 1 more;"
            " each value once"
        ),
    )


@pytest.mark.parametrize(
    ("problem", "found", "allowed"),
    [
        ("no values", "no values", ""),
        ("at the zone's apex; use an alias", "at the zone's apex", "use an alias"),
        ("'a; b' is none; one string", "'a; b' is none", "one string"),
        ('"it\'s; so" is none', '"it\'s; so" is none', ""),
        ("'a\\'; b' is none; x; y", "'a\\'; b' is none", "x; y"),
    ],
)
def test_a_problem_s_halves(problem: str, found: str, allowed: str) -> None:
    """A semicolon inside what is quoted is a part of it: most keys and policies hold one."""
    assert halves(problem) == (found, allowed)
