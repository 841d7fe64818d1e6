"""Opens what the controls need: table, archive, audit log, and Route 53 with each zone's role.

The table's side opens without Route 53, since a freeze must reach the table when nothing else can
be reached.
"""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass

from dnsplan.errors import DnsplanError
from dnsplan.generation import GenerationItem
from dnsplan.names import parse_name
from dnsplan.ports import PresenceBoard, Zone
from dnsplan.runtime.archive import DynamoPlanArchive
from dnsplan.runtime.aws import AwsClients
from dnsplan.runtime.bucket import TokenBucket, share_of_account
from dnsplan.runtime.clock import SystemClock, SystemJitter
from dnsplan.runtime.config.schema import Settings, ZoneEntry
from dnsplan.runtime.keys import vouched
from dnsplan.runtime.presence import DynamoPresenceBoard
from dnsplan.runtime.retry import RetryBudget, Retrying
from dnsplan.runtime.table import DynamoGenerationTable
from dnsplan.runtime.zones import ZoneFinder
from dnsplan.vouch import Signer
from enactor.adapters.exceptions import DynamoExceptionsLog
from enactor.adapters.route53 import Route53Records
from enactor.ports import ExceptionsLog
from planner.rules.candidate import ZoneWish
from planner.settings import planner_settings
from runbooks.controls.audit_log import DynamoAuditLog, SaidAuditLog
from runbooks.controls.outside import Outside, TableSide
from runbooks.controls.telling import tell


class ZoneNotFound(DnsplanError):
    """A label has no hosted zone; the text says why."""


@dataclass(frozen=True, slots=True)
class Tables:
    """What stands in DynamoDB."""

    side: TableSide
    exceptions: ExceptionsLog
    presence: PresenceBoard


@dataclass(frozen=True, slots=True)
class Route53Side:
    """Route 53, and where each label's zone is."""

    records: Route53Records
    finder: ZoneFinder
    entries: Mapping[str, ZoneEntry]

    async def zone_of(self, item: GenerationItem) -> Zone:
        """The zone that a label is bound to, else the one that the config means."""
        if item.zone_id is not None:
            return Zone(item.label, item.zone_id, parse_name(self.entries[item.label].name))
        return await self.find(item.label)

    async def find(self, label: str) -> Zone:
        """The zone that the config means; looked up by its name where it gives no id."""
        entry = self.entries[label]
        if entry.id is not None:
            return Zone(label, entry.id, parse_name(entry.name))
        found = await self.finder.find(label, entry)
        if not isinstance(found, Zone):
            raise ZoneNotFound(str(found))
        return found


@dataclass(frozen=True, slots=True)
class Desk:
    """An operator's place: the config, the ports, and the zones that were asked for."""

    settings: Settings
    outside: Outside
    exceptions: ExceptionsLog
    zones: Mapping[str, Zone]

    def wish(self, label: str) -> ZoneWish:
        """What the config wants of a zone, as the planner reads it."""
        return next(one for one in planner_settings(self.settings).wishes if one.label == label)


@asynccontextmanager
async def open_desk(
    settings: Settings, labels: tuple[str, ...], signer: Signer | None
) -> AsyncIterator[Desk]:
    """Open everything for some zones; ZoneNotFound when one of them is not there."""
    async with open_tables(settings, signer) as tables, open_route53(settings, labels) as route53:
        found = await route53.finder.find_all(route53.entries)
        if found.problems:
            raise ZoneNotFound("\n".join(map(str, found.problems)))
        side = tables.side
        outside = Outside(
            table=side.table,
            archive=side.archive,
            records=route53.records,
            audit=side.audit,
            clock=side.clock,
            jitter=side.jitter,
        )
        yield Desk(settings, outside, tables.exceptions, found.zones)


@asynccontextmanager
async def open_tables(settings: Settings, signer: Signer | None = None) -> AsyncIterator[Tables]:
    """Open what stands in DynamoDB; `signer` signs the plans that are stored."""
    clock, jitter = SystemClock(), SystemJitter()
    retrying = Retrying(clock, jitter, budget=RetryBudget())
    async with AwsClients().open("dynamodb") as dynamodb:
        side = TableSide(
            table=DynamoGenerationTable(dynamodb, settings.table, retrying),
            archive=vouched(
                DynamoPlanArchive(dynamodb, settings.table, retrying), settings.signing, signer
            ),
            audit=SaidAuditLog(DynamoAuditLog(dynamodb, settings.table, retrying, jitter), tell),
            clock=clock,
            jitter=jitter,
        )
        yield Tables(
            side,
            DynamoExceptionsLog(dynamodb, settings.table, retrying=retrying),
            DynamoPresenceBoard(dynamodb, settings.table, retrying=retrying),
        )


@asynccontextmanager
async def open_route53(settings: Settings, labels: tuple[str, ...]) -> AsyncIterator[Route53Side]:
    """Open Route 53 for some zones; nothing is asked yet."""
    clock = SystemClock()
    # An operator's few requests come out of one more share beside the AZs'.
    share = share_of_account(settings.account_requests_per_s, len(settings.azs) + 1)
    bucket = TokenBucket(clock, share)
    retrying = Retrying(clock, SystemJitter(), budget=RetryBudget(), bucket=bucket)
    entries = {label: settings.zones[label] for label in labels}
    roles = {label: entry.role_arn for label, entry in entries.items()}
    async with AwsClients().open_by_label("route53", roles) as clients:
        records = Route53Records(clients, retrying=retrying, bucket=bucket)
        yield Route53Side(records, ZoneFinder(clients, retrying), entries)
