"""Opens what a status is read from: the table, Route 53 with each zone's role, the archive.

The one place where status meets AWS. It only reads, and takes a small share of the account's
request rate, since the daemons need the rest.
"""

from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any, TypeAlias  # Any: a client that botocore makes at run time

from dnsplan.errors import ReadFailed
from dnsplan.runtime.archive import DynamoPlanArchive
from dnsplan.runtime.aws import AwsClients
from dnsplan.runtime.bucket import BucketRate, TokenBucket
from dnsplan.runtime.clock import SystemClock, SystemJitter
from dnsplan.runtime.config.schema import Settings
from dnsplan.runtime.presence import DynamoPresenceBoard
from dnsplan.runtime.retry import RetryBudget, Retrying
from dnsplan.runtime.route53_fence import Route53FenceReader
from dnsplan.runtime.status.collect import HeldReader, Sources, ZoneAsked
from dnsplan.runtime.table import DynamoGenerationTable
from dnsplan.runtime.zones import ZoneFinder, ZoneProblem

# A fifth of the account's rate; the first ten zones come at once.
ROUTE53_SHARE = 0.2
ROUTE53_BURST = 10

OpenHeld: TypeAlias = Callable[[Any, str, Retrying], HeldReader]


@asynccontextmanager
async def open_sources(settings: Settings, open_held: OpenHeld) -> AsyncIterator[Sources]:
    """Sources on AWS for as long as the block lasts.

    `open_held` makes the reader of the enactors' notes, whose form is theirs.
    """
    clients, clock, jitter = AwsClients(), SystemClock(), SystemJitter()
    async with AsyncExitStack() as stack:
        dynamodb = await stack.enter_async_context(clients.open("dynamodb"))
        roles = {label: zone.role_arn for label, zone in settings.zones.items()}
        route53 = await stack.enter_async_context(clients.open_by_label("route53", roles))
        per_s = settings.account_requests_per_s * ROUTE53_SHARE
        rate = BucketRate(per_s=per_s, burst=ROUTE53_BURST, least_per_s=per_s / 10)
        budget = RetryBudget()
        asking = Retrying(clock, jitter, budget=budget)
        paced = Retrying(clock, jitter, budget=budget, bucket=TokenBucket(clock, rate))

        finder = ZoneFinder(route53, paced)

        async def find(zone: ZoneAsked) -> str:
            found = await finder.find(zone.label, settings.zones[zone.label])
            if isinstance(found, ZoneProblem):
                raise ReadFailed(str(found))
            return found.zone_id

        yield Sources(
            table=DynamoGenerationTable(dynamodb, settings.table, asking),
            archive=DynamoPlanArchive(dynamodb, settings.table, asking),
            fences=Route53FenceReader(route53, paced),
            presence=DynamoPresenceBoard(dynamodb, settings.table, retrying=asking),
            find_zone_id=find,
            held_names=open_held(dynamodb, settings.table, asking),
        )
