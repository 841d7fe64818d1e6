"""Reads what preflight judges: each thing on its own, in bounded time, so that one part out of
reach hides no other. It changes nothing, and the SDK's errors end here.
"""

from collections.abc import Awaitable, Callable, Mapping
from email.utils import parsedate_to_datetime
from typing import Any, TypeVar
from urllib.parse import urlsplit

from dnsplan.errors import DnsplanError, ReadFailed
from dnsplan.names import Name, parse_name
from dnsplan.ports import Clock, Zone
from dnsplan.runtime.aws_errors import AWS_TROUBLE, code_of, failed_read
from dnsplan.runtime.config.schema import ZoneEntry
from dnsplan.runtime.dynamodb import Answer
from dnsplan.runtime.retry import Retrying
from dnsplan.runtime.table import DynamoGenerationTable
from dnsplan.runtime.table_identity import replication_problem
from dnsplan.runtime.zones import ZoneFinder, ZoneProblem
from enactor.adapters.quotas import Route53Quotas
from runbooks.preflight.facts import (
    Caller,
    HostedZone,
    NegativeTtl,
    Read,
    TableFacts,
    TableShape,
    Unseen,
    ZoneFacts,
)
from runbooks.preflight.resolving import name_servers_of

Fact = TypeVar("Fact")


async def seen(read: Awaitable[Fact]) -> Read[Fact]:
    """What was read, or why it could not be."""
    try:
        return await read
    except DnsplanError as error:
        return Unseen(str(error))


async def answered(what: str, ask: Callable[[], Awaitable[Answer]], retrying: Retrying) -> Answer:
    """AWS's answer, or ReadFailed."""
    try:
        return await retrying.call(ask)
    except AWS_TROUBLE as error:
        raise failed_read(error, what) from error


async def read_caller(client: Any, retrying: Retrying, clock: Clock) -> Caller:
    """Whose credentials these are; a call that needs no permission, and shows AWS's clock."""
    answer = await answered(
        "ask whose credentials these are", lambda: client.get_caller_identity(), retrying
    )
    date = answer.get("ResponseMetadata", {}).get("HTTPHeaders", {}).get("date", "")
    return Caller(str(answer["Arn"]), _ahead_s(clock.now_s(), date))


def _ahead_s(now_s: float, date: str) -> float | None:
    try:
        return now_s - parsedate_to_datetime(date).timestamp()
    except (ValueError, TypeError):
        return None


async def read_table(
    client: Any, table: str, labels: tuple[str, ...], retrying: Retrying
) -> TableFacts:
    """The table's shape, its recovery, and the table that each zone's item was written in."""
    items = DynamoGenerationTable(client, table, retrying)

    async def incarnations() -> Mapping[str, str]:
        found = await items.read(labels)
        return {label: item.incarnation for label, item in found.items()}

    return TableFacts(
        shape=await seen(_shape(client, table, retrying)),
        recoverable=await seen(_recoverable(client, table, retrying)),
        incarnations=await seen(incarnations()),
        region=str(client.meta.region_name),
    )


async def _shape(client: Any, table: str, retrying: Retrying) -> TableShape | None:
    try:
        answer = await retrying.call(lambda: client.describe_table(TableName=table))
    except AWS_TROUBLE as error:
        if code_of(error) == "ResourceNotFoundException":
            return None
        raise failed_read(error, f"describe table {table}") from error
    described = answer["Table"]
    billing = described.get("BillingModeSummary", {}).get("BillingMode", "PROVISIONED")
    return TableShape(
        status=str(described.get("TableStatus")),
        keys=tuple(
            (one["AttributeName"], one["KeyType"]) for one in described.get("KeySchema", ())
        ),
        replication=replication_problem(answer),
        table_id=described.get("TableId"),
        protected=bool(described.get("DeletionProtectionEnabled")),
        on_demand=billing == "PAY_PER_REQUEST",
    )


async def _recoverable(client: Any, table: str, retrying: Retrying) -> bool:
    answer = await answered(
        f"read the backups of table {table}",
        lambda: client.describe_continuous_backups(TableName=table),
        retrying,
    )
    described = answer["ContinuousBackupsDescription"].get("PointInTimeRecoveryDescription", {})
    return bool(described.get("PointInTimeRecoveryStatus") == "ENABLED")


class ZoneReader:
    """Reads hosted zones, each with the client of its own account."""

    def __init__(
        self, clients: Mapping[str, Any], retrying: Retrying, resolver: tuple[str, int] | None
    ) -> None:
        """`resolver` None: this host's own."""
        self._clients = clients
        self._retrying = retrying
        self._resolver = resolver
        self._finder = ZoneFinder(clients, retrying)
        self._quotas = Route53Quotas(clients, retrying=retrying)

    async def read(self, label: str, entry: ZoneEntry) -> ZoneFacts | ZoneProblem:
        """One zone; ReadFailed when it cannot even be found."""
        zone = await self._finder.find(label, entry)
        if isinstance(zone, ZoneProblem):
            return zone
        return ZoneFacts(
            zone=zone,
            hosted=await seen(self._hosted(zone)),
            quota=await seen(self._quotas.quota(zone)),
            negative=await seen(self._negative(zone)),
            delegated=None if entry.private else await seen(self._delegated(zone.name)),
        )

    async def _hosted(self, zone: Zone) -> HostedZone:
        client = self._clients[zone.label]
        answer = await answered(
            f"read zone {zone.label}",
            lambda: client.get_hosted_zone(Id=zone.zone_id),
            self._retrying,
        )
        servers = answer.get("DelegationSet", {}).get("NameServers", ())
        recovery = answer["HostedZone"].get("Features", {}).get("AcceleratedRecoveryStatus")
        return HostedZone(tuple(map(parse_name, servers)), recovery)

    async def _negative(self, zone: Zone) -> NegativeTtl | None:
        client = self._clients[zone.label]
        answer = await answered(
            f"read the SOA of {zone.label}",
            lambda: client.list_resource_record_sets(
                HostedZoneId=zone.zone_id,
                StartRecordName=zone.name,
                StartRecordType="SOA",
                MaxItems="1",
            ),
            self._retrying,
        )
        for one in answer.get("ResourceRecordSets", ()):
            if one["Type"] == "SOA" and parse_name(one["Name"]) == zone.name:
                return _negative_ttl(zone.label, one)
        return None

    async def _delegated(self, name: Name) -> tuple[Name, ...]:
        return await name_servers_of(name, self._resolver)


def _negative_ttl(label: str, listed: Mapping[str, Any]) -> NegativeTtl:
    try:
        minimum_s = int(listed["ResourceRecords"][0]["Value"].split()[6])
        return NegativeTtl(int(listed["TTL"]), minimum_s)
    except (LookupError, ValueError) as error:
        raise ReadFailed(f"the SOA of {label} is none: {listed}") from error


def host_of_client(client: Any) -> str:
    """The host that a client talks to."""
    return urlsplit(client.meta.endpoint_url).hostname or ""
