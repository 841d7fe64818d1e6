"""Why the stand-in is not plain moto: moto lets an old batch through, so it cannot show a fence.

The same enactor code and the same delay against both; Route 53 itself does as the stand-in does.
"""

import asyncio
import os
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from moto.server import ThreadedMotoServer

from dnsplan.fence import NoFence, SeenFence
from dnsplan.names import Name, parse_name
from dnsplan.outcomes import SubmitOutcome
from dnsplan.ports import Zone
from dnsplan.records import RecordSet
from dnsplan.runtime.archive import DynamoPlanArchive
from dnsplan.runtime.aws import AwsClients
from dnsplan.runtime.bucket import BucketRate, TokenBucket
from dnsplan.runtime.clock import SystemJitter
from dnsplan.runtime.retry import RetryBudget, Retrying
from dnsplan.runtime.table import DynamoGenerationTable, create_table
from enactor.adapters.exceptions import DynamoExceptionsLog
from enactor.adapters.route53 import Route53Records
from enactor.ports import ChangeStatus, Cursor, Page, ZoneRecords
from enactor.rules.outcomes import Applied, Fenced
from enactor.rules.packing import ChangeBatch
from enactor.settings import ZoneTask
from sandbox.aws.threaded import serve_in_thread
from tests.fakes.world import LIMITS, Stage, a
from tests.integration.aws_stage import TABLE, QuickClock

WITHIN_S = 30.0


class Door(ZoneRecords):
    """The real adapter, behind a door that one writer's next batch must wait at."""

    def __init__(self, records: ZoneRecords) -> None:
        """The door is open."""
        self._records = records
        self.open = asyncio.Event()
        self.open.set()
        self.reached = asyncio.Event()

    async def submit(self, zone: Zone, batch: ChangeBatch) -> SubmitOutcome:
        """Send a batch, once the door is open."""
        self.reached.set()
        await self.open.wait()
        return await self._records.submit(zone, batch)

    async def read_fence(self, zone: Zone) -> SeenFence | NoFence:
        """As it is."""
        return await self._records.read_fence(zone)

    async def list_page(self, zone: Zone, start: Cursor | None) -> Page:
        """As it is."""
        return await self._records.list_page(zone, start)

    async def list_name(self, zone: Zone, name: Name) -> tuple[RecordSet, ...]:
        """As it is."""
        return await self._records.list_name(zone, name)

    async def change_status(self, zone: Zone, change_id: str) -> ChangeStatus:
        """As it is."""
        return await self._records.change_status(zone, change_id)


@pytest.fixture
def moto_url() -> Iterator[str]:
    """Plain moto, as it is released."""
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    yield f"http://{host}:{port}"
    server.stop()


@pytest.fixture
def stand_in_url() -> Iterator[str]:
    """The stand-in."""
    with serve_in_thread() as running:
        yield running.endpoint_url


@asynccontextmanager
async def opened(url: str, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Stage]:
    """The enactor's ports on real adapters, whatever stands behind the address."""
    monkeypatch.setenv("AWS_ENDPOINT_URL", url)
    clock, jitter = QuickClock(), SystemJitter()
    bucket = TokenBucket(clock, BucketRate(per_s=10_000.0, burst=10_000, least_per_s=100.0))
    retrying = Retrying(clock, jitter, budget=RetryBudget())
    clients = AwsClients()
    async with clients.open("route53") as route53, clients.open("dynamodb") as dynamodb:
        name = f"{os.urandom(4).hex()}.example.com."  # moto's zones are the whole process's
        made: Any = await route53.create_hosted_zone(Name=name, CallerReference=name)
        await create_table(dynamodb, TABLE, clock=clock, jitter=jitter, retrying=retrying)
        stage = Stage()
        stage.clock = clock
        stage.table = DynamoGenerationTable(dynamodb, TABLE, retrying)
        stage.archive = DynamoPlanArchive(dynamodb, TABLE, retrying)
        stage.exceptions = DynamoExceptionsLog(dynamodb, TABLE, retrying=retrying)
        stage.records = Route53Records({stage.label: route53}, retrying=retrying, bucket=bucket)
        zone_id = made["HostedZone"]["Id"].removeprefix("/hostedzone/")
        stage.zone = Zone(stage.label, zone_id, parse_name(name))
        stage.task = ZoneTask(stage.zone, observe=False, repair_drift=True, limits=LIMITS)
        yield stage


async def late_batch(stage: Stage) -> tuple[object, int, tuple[str, ...]]:
    """What the delayed enactor makes of it, the fence's generation, and what the name holds."""
    name = f"www.{stage.zone.name}"
    b = stage.az("b")
    door = Door(stage.records)
    stage.records, records = door, stage.records
    delayed = stage.az("a")
    stage.records = records
    await stage.publish(a(name, "192.0.2.1"))
    await stage.enact(b)
    await stage.publish(a(name, "192.0.2.2"))
    door.open.clear()
    late = asyncio.create_task(stage.enact(delayed))
    await door.reached.wait()
    for values in (("192.0.2.3",), ("192.0.2.1",)):
        await stage.publish(a(name, *values))
        await stage.enact(b)
    door.open.set()
    outcome = await late
    seen = await stage.records.read_fence(stage.zone)
    assert isinstance(seen, SeenFence)
    (www,) = await stage.records.list_name(stage.zone, parse_name(name))
    return outcome, seen.record.generation, www.values


async def test_route_53_as_the_stand_in_knows_it_refuses_the_late_batch(
    stand_in_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The newest plan stays, and the delayed enactor knows that it was overtaken."""
    async with asyncio.timeout(WITHIN_S), opened(stand_in_url, monkeypatch) as stage:
        outcome, generation, values = await late_batch(stage)
    assert (outcome, generation, values) == (
        Fenced("1 1/1 by b", "4 1/1 by b"),
        4,
        ("192.0.2.1",),
    )


async def test_plain_moto_lets_the_late_batch_through(
    moto_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The old plan is live again, and the enactor thinks it well: moto deletes what is not there.

    When this fails, moto has learned to compare; the stand-in's own judge may then be simpler.
    """
    async with asyncio.timeout(WITHIN_S), opened(moto_url, monkeypatch) as stage:
        outcome, generation, values = await late_batch(stage)
    assert isinstance(outcome, Applied)
    assert (outcome.generation, generation, values) == (2, 2, ("192.0.2.2",))
