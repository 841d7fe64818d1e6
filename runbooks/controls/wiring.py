"""Opens what the controls need: table, archive, audit log, and Route 53 with each zone's role."""

from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass

from dnsplan.errors import DnsplanError
from dnsplan.ports import Zone
from dnsplan.runtime.archive import DynamoPlanArchive
from dnsplan.runtime.aws import AwsClients
from dnsplan.runtime.bucket import TokenBucket, share_of_account
from dnsplan.runtime.clock import SystemClock, SystemJitter
from dnsplan.runtime.config.schema import Settings
from dnsplan.runtime.retry import RetryBudget, Retrying
from dnsplan.runtime.table import DynamoGenerationTable
from dnsplan.runtime.zones import ZoneFinder
from enactor.adapters.exceptions import DynamoExceptionsLog
from enactor.adapters.route53 import Route53Records
from enactor.ports import ExceptionsLog
from runbooks.controls.audit_log import DynamoAuditLog
from runbooks.controls.outside import Outside


class ZoneNotFound(DnsplanError):
    """A label has no hosted zone; the text says why."""


@dataclass(frozen=True, slots=True)
class Desk:
    """An operator's place: the ports, and the zones that were asked for."""

    outside: Outside
    exceptions: ExceptionsLog
    zones: Mapping[str, Zone]


@asynccontextmanager
async def open_desk(settings: Settings, labels: tuple[str, ...]) -> AsyncIterator[Desk]:
    """Open everything for some zones; ZoneNotFound when one of them is not there."""
    clock, jitter, clients = SystemClock(), SystemJitter(), AwsClients()
    # An operator's few requests come out of one more share beside the AZs'.
    share = share_of_account(settings.account_requests_per_s, len(settings.azs) + 1)
    bucket, budget = TokenBucket(clock, share), RetryBudget()
    paced = Retrying(clock, jitter, budget=budget, bucket=bucket)
    unpaced = Retrying(clock, jitter, budget=budget)
    entries = {label: settings.zones[label] for label in labels}
    async with AsyncExitStack() as stack:
        dynamodb = await stack.enter_async_context(clients.open("dynamodb"))
        roles = {label: entry.role_arn for label, entry in entries.items()}
        route53 = await stack.enter_async_context(clients.open_by_label("route53", roles))
        found = await ZoneFinder(route53, paced).find_all(entries)
        if found.problems:
            raise ZoneNotFound("\n".join(map(str, found.problems)))
        outside = Outside(
            table=DynamoGenerationTable(dynamodb, settings.table, unpaced),
            archive=DynamoPlanArchive(dynamodb, settings.table, unpaced),
            records=Route53Records(route53, retrying=paced, bucket=bucket),
            audit=DynamoAuditLog(dynamodb, settings.table, unpaced, jitter),
            clock=clock,
            jitter=jitter,
        )
        exceptions = DynamoExceptionsLog(dynamodb, settings.table, retrying=unpaced)
        yield Desk(outside, exceptions, found.zones)
