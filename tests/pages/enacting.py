"""The enactors of all AZs for as long as something comes of them: their own daemons, wired as their
own command wires them, on a clock that goes on by itself when they wait."""

import os
from collections.abc import Sequence
from contextlib import AsyncExitStack
from pathlib import Path

from dnsplan.runtime.archive import DynamoPlanArchive
from dnsplan.runtime.aws import AwsClients
from dnsplan.runtime.bucket import TokenBucket, share_of_account
from dnsplan.runtime.clock import SystemJitter
from dnsplan.runtime.config import load
from dnsplan.runtime.config.schema import Settings
from dnsplan.runtime.keys import keyring_of, vouched
from dnsplan.runtime.presence import DynamoPresenceBoard
from dnsplan.runtime.retry import RetryBudget, Retrying
from dnsplan.runtime.table import DynamoGenerationTable
from dnsplan.runtime.zones import ZoneFinder
from enactor.adapters.exceptions import DynamoExceptionsLog
from enactor.adapters.plan_files import DiskPlanFiles
from enactor.adapters.route53 import Route53Records
from enactor.daemon import EnactorDaemon
from enactor.keeping import Keeping
from enactor.ports import Outside
from enactor.roster import Roster
from enactor.settings import Pace
from tests.integration.aws_stage import QuickClock

# Enough for a fence check and an audit of each AZ, at two seconds a pass.
PASSES = 8
PASS_S = 2.0


class EarlierClock(QuickClock):
    """A clock that a machine had some time ago."""

    def __init__(self, ago_s: int) -> None:
        """Zero is now."""
        self._ago_s = ago_s

    def now_s(self) -> float:
        """The time that it was."""
        return super().now_s() - self._ago_s


class EarlyJitter(SystemJitter):
    """Whatever is due some time soon is due at once, so that a run is like the one before."""

    def uniform(self, low: float, _high: float) -> float:
        """The soonest."""
        return low


async def enact(config: Path, azs: Sequence[str], *, ago_s: int = 0) -> None:
    """Passes of these AZs' enactors, some time ago; the good plans are kept at the end."""
    settings = load(config, os.environ).settings
    clients, clock, jitter = AwsClients(), EarlierClock(ago_s), EarlyJitter()
    bucket = TokenBucket(clock, share_of_account(settings.account_requests_per_s, len(azs)))
    retrying = Retrying(clock, jitter, budget=RetryBudget(), bucket=bucket)
    async with AsyncExitStack() as stack:
        dynamodb = await stack.enter_async_context(clients.open("dynamodb"))
        route53 = await stack.enter_async_context(
            clients.open_by_label("route53", dict.fromkeys(settings.zones))
        )
        outside = Outside(
            table=DynamoGenerationTable(dynamodb, settings.table, retrying),
            archive=vouched(
                DynamoPlanArchive(dynamodb, settings.table, retrying), settings.signing, None
            ),
            keyring=keyring_of(settings.signing),
            records=Route53Records(route53, retrying=retrying, bucket=bucket),
            exceptions=DynamoExceptionsLog(dynamodb, settings.table, retrying=retrying),
            clock=clock,
            jitter=jitter,
        )
        board = DynamoPresenceBoard(dynamodb, settings.table, retrying=retrying)
        daemons = [
            EnactorDaemon(outside, board, az=az, azs=settings.azs, pace=pace_of(settings))
            for az in azs
        ]
        for daemon in daemons:
            await Roster(settings, ZoneFinder(route53, retrying), daemon).run_once()
        for _ in range(PASSES):
            for daemon in daemons:
                await daemon.run_once()
            for daemon in daemons:
                await daemon.finish()
            await clock.sleep(PASS_S)
        files = DiskPlanFiles(Path(settings.state_dir))
        await Keeping(outside.table, outside.archive, files, tuple(settings.zones)).run_once()


def pace_of(settings: Settings) -> Pace:
    """The pace that the config states."""
    return Pace(
        interval_s=settings.enactor.interval_s,
        fence_check_s=settings.enactor.fence_check_s,
        stagger_s=settings.enactor.stagger_s,
        requests_per_s=100.0,
        audit_s=settings.enactor.audit_s,
    )
