"""With RecordNames the policies name each record: all that plans write, and nothing else."""

import json
import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from dnsplan.names import parse_name
from dnsplan.runtime.config.schema import ZoneEntry
from dnsplan.shards import SHARDS_MAX, shard_name
from runbooks.record_names.rules import fitting, parameter_names
from tests.deploy.policies import Request, is_allowed
from tests.deploy.stacks import (
    OTHER_ZONE,
    RECORD_NAMES,
    ROLES,
    SECOND_ZONE,
    ZONE,
    Deployment,
    deployed,
    template,
)
from tests.deploy.test_permissions import batch
from tests.unit.dnsplan.config.texts import loaded

NAMELESS = {
    key: values for key, values in batch().context.items() if not key.endswith("RecordNames")
}
FENCE, POLICY_CHARACTERS_MAX = "_dnsplan.example.com", 6_144
CONFIG = """\
azs: [use1-az1]
zones:
  shop:
    name: example.com
    id: Z0000000000000000001
    names:
      www: {pool: web}
      "*": {records: [{type: A, values: [192.0.2.9]}]}
  second:
    name: example.net
    names: {"@": {records: [{type: A, values: [192.0.2.9]}]}}
pools:
  web: {targets: [{id: a, address: 192.0.2.1}, {id: b, address: 192.0.2.2}]}
"""


def record_batch(*names: str, zone: str = ZONE, actions: Sequence[str] = ("CREATE",)) -> Request:
    """A batch with its fence pair, and records of these names."""
    return batch(zone, names=(FENCE, *names), types=("TXT", "A"), actions=actions)


def shards(name: str) -> tuple[str, ...]:
    """Every shard that a pool's name can have, as Route 53 gives them to a condition."""
    pool = parse_name(name)
    return tuple(shard_name(pool, index).removesuffix(".") for index in range(SHARDS_MAX))


ALLOWED = (
    record_batch("www.example.com"),
    record_batch("www.example.com", actions=("DELETE",)),
    record_batch("www.example.com", "\\052.example.com", actions=("CREATE", "DELETE")),
    *(record_batch("www.example.com", one) for one in shards("www.example.com")),
    *(record_batch(one) for one in shards("*.example.com")),
    *(record_batch(one) for one in shards("example.com")),
    batch(SECOND_ZONE, ("_dnsplan.example.net", "example.net"), ("TXT", "A")),
    batch(),
)
FORBIDDEN = (
    *(record_batch("api.example.com", actions=(one,)) for one in ("CREATE", "DELETE", "UPSERT")),
    *(record_batch("example.com", actions=(one,)) for one in ("CREATE", "DELETE", "UPSERT")),
    record_batch("www.example.com", actions=("UPSERT",)),
    record_batch("www.example.com", "api.example.com"),
    record_batch("www.example.com", zone=OTHER_ZONE),
    record_batch("a.www.example.com"),
    record_batch("www.example.com.au"),
    record_batch("wwwxexample.com"),
    # The listed wildcard is a name, no pattern; and a star stands for shards alone.
    record_batch("a.example.com"),
    record_batch("*.example.com"),
    record_batch("x._dnsplan-shard-1.example.com"),
    record_batch("_dnsplan-shard-1.example.org"),
    Request("route53:ChangeResourceRecordSets", ZONE, NAMELESS),
)


@pytest.mark.parametrize("who", ["enactor", "break-glass"])
def test_who_writes_records_writes_the_listed_names_only(named: Deployment, who: str) -> None:
    """Stated names, wildcards and every shard; no other name, the apex included, nor beside one."""
    mine = named.policies[who]
    assert [one for one in ALLOWED if not is_allowed(mine, one)] == []
    assert [one for one in FORBIDDEN if is_allowed(mine, one)] == []


def test_without_names_every_name_of_the_zones_is_within_reach(deployment: Deployment) -> None:
    """The default bounds zones, types and actions, as the page says."""
    mine = deployment.policies["enactor"]
    assert is_allowed(mine, record_batch("example.com", actions=("DELETE",)))
    assert not is_allowed(mine, record_batch("example.com", zone=OTHER_ZONE))


@pytest.mark.parametrize("who", ["freeze", "change"])
def test_freezing_moves_the_listed_fences_only(named: Deployment, who: str) -> None:
    """No listed name that is none, and no fence that is not listed."""
    mine = named.policies[who]
    assert is_allowed(mine, batch())
    assert is_allowed(mine, batch(SECOND_ZONE, ("_dnsplan.example.net",)))
    for name in ("_dnsplan.example.org", "www.example.com", *shards("www.example.com")[:2]):
        assert not is_allowed(mine, batch(names=(FENCE, name))), name


def test_nobody_else_gains_by_names(named: Deployment) -> None:
    """Fences and records are for the same roles as ever."""
    record, fence = record_batch("www.example.com"), batch()
    policies = named.policies
    assert {w for w in ROLES if is_allowed(policies[w], record)} == {"enactor", "break-glass"}
    movers = {"enactor", "break-glass", "freeze", "change"}
    assert {w for w in ROLES if is_allowed(policies[w], fence)} == movers


def test_the_command_prints_what_the_parameter_takes(tmp_path: Path) -> None:
    """The list of these tests is the command's own, and each of its names passes the pattern."""
    settings = loaded(tmp_path, CONFIG).settings
    assert parameter_names(settings.zones.values()) == RECORD_NAMES
    pattern = template("roles")["Parameters"]["RecordNames"]["AllowedPattern"]
    assert [one for one in RECORD_NAMES if re.fullmatch(pattern, one) is None] == []


@pytest.mark.parametrize(
    "name",
    [
        "*",
        "*.example.com",
        "_dnsplan*",
        "_dnsplan-shard-*",
        "a._dnsplan-shard-*.example.com",
        "www.example.com.",
        "WWW.example.com",
        "w?w.example.com",
        "${*}.example.com",
        "\\999.com",
    ],
)
def test_no_other_wildcard_reaches_the_policy(name: str) -> None:
    """Nor a spelling that Route 53 never gives to a condition, and that would allow nothing."""
    pattern = template("roles")["Parameters"]["RecordNames"]["AllowedPattern"]
    assert re.fullmatch(pattern, name) is None


@pytest.mark.parametrize(("zones", "length"), [(1, 17), (40, 4)])
def test_as_many_names_as_the_command_takes_fit_the_policies(zones: int, length: int) -> None:
    """Deployed with the longest ARNs, NS and DS beside: no policy is above AWS's limit."""
    names = [f"\\052.{number:0{length}}.example.com" for number in range(1_000)]
    count = fitting(names, zones=zones)
    assert 0 < count < len(names)
    arns = ",".join(f"arn:aws-us-gov:route53:::hostedzone/{n:032}" for n in range(zones))
    types = f"{template('roles')['Parameters']['RecordTypes']['Default']},NS,DS"
    value = ",".join(names[:count])
    assert len(value) <= 4_096
    with deployed(arns, RecordNames=value, RecordTypes=types) as full:
        sizes = [_size(policy) for policies in full.policies.values() for policy in policies]
    assert max(sizes) <= POLICY_CHARACTERS_MAX


def _size(policy: object) -> int:
    return len("".join(json.dumps(policy).split()))


def test_a_zone_without_an_id_has_no_shards() -> None:
    """Its list is as long as it has names, and the fence."""
    zone = ZoneEntry.model_validate({"name": "example.com", "names": {}})
    assert parameter_names([zone]) == (FENCE,)


def test_the_last_pool_leaves_and_its_shards_may_be_ended() -> None:
    """A list without them would deny the very plan that ends them, and hold the zone."""
    zone = ZoneEntry.model_validate({"name": "example.com", "id": "Z1", "names": {}})
    assert parameter_names([zone]) == (FENCE, "_dnsplan-shard-*.example.com")
