"""Opens what one enactor works with: clients, adapters, its share of the requests, its pages.

The one place where an enactor's adapters are named.
"""

from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import structlog

from dnsplan.ports import Clock
from dnsplan.runtime.archive import DynamoPlanArchive
from dnsplan.runtime.aws import AwsClients, ClientsByLabel
from dnsplan.runtime.bucket import TokenBucket, share_of_account
from dnsplan.runtime.clock import SystemClock, SystemJitter
from dnsplan.runtime.config.schema import Settings
from dnsplan.runtime.keys import keyring_of, vouched
from dnsplan.runtime.paging.opening import Paging, Who, open_paging
from dnsplan.runtime.presence import DynamoPresenceBoard
from dnsplan.runtime.retry import RetryBudget, Retrying
from dnsplan.runtime.table import DynamoGenerationTable
from dnsplan.runtime.zones import ZoneFinder
from enactor.adapters.exceptions import DynamoExceptionsLog
from enactor.adapters.quotas import Route53Quotas
from enactor.adapters.route53 import Route53Records
from enactor.alarming import Alarming, Post
from enactor.daemon import EnactorDaemon
from enactor.ports import Outside
from enactor.report import batch_log
from enactor.roster import Roster
from enactor.rules.causes import Patience
from enactor.settings import Pace


@dataclass(frozen=True, slots=True)
class Wired:
    """One enactor with its adapters open."""

    outside: Outside
    board: DynamoPresenceBoard
    finder: ZoneFinder
    pace: Pace
    bucket: TokenBucket
    budget: RetryBudget
    route53: ClientsByLabel


@asynccontextmanager
async def wired_enactor(settings: Settings, *, az: str) -> AsyncIterator[Wired]:
    """One enactor, for as long as the block lasts."""
    clock, jitter, clients = SystemClock(), SystemJitter(), AwsClients()
    share = share_of_account(settings.account_requests_per_s, len(settings.azs))
    bucket = TokenBucket(clock, share)
    budget = RetryBudget()
    paced = Retrying(clock, jitter, budget=budget, bucket=bucket)
    unpaced = Retrying(clock, jitter, budget=budget)
    async with AsyncExitStack() as stack:
        dynamodb = await stack.enter_async_context(clients.open("dynamodb"))
        roles = {label: entry.role_arn for label, entry in settings.zones.items()}
        route53 = await stack.enter_async_context(clients.open_by_label("route53", roles))
        yield Wired(
            outside=Outside(
                table=DynamoGenerationTable(dynamodb, settings.table, unpaced),
                archive=vouched(
                    DynamoPlanArchive(dynamodb, settings.table, unpaced), settings.signing, None
                ),
                keyring=keyring_of(settings.signing),
                records=Route53Records(route53, retrying=paced, bucket=bucket),
                exceptions=DynamoExceptionsLog(dynamodb, settings.table, retrying=unpaced),
                clock=clock,
                jitter=jitter,
                quotas=Route53Quotas(route53, retrying=paced),
                heard=batch_log(structlog.get_logger("enactor").bind(az=az)),
            ),
            board=DynamoPresenceBoard(dynamodb, settings.table, retrying=unpaced),
            finder=ZoneFinder(route53, paced),
            pace=Pace(
                interval_s=settings.enactor.interval_s,
                fence_check_s=settings.enactor.fence_check_s,
                stagger_s=settings.enactor.stagger_s,
                requests_per_s=share.per_s,
                audit_s=settings.enactor.audit_s,
            ),
            bucket=bucket,
            budget=budget,
            route53=route53,
        )


async def wired_paging(
    settings: Settings, environ: Mapping[str, str], clock: Clock, *, az: str, state_dir: Path
) -> Paging:
    """Where this enactor's pages go."""
    who = Who(f"enactor-{az}", az, state_dir)
    return await open_paging(settings, who, environ, clock, heartbeat=settings.enactor.heartbeat)


def alarming_for(
    settings: Settings,
    wired: Wired,
    paging: Paging,
    daemon: EnactorDaemon,
    roster: Roster,
    *,
    az: str,
) -> Alarming:
    """What this enactor pages; each pass that ends well is a heartbeat's."""
    made = Alarming(
        daemon,
        paging.pager,
        wired.outside.clock,
        post=Post(az, settings.azs, wired.pace.peer_silent_s),
        patience=Patience(settings.paging.held_s, settings.paging.lag_s),
        unfound=roster.unfound,
    )
    if paging.beat is not None:
        made.on_pass = paging.beat.done
    return made
