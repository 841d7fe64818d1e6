"""What a config states, in the contract's words: record sets, pool-driven names, and limits."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dnsplan.bounds import UNBOUNDED, Bounds
from dnsplan.names import Name
from dnsplan.normal import normal_form
from dnsplan.records import (
    AliasTarget,
    Failover,
    Geolocation,
    Latency,
    Multivalue,
    OtherPolicy,
    RecordSet,
    Routing,
    Weighted,
)
from dnsplan.runtime.config import desired_static, limits_for, pool_units
from dnsplan.runtime.config.written import as_route53
from dnsplan.text import unquote
from dnsplan.velocity import VelocityLimit
from tests.unit.dnsplan.config.texts import loaded

CONFIG = """\
azs: [use1-az1, use1-az2]
guardrails: {min_targets: 2, max_removed_share: 0.5, window_s: 100}
zones:
  shop:
    name: Example.com
    ttl_s: 40
    guardrails: {window_s: 200}
    names:
      "@":
        pool: web
        ttl_s: 30
        records:
          - {type: TXT, values: [v=spf1 -all, '"quoted" "twice"']}
          - {type: CAA, ttl_s: 300, values: [0 issue letsencrypt.org]}
      "*": {records: [{type: AAAA, values: ["2001:DB8:0:0::1", "2001:db8::2"]}]}
      api: {pool: api, routing: weighted}
      cdn:
        records:
          - type: A
            alias: {name: D.Example.NET, zone_id: Z2, evaluate_target_health: true}
      geo:
        ttl_s: 7
        records:
          - {type: A, set_id: w, geo: {country: "*"}, values: [192.0.2.1], health_check_id: hc}
  inner:
    name: example.net
    names: {w: {pool: web}}
pools:
  web:
    targets:
      - {id: a, address: 192.0.2.10}
      - {id: b, address: "2001:db8::10"}
      - {id: c, address: 192.0.2.11}
  api:
    guardrails: {min_targets: 1}
    targets:
      - {id: ext, alias: {name: e.example.net, zone_id: Z2}, types: [A, AAAA]}
      - {id: lb, load_balancer: {name: api, region: us-east-1}}
      - {id: v6, address: "2001:db8::11", capacity: 0}
"""


def test_stated_record_sets(tmp_path: Path) -> None:
    """In normal form, sorted, with TTLs from the record, the name or the zone."""
    zone = loaded(tmp_path, CONFIG).settings.zones["shop"]
    alias = AliasTarget("Z2", Name("d.example.net."), evaluate_target_health=True)
    wild = Name("\\052.example.com.")
    apex, geo = Name("example.com."), Name("geo.example.com.")
    assert desired_static(zone) == (
        RecordSet(wild, "AAAA", 40, ("2001:db8::1", "2001:db8::2")),
        RecordSet(Name("cdn.example.com."), "A", None, (), alias=alias),
        RecordSet(apex, "CAA", 300, ('0 issue "letsencrypt.org"',)),
        RecordSet(apex, "TXT", 30, ('"quoted" "twice"', '"v=spf1 -all"')),
        RecordSet(
            geo,
            "A",
            7,
            ("192.0.2.1",),
            set_id="w",
            routing=Geolocation(None, "*", None),
            health_check_id="hc",
        ),
    )
    assert all(normal_form(one) == one for one in desired_static(zone))


@pytest.mark.parametrize(
    ("stated", "routing"),
    [
        ("weight: 9", Weighted(9)),
        ("region: eu-west-1", Latency("eu-west-1")),
        ("region: us-gov-east-1", Latency("us-gov-east-1")),
        ("region: eusc-de-east-1", Latency("eusc-de-east-1")),
        ("failover: PRIMARY, health_check_id: hc", Failover("PRIMARY")),
        (
            "geoproximity: {region: eu-west-1, bias: -9}",
            OtherPolicy('{"GeoProximityLocation":{"AWSRegion":"eu-west-1","Bias":-9}}'),
        ),
        (
            "geoproximity: {region: eu-west-1, bias: 0}",
            OtherPolicy('{"GeoProximityLocation":{"AWSRegion":"eu-west-1"}}'),
        ),
        (
            'geoproximity: {coordinates: {latitude: "49.22", longitude: "-74.01"}}',
            OtherPolicy(
                '{"GeoProximityLocation":{"Coordinates":{"Latitude":"49.22","Longitude":"-74.01"}}}'
            ),
        ),
        (
            'cidr: {collection_id: 12345678-1234-1234-1234-123456789abc, location: "*"}',
            OtherPolicy(
                '{"CidrRoutingConfig":{"CollectionId":"12345678-1234-1234-1234-123456789abc",'
                '"LocationName":"*"}}'
            ),
        ),
        ("geo: {continent: EU}", Geolocation("EU", None, None)),
        ("geo: {country: US, subdivision: CA}", Geolocation(None, "US", "CA")),
        ("multivalue: true", Multivalue()),
    ],
)
def test_routing_policies(tmp_path: Path, stated: str, routing: Routing) -> None:
    """Each policy of the config is one of the contract's."""
    record = f"{{type: A, values: [192.0.2.1], set_id: x, {stated}}}"
    text = f"azs: [a]\nzones: {{z: {{name: z.test, names: {{w: {{records: [{record}]}}}}}}}}\n"
    (one,) = desired_static(loaded(tmp_path, text).settings.zones["z"])
    assert one.routing == routing


def test_pool_units(tmp_path: Path) -> None:
    """IPv4 targets drive A, IPv6 AAAA, aliases and load balancers A unless they say more."""
    settings = loaded(tmp_path, CONFIG).settings
    seen = [
        (one.unit, one.pool, one.routing, one.ttl_s, [target.id for target in one.targets])
        for one in pool_units(settings, "shop")
    ]
    assert seen == [
        (("api.example.com.", "A"), "api", "weighted", 40, ["ext", "lb"]),
        (("api.example.com.", "AAAA"), "api", "weighted", 40, ["ext", "v6"]),
        (("example.com.", "A"), "web", "multivalue", 30, ["a", "c"]),
        (("example.com.", "AAAA"), "web", "multivalue", 30, ["b"]),
    ]
    assert [one.unit for one in pool_units(settings, "inner")] == [
        ("w.example.net.", "A"),
        ("w.example.net.", "AAAA"),
    ]


def test_limits(tmp_path: Path) -> None:
    """The pool's word stands before the zone's, the zone's before that of all."""
    settings = loaded(tmp_path, CONFIG).settings
    shop, inner = limits_for(settings, "shop"), limits_for(settings, "inner")
    api, web = Name("api.example.com."), Name("example.com.")
    assert shop.of((api, "A")) == VelocityLimit(1, 0.5, 200)
    assert shop.of((api, "AAAA")) == VelocityLimit(1, 0.5, 200)
    assert shop.of((web, "A")) == VelocityLimit(2, 0.5, 200)
    assert inner.of((Name("w.example.net."), "A")) == VelocityLimit(2, 0.5, 100)


def test_bounds_of_a_zone_stand_before_those_of_all(tmp_path: Path) -> None:
    """Key by key; what nobody states is as wide as Route 53's."""
    top = "guardrails: {max_names_changed: 7, ttl_min_s: 20, min_targets: 2,"
    text = CONFIG.replace("guardrails: {min_targets: 2,", top)
    own = "guardrails: {max_names_changed: 5, ttl_min_s: 7, ttl_max_s: 900, window_s: 200}"
    settings = loaded(tmp_path, text.replace("guardrails: {window_s: 200}", own)).settings
    assert limits_for(settings, "shop").bounds == Bounds(5, 7, 900)
    assert limits_for(settings, "inner").bounds == Bounds(7, 20, 2_147_483_647)
    assert limits_for(loaded(tmp_path, CONFIG).settings, "shop").bounds == UNBOUNDED


@pytest.mark.parametrize(
    ("record_type", "written", "wanted"),
    [
        ("TXT", "v=spf1 -all", '"v=spf1 -all"'),
        ("TXT", '"already"', '"already"'),
        ("TXT", 'say "hi"', '"say \\"hi\\""'),
        ("TXT", "grün", '"gr\\303\\274n"'),
        ("SPF", "v=spf1", '"v=spf1"'),
        ("CAA", "0 issue ca.example; x=1", '0 issue "ca.example; x=1"'),
        ("CAA", '0 issue ";"', '0 issue ";"'),
        ("CAA", "0 issue", "0 issue"),
        ("MX", "10 mail.example.com.", "10 mail.example.com."),
    ],
)
def test_values_as_written(record_type: str, written: str, wanted: str) -> None:
    """Text may be written without quotes; all else stays as it is."""
    assert as_route53(record_type, written) == wanted


@given(st.text(min_size=1, max_size=600).filter(lambda text: not text.lstrip().startswith('"')))
def test_any_text_may_be_written_without_quotes(text: str) -> None:
    """A TXT value written without quotes holds exactly its bytes."""
    assert b"".join(unquote(as_route53("TXT", text))) == text.encode()
