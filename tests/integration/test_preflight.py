"""`dns-runbook preflight` as an operator runs it: it hides nothing and writes nothing."""

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from sandbox.aws.faults import Refuse, Where
from tests.fakes.world import a
from tests.integration.daemons_stage import WWW, Daemons, Ended, daemons_stage

DOWN = Refuse("ServiceUnavailable", "down", status=503)
DENIED = Refuse("AccessDeniedException", "no", status=400)


@pytest.fixture
async def stage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Daemons]:
    """A zone that holds plan 1."""
    async with daemons_stage(tmp_path, monkeypatch) as made:
        await made.aws.publish(a(WWW, "192.0.2.1"))
        await made.aws.enact(made.aws.az())
        yield made


async def preflight(stage: Daemons, *words: str) -> Ended:
    """Run it with the stage's DNS server as the world's resolver."""
    resolver = ("--resolver", f"{stage.dns.host}:{stage.dns.port}")
    ended = await stage.run(
        "runbooks.main:run", "dns-runbook", "preflight", *words, *resolver, key="look"
    )
    assert "Traceback" not in ended.err
    return ended


async def found(stage: Daemons, *words: str) -> tuple[int, dict[str, str]]:
    """The exit code, and the severity of each check."""
    ended = await preflight(stage, *words, "--json")
    findings: list[dict[str, Any]] = json.loads(ended.out)["findings"]
    assert [one for one in findings if (one["severity"] == "fine") != (one["do"] is None)] == []
    return ended.code, {one["check"]: one["severity"] for one in findings}


async def test_a_zone_that_is_ready(stage: Daemons) -> None:
    """The stand-in's zone has AWS's defaults, which are warned of; the rest is fine."""
    code, checks = await found(stage)
    assert (code, checks) == (
        1,
        {
            "credentials": "fine",
            "clock": "fine",
            "table mode": "fine",
            "point-in-time recovery": "warning",
            "table id": "fine",
            "zone": "fine",
            "quota": "fine",
            "negative TTL": "warning",
            "accelerated recovery": "warning",
            "delegation": "fine",
            "request rate": "warning",
            "request share": "fine",
            "self-dependency": "fine",
            "signing": "warning",
        },
    )


@pytest.mark.parametrize(
    ("service", "unread", "still"),
    [
        ("dynamodb", {"table", "point-in-time recovery", "table id"}, "delegation"),
        ("route53", {"zone"}, "table id"),
    ],
)
async def test_a_part_out_of_reach_hides_no_other(
    stage: Daemons, service: str, unread: set[str], still: str
) -> None:
    """What it would have shown is unread, and what the other side shows is there."""
    stage.arm(DOWN, Where(service=service, times=None))
    code, checks = await found(stage)
    assert code == 1
    assert {check for check, severity in checks.items() if severity == "unread"} == unread
    assert checks[still] == "fine"


async def test_a_restored_table_is_refused_and_names_the_command(stage: Daemons) -> None:
    """The item says in which table it was written."""
    tables = stage.aws.stand_in.backend.dynamodb("us-east-1")
    tables.restore_snapshot(tables.take_snapshot("dnsplan"))
    ended = await preflight(stage, "shop")
    assert ended.code == 3
    assert "refused table id shop: its item was written in table" in ended.out
    assert "dns-runbook reconcile shop" in ended.out


async def test_each_role_is_tried_and_nothing_is_written(stage: Daemons) -> None:
    """Table and zone are the same afterwards, to the last item; change tries the tiers below."""
    before = await everything(stage)
    roles = ("planner", "enactor", "cleanup", "change")
    tried = await asyncio.gather(*(found(stage, "--role", role) for role in roles))
    fine = {"credentials": "fine", "clock": "fine", "permission": "fine"}
    assert tried == [(0, fine)] * len(roles)
    assert await everything(stage) == before


async def test_a_missing_permission_is_named(stage: Daemons) -> None:
    """The call that was denied, and where it is granted."""
    stage.arm(DENIED, Where(operation="UpdateItem", times=None))
    stage.arm(DENIED, Where(operation="ChangeResourceRecordSets", times=None))
    ended = await preflight(stage, "--role", "enactor")
    assert ended.code == 3
    assert "refused permission dnsplan: dynamodb:UpdateItem on gen#: AccessDenied" in ended.out
    assert "refused permission shop: route53:ChangeResourceRecordSets: AccessDenied" in ended.out
    assert "deploy/stacks/roles.yaml" in ended.out


@pytest.mark.parametrize(("role", "code"), [("enactor", 3), ("break-glass", 3), ("freeze", 0)])
async def test_a_name_that_the_policy_does_not_list_is_found(
    stage: Daemons, role: str, code: int
) -> None:
    """By who writes it, before a plan is held for it; who only moves fences asks for no name."""
    before = await everything(stage)
    lacking = Where(operation="ChangeResourceRecordSets", contains=WWW, times=None)
    stage.arm(DENIED, lacking)
    ended = await preflight(stage, "--role", role)
    assert ended.code == code
    said = "refused permission shop: route53:ChangeResourceRecordSets at each name: AccessDenied"
    assert (said in ended.out, "dns-runbook names" in ended.out) == (code == 3, code == 3)
    assert await everything(stage) == before


async def test_a_type_that_the_policy_does_not_list_is_found(stage: Daemons) -> None:
    """As NS and DS are by default: a plan with one would be held whole, and its zone with it."""
    before = await everything(stage)
    lacking = Where(operation="ChangeResourceRecordSets", contains="<Type>A</Type>", times=None)
    stage.arm(DENIED, lacking)
    ended = await preflight(stage, "--role", "enactor")
    assert ended.code == 3
    assert "shop: route53:ChangeResourceRecordSets of each type: AccessDenied" in ended.out
    assert "RecordTypes of deploy/stacks/roles.yaml: shop has A, TXT" in ended.out
    assert await everything(stage) == before


MISTAKES = (
    (("--role", "admin"), "there is no role admin; there are planner, enactor"),
    (("--resolver", "ns1"), "'ns1' is no IP address"),
    (("shpo",), "no zone shpo in the config; there are shop"),
)


async def test_mistakes(stage: Daemons) -> None:
    """Exit 2 with what is allowed."""
    run = (
        stage.run("runbooks.main:run", "dns-runbook", "preflight", *words, key="look")
        for words, _ in MISTAKES
    )
    for ended, (_, text) in zip(await asyncio.gather(*run), MISTAKES, strict=True):
        assert (ended.code, ended.out) == (2, "")
        assert text in ended.err


async def everything(stage: Daemons) -> object:
    """Every item of the table, and every record set of the zone."""
    tables = stage.aws.stand_in.backend.dynamodb("us-east-1").tables
    items = [item.to_json() for item in tables["dnsplan"].all_items()]
    return items, stage.aws.stand_in.route53.zone(stage.aws.zone.zone_id).records()
