"""Opens what every command of the sentinel looks with: sockets, name servers, the control API.

Without the control API or a resolver it still works as far as it can; each is said when it is
missing, and none ends the process.
"""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import structlog

from dnsplan.errors import ReadFailed
from dnsplan.runtime.aws import AwsClients
from dnsplan.runtime.bucket import BucketRate, TokenBucket
from dnsplan.runtime.clock import SystemClock, SystemJitter
from dnsplan.runtime.config import Settings
from dnsplan.runtime.retry import RetryBudget, Retrying, RetryPolicy
from sentinel.adapters.finding import ZoneServers, host_resolver
from sentinel.adapters.resolver import SocketAsker
from sentinel.looking import Looker
from sentinel.rules.pace import Pace, pace_for
from sentinel.second_opinion import SecondOpinion
from sentinel.servers import ServerBook
from sentinel.settings import Watching

if TYPE_CHECKING:
    from sentinel.adapters.route53 import Route53View

# The sentinel is no sharer of the account's rate: it takes a tenth, and less when AWS throttles.
CONTROL_SHARE = 0.1
CONTROL_BURST = 4
# A check of two dangling aliases needs some five requests, at half a request a second.
PATIENCE_S = 30.0


@dataclass(frozen=True, slots=True)
class Opened:
    """What both commands use."""

    asker: SocketAsker
    looker: Looker
    book: ServerBook
    second: SecondOpinion
    clock: SystemClock
    pace: Pace
    # Of the control API, whether it is used or not.
    bucket: TokenBucket
    budget: RetryBudget


@asynccontextmanager
async def opened_means(
    settings: Settings, watching: Watching, *, is_patient: bool = False
) -> AsyncIterator[Opened]:
    """For as long as the block lasts. `is_patient`: for somebody who waits for the control API's
    word, and not for a page."""
    clock, jitter = SystemClock(), SystemJitter()
    pace = pace_for(settings.sentinel.page_within_s)
    opinion_s = max(pace.page_within_s, PATIENCE_S) if is_patient else pace.ask_s
    async with AsyncExitStack() as stack:
        asker = SocketAsker(clock, jitter)
        stack.push_async_callback(asker.close)
        per_s = settings.account_requests_per_s * CONTROL_SHARE
        rate = BucketRate(per_s=per_s, burst=CONTROL_BURST, least_per_s=per_s / 8)
        bucket, budget = TokenBucket(clock, rate), RetryBudget()
        # Nobody waits for a second try here: the next name, or the next round, asks anew.
        once = RetryPolicy(tries_max=1)
        retrying = Retrying(clock, jitter, budget=budget, policy=once, bucket=bucket)
        view = None
        if settings.sentinel.control_api:
            view = await _control_view(stack, watching, retrying, bucket, is_patient=is_patient)
        servers = ZoneServers(
            watching.zones, watching.stated, delegations=view, resolver=host_resolver()
        )
        yield Opened(
            asker=asker,
            looker=Looker(asker, clock, ask_s=pace.ask_s),
            book=ServerBook(watching.zones, servers, clock, interval_s=pace.interval_s),
            second=SecondOpinion(view, clock, ask_s=opinion_s),
            clock=clock,
            pace=pace,
            bucket=bucket,
            budget=budget,
        )


async def _control_view(
    stack: AsyncExitStack,
    watching: Watching,
    retrying: Retrying,
    bucket: TokenBucket,
    *,
    is_patient: bool,
) -> "Route53View | None":
    """The control API's reader, or None when a client cannot open."""
    from sentinel.adapters.route53 import Route53View

    role_arns = {label: zone.role_arn for label, zone in watching.zones.items()}
    try:
        clients = await stack.enter_async_context(AwsClients().open_by_label("route53", role_arns))
    except ReadFailed as error:
        log = structlog.get_logger("sentinel")
        log.warning("control_api_not_used", reason=str(error))
        return None
    return Route53View(
        clients, watching.zones, retrying=retrying, bucket=bucket, is_patient=is_patient
    )
