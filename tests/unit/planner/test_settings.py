"""What the config says, as the planner's rules see it."""

from pathlib import Path

import pytest

from dnsplan.names import parse_name
from dnsplan.records import AliasTarget
from dnsplan.runtime.config import load
from dnsplan.velocity import VelocityLimit
from planner.rules.health import Hysteresis
from planner.rules.pools import BlockedUnit, Member, Policy
from planner.rules.probing import HttpCheck, Probe, TcpCheck, Watched
from planner.rules.retention import Retention
from planner.settings import (
    CleanupSettings,
    PlannerSettings,
    cleanup_settings,
    planner_settings,
)
from tests.unit.planner.cases import ZONE

CONFIG = """
azs: [use1-az1, use1-az2]
zones:
  shop:
    name: example.com
    ttl_s: 45
    names:
      "@": {pool: web, records: [{type: MX, ttl_s: 300, values: ["10 mail.example.com."]}]}
      api: {pool: api, ttl_s: 30, routing: weighted}
      lb: {pool: lb, routing: weighted}
      www: {records: [{type: CNAME, ttl_s: 300, values: [API.example.com]}]}
pools:
  web:
    targets: [{id: b, address: 192.0.2.11}, {id: a, address: "2001:DB8:0::10"}]
    health: {tcp: {port: 443}, interval_s: 10, timeout_s: 3, rise: 4, fall: 2}
    guardrails: {min_targets: 2}
  api:
    targets:
      - {id: a1, address: 192.0.2.20, capacity: 40}
      - {id: ext, alias: {name: D.example.net, zone_id: Z2, evaluate_target_health: true}}
    health: {http: {port: 8080, path: "/healthz?full=1", host: api.example.com, tls: true}}
    panic_threshold: 0.3
  lb:
    targets:
      - {id: here, address: 192.0.2.30}
      - {id: nlb1, load_balancer: {name: api-1, region: us-east-1}}
    health: {tcp: {port: 80}}
  unused: {targets: [{id: x, address: 192.0.2.40}], health: {tcp: {port: 80}}}
guardrails: {min_targets: 1, max_removed_share: 0.5, window_s: 60}
planner: {interval_s: 7, max_plans_per_min: 3}
cleanup: {keep: 5, min_age_s: 60, interval_s: 120}
"""


@pytest.fixture
def settings(tmp_path: Path) -> PlannerSettings:
    """The planner's settings of the config above."""
    return planner_settings(load(written(tmp_path), {}).settings)


@pytest.fixture
def cleaning(tmp_path: Path) -> CleanupSettings:
    """Cleanup's settings of the config above."""
    return cleanup_settings(load(written(tmp_path), {}).settings)


def written(folder: Path) -> Path:
    """The config as a file."""
    path = folder / "dns.yaml"
    path.write_text(CONFIG)
    return path


def test_a_pool_becomes_one_unit_a_type(settings: PlannerSettings) -> None:
    """IPv4 targets answer A and IPv6 targets AAAA, each in canonical text."""
    (wish,) = settings.wishes
    found = {(one.name, one.type): [member.answer for member in one.members] for one in wish.driven}
    assert found == {
        (ZONE, "A"): ["192.0.2.11"],
        (ZONE, "AAAA"): ["2001:db8::10"],
        (parse_name("api.example.com."), "A"): ["192.0.2.20", "d.example.net."],
    }


def test_stated_records_are_grouped_and_normal(settings: PlannerSettings) -> None:
    """Names in values are folded as Route 53 folds them."""
    (wish,) = settings.wishes
    assert [(unit, sets[0].values) for unit, sets in wish.stated.items()] == [
        ((ZONE, "MX"), ("10 mail.example.com.",)),
        ((parse_name("www.example.com."), "CNAME"), ("api.example.com.",)),
    ]


def test_members_carry_what_the_rules_need(settings: PlannerSettings) -> None:
    """An alias is not probed, an address of a pool with a health section is."""
    (wish,) = settings.wishes
    (api,) = [one for one in wish.driven if one.name == "api.example.com."]
    alias = AliasTarget("Z2", parse_name("d.example.net."), evaluate_target_health=True)
    assert api.members == (
        Member(key=("api", "a1"), answer="192.0.2.20", alias=None, capacity=40, is_probed=True),
        Member(
            key=("api", "ext"), answer="d.example.net.", alias=alias, capacity=100, is_probed=False
        ),
    )
    assert (api.policy, api.capacity_max, api.panic_threshold, api.ttl_s) == (
        Policy.WEIGHTED,
        100,
        0.3,
        30,
    )


def test_limits_are_inherited(settings: PlannerSettings) -> None:
    """A pool's word before the zone's before all; the guardrails get the same numbers."""
    (wish,) = settings.wishes
    limits = {one.unit: one.limit for one in wish.driven}
    assert limits[(ZONE, "A")] == VelocityLimit(2, 0.5, 60)
    assert limits[(parse_name("api.example.com."), "A")] == VelocityLimit(1, 0.5, 60)
    assert all(wish.limits.of(unit) == limit for unit, limit in limits.items())


def test_a_pool_with_a_load_balancer_is_blocked_as_a_whole(settings: PlannerSettings) -> None:
    """Half a pool would be half an answer: none of it is published or probed."""
    (wish,) = settings.wishes
    reason = "pool lb: source not available in this release: load_balancer (target nlb1)"
    assert wish.blocked == (BlockedUnit(parse_name("lb.example.com."), "A", reason),)
    assert not [one for one in settings.watched if one.key[0] == "lb"]


def test_every_used_target_is_watched_once(settings: PlannerSettings) -> None:
    """Both types of a pool share their probes, and a pool that no name uses is not probed."""
    http = HttpCheck(8080, "/healthz?full=1", "api.example.com", True, True, None)
    tcp_rule = Hysteresis(rise=4, fall=2, gap_s=53.0)
    http_rule = Hysteresis(rise=2, fall=3, gap_s=27.0)
    assert settings.watched == (
        Watched(("api", "a1"), Probe("192.0.2.20", http, 2.0), 5.0, http_rule),
        Watched(("web", "b"), Probe("192.0.2.11", TcpCheck(443), 3.0), 10.0, tcp_rule),
        Watched(("web", "a"), Probe("2001:db8::10", TcpCheck(443), 3.0), 10.0, tcp_rule),
    )
    assert settings.rounds_to_know == 4


def test_a_first_look_lasts_a_round_and_some(settings: PlannerSettings) -> None:
    """A slow pool gets its time; without probes nobody waits."""
    (wish,) = settings.wishes
    assert {one.first_look_s for one in wish.driven} == {10 + 2 * 3 + 1.0, 5 + 2 * 2 + 1.0}


def test_pace_and_retention_are_the_configs(
    settings: PlannerSettings, cleaning: CleanupSettings
) -> None:
    """Nothing is made up on the way."""
    assert (settings.interval_s, settings.plans_per_min_max) == (7, 3)
    assert cleaning == CleanupSettings(
        table="dnsplan",
        zones=(("shop", ZONE),),
        retention=Retention(keep=5, min_age_s=60),
        interval_s=120,
    )
