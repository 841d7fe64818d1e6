"""What the config says, as the planner's rules see it."""

from pathlib import Path

import pytest

from dnsplan.names import parse_name
from dnsplan.records import AliasTarget
from dnsplan.runtime.config import load
from dnsplan.velocity import VelocityLimit
from planner.rules.health import Hysteresis
from planner.rules.pools import Member, Policy
from planner.rules.probing import HttpCheck, Probe, TcpCheck, Watched
from planner.rules.retention import Retention
from planner.rules.roll import NEVER_S, NOT_READ, Attendance, Found, Listing, heard
from planner.settings import (
    CleanupSettings,
    PlannerSettings,
    cleanup_settings,
    planner_settings,
    reseated,
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
cleanup: {keep: 5, min_age_s: 60, history: 30, interval_s: 120}
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
        (parse_name("lb.example.com."), "A"): ["192.0.2.30"],
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


def test_a_load_balancer_is_no_member_before_it_was_asked_for(settings: PlannerSettings) -> None:
    """What answers it gives is not known yet, so nothing may be taken from what it gave before."""
    (wish,) = settings.wishes
    (lb,) = [one for one in wish.driven if one.name == "lb.example.com."]
    assert [member.target_id for member in lb.members] == ["here"]
    assert lb.attendance == Attendance(
        hold_s=60.0,
        complete_s=(NEVER_S, NEVER_S),
        departed={},
        is_read=False,
        unread="not read yet",
        is_silent=True,
    )
    assert [feed.key for feed in settings.feeds] == [("lb", "targets")]


def test_what_a_source_names_is_seated_and_watched(settings: PlannerSettings) -> None:
    """Its answer, its weight's scale, and its probe, in every name that the pool drives."""
    alias = AliasTarget("Z3", parse_name("api-1.elb.example.net."), evaluate_target_health=True)
    told = Found(
        id="nlb1", address=None, alias=alias, types=("A",), capacity=7, healthy=True, detail="ok"
    )
    roll = heard(NOT_READ, Listing((told,)), hold_s=60.0, now_s=5.0)
    seated = reseated(settings, {("lb", "targets"): roll})
    (lb,) = [one for one in seated.wishes[0].driven if one.name == "lb.example.com."]
    assert [(one.target_id, one.answer, one.capacity, one.is_probed) for one in lb.members] == [
        ("here", "192.0.2.30", 100, True),
        ("nlb1", "api-1.elb.example.net.", 7, True),
    ]
    assert lb.attendance is not None
    assert (lb.attendance.is_read, lb.attendance.complete_s) == (True, (NEVER_S, 5.0))
    assert seated.watched == settings.watched, "what reports its own health is not probed beside"


def test_what_stands_already_is_left_out_and_named(settings: PlannerSettings) -> None:
    """The config's word comes first; nothing is dropped in silence."""
    told = [
        Found(id="here", address="192.0.2.99", alias=None, types=("A",), capacity=1),
        Found(id="twin", address="192.0.2.30", alias=None, types=("A",), capacity=1),
        Found(id="six", address="2001:db8::1", alias=None, types=("AAAA",), capacity=1),
    ]
    roll = heard(NOT_READ, Listing(tuple(told)), hold_s=60.0, now_s=5.0)
    seated = reseated(settings, {("lb", "targets"): roll})
    (lb,) = [one for one in seated.wishes[0].driven if one.name == "lb.example.com."]
    assert [one.answer for one in lb.members] == ["192.0.2.30"]
    assert seated.left_out == (
        "pool lb: targets: target here is in the pool already",
        "pool lb: targets: target six answers AAAA, and the pool answers A",
        "pool lb: targets: target twin answers 192.0.2.30, as another does",
    )


def test_every_used_target_is_watched_once(settings: PlannerSettings) -> None:
    """Both types of a pool share their probes, and a pool that no name uses is not probed."""
    http = HttpCheck(8080, "/healthz?full=1", "api.example.com", True, True, None)
    tcp_rule = Hysteresis(rise=4, fall=2, gap_s=53.0)
    http_rule = Hysteresis(rise=2, fall=3, gap_s=27.0)
    assert settings.watched == (
        Watched(("api", "a1"), Probe("192.0.2.20", http, 2.0), 5.0, http_rule, 0.3),
        Watched(("lb", "here"), Probe("192.0.2.30", TcpCheck(80), 2.0), 5.0, http_rule, 0.5),
        Watched(("web", "b"), Probe("192.0.2.11", TcpCheck(443), 3.0), 10.0, tcp_rule, 0.5),
        Watched(("web", "a"), Probe("2001:db8::10", TcpCheck(443), 3.0), 10.0, tcp_rule, 0.5),
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
        retention=Retention(keep=5, min_age_s=60, history=30),
        interval_s=120,
    )
