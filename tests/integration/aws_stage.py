"""The enactor's stage on real adapters: aiobotocore over HTTP to the AWS stand-in."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from dnsplan.names import parse_name
from dnsplan.ports import Zone
from dnsplan.runtime.archive import DynamoPlanArchive
from dnsplan.runtime.aws import AwsClients
from dnsplan.runtime.bucket import BucketRate, TokenBucket
from dnsplan.runtime.clock import SystemClock, SystemJitter
from dnsplan.runtime.retry import RetryBudget, Retrying
from dnsplan.runtime.table import DynamoGenerationTable, create_table
from enactor.adapters.exceptions import DynamoExceptionsLog
from enactor.adapters.route53 import Route53Records
from enactor.settings import ZoneTask
from sandbox.aws.server import StandIn, serve
from tests.fakes.world import LIMITS, Stage

TABLE = "dnsplan"


class QuickClock(SystemClock):
    """Real time, but long waits for propagation are a moment: the stand-in needs none."""

    async def sleep(self, seconds: float) -> None:
        """Wait a moment at most."""
        self._skipped = getattr(self, "_skipped", 0.0) + max(0.0, seconds - 0.01)
        await asyncio.sleep(min(seconds, 0.01))

    def elapsed_s(self) -> float:
        """Real time plus what was skipped."""
        return super().elapsed_s() + getattr(self, "_skipped", 0.0)


class AwsStage(Stage):
    """A stage with the stand-in behind it."""

    stand_in: StandIn

    def spent(self) -> Counter[str]:
        """Route 53 requests by operation since the last reset."""
        counted: Counter[str] = Counter()
        for (service, operation, _), count in self.stand_in.ledger.requests.items():
            if service == "route53":
                counted[operation] += count
        return counted


@asynccontextmanager
async def aws_stage(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[AwsStage]:
    """One empty zone and one table on a stand-in of their own."""
    clock = QuickClock()
    async with serve() as stand_in:
        monkeypatch.setenv("AWS_ENDPOINT_URL", stand_in.endpoint_url)
        bucket = TokenBucket(clock, BucketRate(per_s=10_000.0, burst=10_000, least_per_s=100.0))
        unpaced = Retrying(clock, SystemJitter(), budget=RetryBudget())
        paced = Retrying(clock, SystemJitter(), budget=RetryBudget(), bucket=bucket)
        clients = AwsClients()
        async with clients.open("route53") as route53, clients.open("dynamodb") as dynamodb:
            made = await route53.create_hosted_zone(Name="example.com", CallerReference="1")
            await create_table(
                dynamodb, TABLE, clock=clock, jitter=SystemJitter(), retrying=unpaced
            )
            stage = AwsStage()
            stage.stand_in = stand_in
            stage.clock = clock
            stage.table = DynamoGenerationTable(dynamodb, TABLE, unpaced)
            stage.archive = DynamoPlanArchive(dynamodb, TABLE, unpaced)
            stage.exceptions = DynamoExceptionsLog(dynamodb, TABLE, retrying=unpaced)
            stage.records = Route53Records({"shop": route53}, retrying=paced, bucket=bucket)
            zone_id = made["HostedZone"]["Id"].removeprefix("/hostedzone/")
            stage.zone = Zone("shop", zone_id, parse_name("example.com"))
            stage.task = ZoneTask(stage.zone, observe=False, repair_drift=True, limits=LIMITS)
            stand_in.ledger.reset()
            yield stage
