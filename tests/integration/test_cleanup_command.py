"""dns-planner cleanup against the stand-in: what it deletes, what it asks, what it never does."""

import asyncio
from collections.abc import Iterator
from contextlib import AsyncExitStack
from pathlib import Path

import boto3
import pytest

from dnsplan.fence import FenceRecord, to_record_set
from dnsplan.generation import GenerationItem
from dnsplan.outcomes import Written
from dnsplan.plan import Digest, Generation
from dnsplan.runtime.archive import DynamoPlanArchive
from dnsplan.runtime.aws import AwsClients
from dnsplan.runtime.clock import SystemClock, SystemJitter
from dnsplan.runtime.retry import RetryBudget, Retrying
from dnsplan.runtime.table import DynamoGenerationTable
from dnsplan.transitions import claim, record_applied
from planner.cycle import PlanCycle
from planner.passes import PlanPass
from planner.rules.health import Sight
from planner.rules.outcomes import Published
from tests.integration.planner_stage import PlannerStage, planner_stage
from tests.unit.planner.cases import ZONE, a, wish

CLEANER = "AKIACLEANUPCLEANUPCL"
CONFIG = """
zones:
  shop: {name: example.com, names: {x: {records: [{type: A, values: [192.0.2.1]}]}}}
"""


@pytest.fixture
def stage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[PlannerStage]:
    """A table with five published plans, the newest applied, and a zone whose fence says so."""
    with planner_stage(tmp_path) as made:
        monkeypatch.setenv("AWS_ENDPOINT_URL", made.stand_in.endpoint_url)
        made.write(CONFIG)
        assert made.run("init").code == 0
        asyncio.run(published(5, zone_id=make_zone(made)))
        set_fence(made, 5)
        yield made


def make_zone(stage: PlannerStage) -> str:
    """An empty hosted zone."""
    route53 = boto3.client("route53", endpoint_url=stage.stand_in.endpoint_url)
    created = route53.create_hosted_zone(Name="example.com", CallerReference="1")
    return str(created["HostedZone"]["Id"]).removeprefix("/hostedzone/")


async def published(count: int, *, zone_id: str | None) -> GenerationItem:
    """Publish so many more plans; with a zone id, claim and apply the newest as an enactor."""
    clock, jitter = SystemClock(), SystemJitter()
    retrying = Retrying(clock, jitter, budget=RetryBudget())
    async with AsyncExitStack() as stack:
        dynamodb = await stack.enter_async_context(AwsClients().open("dynamodb"))
        table = DynamoGenerationTable(dynamodb, "dnsplan", retrying)
        cycle = PlanCycle(
            table=table,
            archive=DynamoPlanArchive(dynamodb, "dnsplan", retrying),
            clock=clock,
            jitter=jitter,
            author="planner/test",
            plans_per_min_max=1_000,
        )
        start = (await table.read(["shop"])).get("shop")
        first = 1 if start is None else start.head + 1
        for number in range(first, first + count):
            zone = wish(records=(a("x.example.com.", f"192.0.2.{number}"),))
            sight = Sight({}, 0.0, 0.0)
            (report,) = await PlanPass([zone], table=table, cycle=cycle).run_once(
                sight, may_write=True
            )
            assert isinstance(report.outcome, Published), report.outcome
        item = (await table.read(["shop"]))["shop"]
        if zone_id is not None:
            wishes = (
                claim(item, item.head, zone_id=zone_id, nonce="c1"),
                record_applied(item, item.head, fence="as written", good=True, nonce="c2"),
            )
            for one in wishes:
                assert await table.write(one) == Written()
        return (await table.read(["shop"]))["shop"]


def zone_of(stage: PlannerStage) -> str:
    """The one zone's id."""
    route53 = boto3.client("route53", endpoint_url=stage.stand_in.endpoint_url)
    return str(route53.list_hosted_zones()["HostedZones"][0]["Id"])


def set_fence(stage: PlannerStage, generation: int, *, owner: str | None = None) -> None:
    """Put a fence into the zone, as an enactor would have."""
    item = asyncio.run(published(0, zone_id=None))
    fence = FenceRecord(
        generation=Generation(generation),
        step=1,
        steps=1,
        base=Generation(generation - 1),
        held=0,
        owner=owner or item.owner,
        writer="az1",
        nonce="f1",
        digest=Digest("d" * 64),
    )
    record_set = to_record_set(fence, ZONE)
    change(
        stage,
        "UPSERT",
        {
            "Name": record_set.name,
            "Type": "TXT",
            "TTL": record_set.ttl_s,
            "ResourceRecords": [{"Value": record_set.values[0]}],
        },
    )


def change(stage: PlannerStage, action: str, record_set: dict[str, object]) -> None:
    """Change the zone by hand."""
    route53 = boto3.client("route53", endpoint_url=stage.stand_in.endpoint_url)
    batch = {"Changes": [{"Action": action, "ResourceRecordSet": record_set}]}
    route53.change_resource_record_sets(HostedZoneId=zone_of(stage), ChangeBatch=batch)


def asked_by_cleanup(stage: PlannerStage) -> dict[str, set[str]]:
    """Operations that the cleaner's key asked for, by service."""
    found: dict[str, set[str]] = {"route53": set(), "dynamodb": set()}
    for service, operation, key in stage.stand_in.call(lambda one: list(one.ledger.requests)):
        if key == CLEANER:
            found[service].add(operation)
    return found


def bodies(stage: PlannerStage) -> list[int]:
    """Generations that still have chunks."""
    dynamodb = boto3.client("dynamodb", endpoint_url=stage.stand_in.endpoint_url)
    found = dynamodb.query(
        TableName="dnsplan",
        KeyConditionExpression="pk = :p",
        ExpressionAttributeValues={":p": {"S": "plan#shop"}},
    )
    return sorted({int(item["sk"]["S"].split("#")[0]) for item in found["Items"]})


def test_cleanup_deletes_below_the_floor_and_says_why(stage: PlannerStage) -> None:
    """With keep 1 of five plans the oldest three go; each plan has its verdict; a second pass
    finds nothing to do."""
    first = stage.run("cleanup", "--json", AWS_ACCESS_KEY_ID=CLEANER)
    (zone,) = first.zones
    assert (first.code, zone["floor"], zone["deleted"]) == (0, 4, 3)
    assert {one["generation"]: one["kept_because"] for one in zone["plans"]} == {
        1: [],
        2: [],
        3: [],
        4: ["within_keep"],
        5: ["head", "claimed", "applied", "last_known_good", "live"],
    }
    assert bodies(stage) == [4, 5]
    second = stage.run("cleanup", AWS_ACCESS_KEY_ID=CLEANER)
    assert (second.code, second.out.splitlines()[0]) == (0, "shop floor 4, 0 plans deleted")
    assert second.out.count("deleted before by cleanup") == 3


def test_cleanup_asks_route53_for_one_record_and_writes_nothing_there(
    stage: PlannerStage,
) -> None:
    """All it asks of Route 53 is a listing, and of DynamoDB nothing but its own items."""
    stage.run("cleanup", AWS_ACCESS_KEY_ID=CLEANER)
    asked = asked_by_cleanup(stage)
    assert asked["route53"] == {"ListResourceRecordSets"}
    allowed = {"DescribeTable", "GetItem", "Query", "UpdateItem", "DeleteItem"}
    assert asked["dynamodb"] <= allowed


def test_cleanup_refuses_without_a_fence(stage: PlannerStage) -> None:
    """A zone whose fence is gone: nothing is deleted, exit 3, and the command to look further."""
    listed = boto3.client("route53", endpoint_url=stage.stand_in.endpoint_url)
    sets = listed.list_resource_record_sets(HostedZoneId=zone_of(stage))["ResourceRecordSets"]
    (fence,) = [one for one in sets if one["Type"] == "TXT"]
    change(stage, "DELETE", fence)
    ended = stage.run("cleanup")
    assert ended.code == 3
    assert "held (fence_missing)" in ended.out
    assert "next: dns-runbook adopt shop" in ended.out
    assert bodies(stage) == [1, 2, 3, 4, 5]


def test_cleanup_refuses_a_foreign_fence(stage: PlannerStage) -> None:
    """A zone that another deployment holds tells nothing about our plans."""
    set_fence(stage, 5, owner="f" * 32)
    ended = stage.run("cleanup")
    assert (ended.code, bodies(stage)) == (3, [1, 2, 3, 4, 5])
    assert "held (foreign_owner)" in ended.out


def test_an_older_fence_keeps_what_it_names(stage: PlannerStage) -> None:
    """A zone that Route 53 threw back keeps the plan that it holds."""
    set_fence(stage, 2)
    (zone,) = stage.run("cleanup", "--json").zones
    assert (zone["floor"], bodies(stage)) == (2, [2, 3, 4, 5])


def test_the_daemon_goes_on_cleaning(stage: PlannerStage) -> None:
    """Each interval is a pass; new plans make old ones deletable; SIGTERM ends it with 0."""
    with stage.daemon("cleanup", "--daemon") as cleanup:
        (first, *_) = cleanup.wait_for("plans_cleaned")
        assert (first["floor"], first["deleted"]) == (4, 3)
        zone_id = zone_of(stage).removeprefix("/hostedzone/")
        asyncio.run(published(1, zone_id=zone_id))
        set_fence(stage, 6)
        (_, second) = cleanup.wait_for("plans_cleaned", count=2)
        assert (second["floor"], second["deleted"]) == (5, 1)
        assert cleanup.stop() == 0
    assert bodies(stage) == [5, 6]
