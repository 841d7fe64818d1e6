"""Each thing that preflight looks at is fine, warned of, refused or unread, and says what to do."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

import pytest

from dnsplan.errors import Problem
from dnsplan.names import parse_name
from dnsplan.ports import Zone
from dnsplan.runtime.config.schema import Settings
from dnsplan.runtime.zones import ZoneProblem
from dnsplan.vouch import PUBLIC, key_text
from enactor.rules.quota import ZoneQuota
from runbooks.preflight.account_rules import (
    judge_caller,
    judge_pace,
    judge_probing,
    judge_signing,
)
from runbooks.preflight.dependence import (
    BEAT,
    PAGER,
    SOURCE,
    Needed,
    host_of,
    judge_dependence,
    needed_hosts,
)
from runbooks.preflight.facts import (
    Caller,
    HostedZone,
    NegativeTtl,
    TableFacts,
    TableShape,
    Unseen,
    ZoneFacts,
)
from runbooks.preflight.findings import Finding, Severity, fine, refused, unread, warning, worst
from runbooks.preflight.table_rules import judge_table
from runbooks.preflight.zone_rules import judge_zone

FINE, WARNING, UNREAD, REFUSED = Severity
SHAPE = TableShape(
    status="ACTIVE",
    keys=(("pk", "HASH"), ("sk", "RANGE")),
    replication=None,
    table_id="T1",
    protected=True,
    on_demand=True,
)
TABLE = TableFacts(SHAPE, recoverable=True, incarnations={"shop": "T1"})
SERVERS = (parse_name("ns-1.example.net"), parse_name("ns-2.example.net"))
ZONE = ZoneFacts(
    zone=Zone("shop", "Z1", parse_name("example.com")),
    hosted=HostedZone(SERVERS, "ENABLED"),
    quota=ZoneQuota(count=2, limit=10_000),
    negative=NegativeTtl(60, 86_400),
    delegated=SERVERS,
)


def told(findings: Iterable[Finding]) -> dict[str, Severity]:
    """The severity of each check; and whatever is not fine says what to do."""
    found = list(findings)
    assert [one for one in found if (one.severity is FINE) != (one.todo == "")] == []
    return {one.check: one.severity for one in found}


def settings(**more: object) -> Settings:
    """A small config."""
    zones = {"shop": {"name": "example.com"}, "deep": {"name": "api.example.com"}}
    return Settings.model_validate({"azs": ["a", "b"], "zones": zones, **more})


KEY = {"of": "planner", "public": key_text(PUBLIC, b"k" * 32)}
SIGNED = settings(signing={"keys": {"planner-1": KEY}})


def test_a_fit_table_and_zone_need_nothing() -> None:
    """All fine, and nothing is left out."""
    assert told(judge_table("dnsplan", TABLE)) == {
        "table mode": FINE,
        "point-in-time recovery": FINE,
        "table id": FINE,
    }
    assert told(judge_zone("shop", ZONE)) == {
        "zone": FINE,
        "quota": FINE,
        "negative TTL": FINE,
        "accelerated recovery": FINE,
        "delegation": FINE,
    }


@pytest.mark.parametrize(
    ("facts", "check", "severity"),
    [
        (replace(TABLE, shape=None), "table", REFUSED),
        (replace(TABLE, shape=Unseen("down")), "table", UNREAD),
        (replace(TABLE, shape=replace(SHAPE, replication="MREC; use one")), "table mode", REFUSED),
        (replace(TABLE, shape=replace(SHAPE, keys=(("id", "HASH"),))), "table mode", REFUSED),
        (replace(TABLE, shape=replace(SHAPE, status="DELETING")), "table mode", REFUSED),
        (replace(TABLE, shape=replace(SHAPE, protected=False)), "table protection", WARNING),
        (replace(TABLE, shape=replace(SHAPE, on_demand=False)), "table capacity", WARNING),
        (replace(TABLE, recoverable=False), "point-in-time recovery", WARNING),
        (replace(TABLE, recoverable=Unseen("denied")), "point-in-time recovery", UNREAD),
        (replace(TABLE, incarnations={"shop": "T0"}), "table id", REFUSED),
        (replace(TABLE, incarnations=Unseen("down")), "table id", UNREAD),
    ],
)
def test_what_a_table_can_be_wrong_in(facts: TableFacts, check: str, severity: Severity) -> None:
    """An eventually consistent global table, a foreign one and a copied one are refused."""
    assert told(judge_table("dnsplan", facts))[check] is severity


def test_a_table_that_is_not_there_may_be_in_another_region() -> None:
    """A second one, made where nobody meant it, would be another deployment."""
    [found] = judge_table("dnsplan", replace(TABLE, shape=None, region="eu-west-1"))
    assert found.found == "there is no such table in eu-west-1"
    assert found.todo.startswith("set AWS_DEFAULT_REGION")


def test_a_table_in_two_regions_says_why_and_what_to_use() -> None:
    """The words are those that the daemons refuse it with."""
    shape = replace(SHAPE, replication="two Regions could each admit a claim; use one Region")
    found = [
        one for one in judge_table("t", replace(TABLE, shape=shape)) if one.severity is REFUSED
    ]
    assert found == [
        refused("table mode", "t", "two Regions could each admit a claim", "use one Region")
    ]


@pytest.mark.parametrize(
    ("facts", "check", "severity"),
    [
        (Unseen("down"), "zone", UNREAD),
        (ZoneProblem("shop", "name", "no zone", "one that exists"), "zone", REFUSED),
        (replace(ZONE, quota=ZoneQuota(count=9_500, limit=10_000)), "quota", WARNING),
        (replace(ZONE, quota=Unseen("denied")), "quota", UNREAD),
        (replace(ZONE, negative=NegativeTtl(900, 86_400)), "negative TTL", WARNING),
        (replace(ZONE, negative=NegativeTtl(86_400, 300)), "negative TTL", FINE),
        (replace(ZONE, negative=None), "negative TTL", UNREAD),
        (replace(ZONE, hosted=HostedZone(SERVERS, None)), "accelerated recovery", WARNING),
        (replace(ZONE, hosted=HostedZone(SERVERS, "ENABLING")), "accelerated recovery", WARNING),
        (replace(ZONE, hosted=Unseen("down")), "hosted zone", UNREAD),
        (replace(ZONE, delegated=()), "delegation", WARNING),
        (replace(ZONE, delegated=SERVERS[:1]), "delegation", WARNING),
        (replace(ZONE, delegated=Unseen("no resolver")), "delegation", UNREAD),
    ],
)
def test_what_a_zone_can_be_wrong_in(
    facts: ZoneFacts | ZoneProblem | Unseen, check: str, severity: Severity
) -> None:
    """Each alone; what the others say does not hide it."""
    assert told(judge_zone("shop", facts))[check] is severity


def test_a_private_zone_is_delegated_by_nobody() -> None:
    """Neither delegation nor accelerated recovery is for it."""
    checks = told(judge_zone("shop", replace(ZONE, delegated=None)))
    assert {"delegation", "accelerated recovery"} & set(checks) == set()


@pytest.mark.parametrize(
    ("caller", "check", "severity"),
    [
        (Caller("arn:aws:iam::1:user/a", 1.0), "clock", FINE),
        (Caller("arn:aws:iam::1:user/a", -30.0), "clock", WARNING),
        (Caller("arn:aws:iam::1:user/a", 250.0), "clock", REFUSED),
        (Caller("arn:aws:iam::1:user/a", None), "clock", UNREAD),
        (Unseen("no credentials"), "credentials", UNREAD),
    ],
)
def test_credentials_and_clock(caller: Caller | Unseen, check: str, severity: Severity) -> None:
    """AWS refuses signatures that are five minutes off."""
    assert told(judge_caller(caller))[check] is severity


def test_a_share_that_cannot_read_all_fences_in_time_is_warned_of() -> None:
    """Two zones are well within five requests a second; two hundred are not."""
    assert told(judge_pace(settings())) == {"request share": FINE}
    many = {f"z{number}": {"name": f"z{number}.example"} for number in range(200)}
    assert told(judge_pace(settings(zones=many))) == {"request share": WARNING}
    assert told(judge_pace(settings(account_requests_per_s=50.0)))["request rate"] is WARNING


def test_more_probes_than_may_be_made_are_warned_of() -> None:
    """With the number that the setting should be; nothing is said where nobody is probed."""
    assert list(judge_probing(settings())) == []
    targets = [{"id": f"t{number}", "address": f"192.0.2.{number}"} for number in range(1, 101)]
    pool = {"targets": targets, "health": {"tcp": {"port": 80}, "interval_s": 5}}
    zones = {"shop": {"name": "shop.example", "names": {"api": {"pool": "api"}}}}
    enough = settings(zones=zones, pools={"api": pool})
    assert told(judge_probing(enough)) == {"probe rate": FINE}
    slow = settings(zones=zones, pools={"api": pool}, planner={"max_probes_per_s": 10})
    (finding,) = judge_probing(slow)
    assert (finding.severity, finding.subject) == (WARNING, "planner.max_probes_per_s")
    assert "100 targets ask for 20 probes a second" in finding.found
    assert finding.todo.startswith("set planner.max_probes_per_s to 25, or ")


def test_whether_plans_are_signed() -> None:
    """Off unless it is stated is said, and so is what lets unsigned plans pass."""
    assert told(judge_signing(settings(), {})) == {"signing": WARNING}
    accepting = settings(signing={"unsigned": "accept"})
    assert told(judge_signing(accepting, {})) == {"signing": WARNING}
    assert told(judge_signing(SIGNED, {})) == {"signing": FINE}


def test_a_key_that_nobody_can_sign_with_is_refused() -> None:
    """With the words of the process that would refuse it."""
    trouble = Problem("file p.key", None, "", "mode 0644, so others may sign", "0600 or 0400")
    (found,) = judge_signing(SIGNED, {"planner-1": trouble})
    assert (found.severity, found.subject) == (REFUSED, "signing.keys.planner-1")
    assert found.found == "file p.key: mode 0644, so others may sign"
    assert found.todo == "allowed: 0600 or 0400"


@pytest.mark.parametrize(
    ("host", "vital", "severity", "zone"),
    [
        ("dynamodb.us-east-1.amazonaws.com", True, FINE, "hosts"),
        ("table.example.com", True, REFUSED, "shop"),
        ("TABLE.api.example.COM", True, REFUSED, "deep"),
        ("hooks.example.com", False, WARNING, "shop"),
        ("notexample.com", True, FINE, "hosts"),
        ("192.0.2.1", True, FINE, "hosts"),
        ("2001:db8::1", True, FINE, "hosts"),
        ("no..name", True, FINE, "hosts"),
    ],
)
def test_what_the_system_needs_must_not_stand_on_what_it_manages(
    host: str, vital: bool, severity: Severity, zone: str
) -> None:
    """A table or a proxy is refused, a pager warned of; the longest zone is named."""
    (found,) = judge_dependence(
        settings(), iter([Needed("it", host, None if vital else "move it")])
    )
    assert (found.severity, found.subject) == (severity, zone)


def test_hosts_come_from_endpoints_proxies_and_webhooks() -> None:
    """Each that the config and the environment name; a secret shows its host only."""
    sentinel = {"alarms": [{"log": {}}, {"webhook": {"url": "https://u:secret@h.example/t?k"}}]}
    environ: Mapping[str, str] = {"HTTPS_PROXY": "proxy.example:3128", "no_proxy": "*"}
    found = needed_hosts(settings(sentinel=sentinel), {"dynamodb": "db.example"}, environ)
    assert [(one.host, one.todo) for one in found] == [
        ("db.example", None),
        ("proxy.example", None),
        ("h.example", PAGER),
    ]


def test_hosts_come_from_every_section_that_states_an_address() -> None:
    """Pagers of planner and enactors, heartbeats with an AZ in them, and sources of targets."""
    beat = {"url": "https://{az}.beat.example/x"}
    web = {"targets": [], "health": {"tcp": {"port": 443}}}
    sources = [{"file": {"path": "a.json"}}, {"http": {"url": "http://list.example:8080/t"}}]
    stated = settings(
        paging={"alarms": [{"webhook": {"url": "https://page.example/t"}}]},
        planner={"heartbeat": beat},
        enactor={"heartbeat": {"url": "https://beat.example/{az}"}},
        sentinel={"heartbeat": {"url": "https://watch.example"}},
        pools={"web": {**web, "sources": sources}},
    )
    assert [(one.what, one.host, one.todo) for one in needed_hosts(stated, {}, {})] == [
        ("the webhook of paging.alarms.0", "page.example", PAGER),
        ("the address of sentinel.heartbeat", "watch.example", BEAT),
        ("the address of planner.heartbeat", "a.beat.example", BEAT),
        ("the address of planner.heartbeat", "b.beat.example", BEAT),
        ("the address of enactor.heartbeat", "beat.example", BEAT),
        ("the address of pools.web.sources.1", "list.example", SOURCE),
    ]


@pytest.mark.parametrize("url", ["", "http://[::1", "//", "http://"])
def test_an_address_without_a_host_names_none(url: str) -> None:
    """And is no error."""
    assert host_of(url) == ""


def test_a_refusal_decides_over_all_else() -> None:
    """Then what could not be read, then warnings; nothing at all is fine."""
    findings = [
        fine("a", "s", "f"),
        warning("b", "s", "f", "t"),
        unread("c", "s", "f", "t"),
        refused("d", "s", "f", "t"),
    ]
    assert [worst(findings[:count]) for count in range(5)] == [FINE, FINE, WARNING, UNREAD, REFUSED]
