"""Which targets of a pool of aliases are one and the same, and what an alias may lead to."""

from pathlib import Path

import pytest

from tests.unit.dnsplan.config.texts import loaded, said


def config(targets: str) -> str:
    """A config of one zone with an id and one weighted name, whose pool's targets are in line 5."""
    return (
        "azs: [a]\nzones:\n  z: {name: z.test, id: Z1, names: {w: {pool: p, routing: weighted}}}\n"
        f"pools:\n  p: {{targets: [{targets}]}}\n"
    )


def test_two_regions_may_use_one_name_for_their_load_balancers(tmp_path: Path) -> None:
    """A load balancer's name tells it apart inside its Region alone."""
    targets = (
        "{id: a, load_balancer: {name: api, region: us-east-1}},"
        "{id: b, load_balancer: {name: api, region: eu-west-1}}"
    )
    pool = loaded(tmp_path, config(targets)).settings.pools["p"]
    assert [one.id for one in pool.targets] == ["a", "b"]


@pytest.mark.parametrize(
    ("key", "one", "other", "what"),
    [
        (
            "load_balancer",
            "{name: api, region: us-east-1}",
            "{name: api, region: us-east-1}",
            "api in us-east-1",
        ),
        (
            "alias",
            "{name: bücher.example.net, zone_id: Z2}",
            "{name: XN--BCHER-KVA.example.net., zone_id: Z2}",
            "xn--bcher-kva.example.net.",
        ),
    ],
)
def test_the_same_target_twice(tmp_path: Path, key: str, one: str, other: str, what: str) -> None:
    """However it is spelled, a target stands once in a pool."""
    targets = f"{{id: a, {key}: {one}}}, {{id: b, {key}: {other}}}"
    found = f"{what} a second time (first in targets[0]); allowed: each {key} once in a pool"
    assert said(tmp_path, config(targets)) == [f"dns.yaml:5: pools.p.targets[1].{key}: {found}"]


@pytest.mark.parametrize(
    ("stated", "said_of"),
    [
        ('{arn: "api"}', 'arn: the text "api"; allowed: the ARN of an application or network'),
        (
            '{arn: "arn:aws:elasticloadbalancing:us-east-1:123456789012:targetgroup/api/0a1b"}',
            "arn: the text",
        ),
        (
            '{arn: "arn:aws:elasticloadbalancing:us-east-1:123456789012:loadbalancer/api"}',
            "arn: the text",
        ),
        ('{name: "", region: us-east-1}', 'name: the text ""; allowed: 1 to 32 letters'),
        ("{name: api, region: Ireland}", 'region: the text "Ireland"; allowed: a Region'),
    ],
)
def test_what_is_no_load_balancer(tmp_path: Path, stated: str, said_of: str) -> None:
    """Said when the config is read: the planner asks AWS by what stands there."""
    (found,) = said(tmp_path, config(f"{{id: a, load_balancer: {stated}}}"))
    assert f"pools.p.targets[0].load_balancer.{said_of}" in found


@pytest.mark.parametrize("kind", ["app", "net"])
@pytest.mark.parametrize("partition", ["aws", "aws-cn", "aws-us-gov", "aws-eusc"])
def test_arns(tmp_path: Path, partition: str, kind: str) -> None:
    """Of every partition, and of both kinds that an alias can lead to."""
    arn = (
        f"arn:{partition}:elasticloadbalancing:us-east-1:123456789012:loadbalancer/{kind}/api/0a1b"
    )
    assert said(tmp_path, config(f'{{id: a, load_balancer: {{arn: "{arn}"}}}}')) == []


OWN = """\
azs: [a]
zones:
  z: {name: z.test, id: Z1, names: {w: {pool: p, routing: weighted}, r: {records: [{type: A, &}]}}}
  o: {name: o.test, id: Z9, names: {w: {records: [{type: A, values: [192.0.2.1]}]}}}
pools:
  p: {targets: [{id: a, &}]}
"""


@pytest.mark.parametrize(
    "stated", ["name: x.z.test, zone_id: Z1", "name: lb.aws.test, zone_id: Z5"]
)
def test_an_alias_leads_into_its_own_zone_or_to_aws(tmp_path: Path, stated: str) -> None:
    """Of a record and of a pool's target alike."""
    assert said(tmp_path, OWN.replace("&", f"alias: {{{stated}}}")) == []


@pytest.mark.parametrize(
    ("stated", "key", "found"),
    [
        ("name: x.o.test, zone_id: Z1", "", "x.o.test. in the zone z.test. itself;"),
        ("name: x.o.test, zone_id: Z9", ".zone_id", "Z9, the hosted zone of zones.o;"),
        ("name: x.z.test, zone_id: Z9", ".zone_id", "Z9, the hosted zone of zones.o;"),
    ],
)
def test_an_alias_leads_to_no_other_zone(tmp_path: Path, stated: str, key: str, found: str) -> None:
    """Route 53 refuses it, also where both zones are ours."""
    record, target = said(tmp_path, OWN.replace("&", f"alias: {{{stated}}}"))
    assert record.startswith(f"dns.yaml:3: zones.z.names.r.records[0].alias{key}: {found}")
    assert target.startswith(f"dns.yaml:6: pools.p.targets[0].alias{key}: {found}")
