"""Opens what preflight reads, a client at a time: one that cannot be opened hides nothing else.

It reads and tries; what it finds is judged elsewhere.
"""

import asyncio
from contextlib import AsyncExitStack
from typing import Any

from dnsplan.names import parse_name
from dnsplan.ports import Zone
from dnsplan.runtime.aws import AwsClients, CallBounds
from dnsplan.runtime.bucket import TokenBucket, share_of_account
from dnsplan.runtime.clock import SystemClock, SystemJitter
from dnsplan.runtime.config.schema import Settings
from dnsplan.runtime.retry import RetryBudget, Retrying, RetryPolicy
from dnsplan.runtime.table import DynamoGenerationTable
from dnsplan.runtime.zones import ZoneFinder, ZoneProblem
from runbooks.preflight.calls import table_calls, zone_calls
from runbooks.preflight.facts import Caller, Facts, Read, TableFacts, Unseen, ZoneFacts
from runbooks.preflight.reading import (
    ZoneReader,
    host_of_client,
    read_caller,
    read_table,
    seen,
)
from runbooks.preflight.trials import Ground, Target
from runbooks.record_names.rules import written_names, written_types

# A part out of reach must not make a person wait: one more try, and short ones.
BOUNDS = CallBounds(connect_timeout_s=3.0, read_timeout_s=8.0)
POLICY = RetryPolicy(tries_max=2, elapsed_s_max=8.0)


class Look:
    """One look, over clients that live as long as its stack."""

    def __init__(
        self,
        settings: Settings,
        labels: tuple[str, ...],
        stack: AsyncExitStack,
        *,
        resolver: tuple[str, int] | None,
    ) -> None:
        """Nothing is opened yet. `resolver` None: this host's."""
        self._stack = stack
        self._settings = settings
        self._labels = labels
        self._resolver = resolver
        self._clock, self._jitter = SystemClock(), SystemJitter()
        self._aws = AwsClients(bounds=BOUNDS)
        share = share_of_account(settings.account_requests_per_s, len(settings.azs) + 1)
        self._paced = self._retrying(TokenBucket(self._clock, share))
        self._open: dict[str, Any] = {}

    async def facts(self) -> Facts:
        """Everything, each side at the same time as the others."""
        caller, table, zones = await asyncio.gather(self.caller(), self._table(), self._zones())
        endpoints = {service: host_of_client(client) for service, client in self._open.items()}
        return Facts(caller, table, zones, endpoints)

    async def ground(self, role: str) -> Ground | Unseen:
        """What a role is tried on: found by what the role itself may ask."""
        dynamodb: Any = None
        if table_calls(role):
            dynamodb = await seen(self._opened("dynamodb"))
            if isinstance(dynamodb, Unseen):
                return dynamodb
        targets: dict[str, Target | Unseen | ZoneProblem] = {}
        for label in self._labels if zone_calls(role) else ():
            targets[label] = await self._target(label, dynamodb)
        return Ground(dynamodb, self._settings.table, targets, self._paced, self._jitter)

    async def _target(self, label: str, dynamodb: Any) -> Target | Unseen | ZoneProblem:
        entry = self._settings.zones[label]
        names, types = written_names(entry), written_types(entry)
        client = await seen(self._opened("route53", entry.role_arn))
        if isinstance(client, Unseen):
            return client
        zone_id = entry.id or await self._bound(label, dynamodb)
        if zone_id is not None:
            zone = Zone(label, zone_id, parse_name(entry.name))
            return Target(client, zone, names, types)
        found = await seen(ZoneFinder({label: client}, self._paced).find(label, entry))
        return Target(client, found, names, types) if isinstance(found, Zone) else found

    async def _bound(self, label: str, dynamodb: Any) -> str | None:
        """The zone that the label's item is bound to: cleanup may look up none by name."""
        if dynamodb is None:
            return None
        table = DynamoGenerationTable(dynamodb, self._settings.table, self._retrying(None))
        found = await seen(table.read((label,)))
        if isinstance(found, Unseen) or label not in found:
            return None
        return found[label].zone_id

    async def caller(self) -> Read[Caller]:
        """Whose credentials."""
        opened = await seen(self._opened("sts"))
        if isinstance(opened, Unseen):
            return opened
        return await seen(read_caller(opened, self._retrying(None), self._clock))

    async def _table(self) -> TableFacts:
        opened = await seen(self._opened("dynamodb"))
        if isinstance(opened, Unseen):
            return TableFacts(opened, opened, opened)
        return await read_table(opened, self._settings.table, self._labels, self._retrying(None))

    async def _zones(self) -> dict[str, Read[ZoneFacts | ZoneProblem]]:
        found: dict[str, Read[ZoneFacts | ZoneProblem]] = {}
        for label in self._labels:
            entry = self._settings.zones[label]
            opened = await seen(self._opened("route53", entry.role_arn))
            if isinstance(opened, Unseen):
                found[label] = opened
                continue
            reader = ZoneReader({label: opened}, self._paced, self._resolver)
            found[label] = await seen(reader.read(label, entry))
        return found

    async def _opened(self, service: str, role_arn: str | None = None) -> Any:
        key = service if role_arn is None else f"{service} ({role_arn})"
        if key not in self._open:
            opening = self._aws.open(service, role_arn=role_arn)
            self._open[key] = await self._stack.enter_async_context(opening)
        return self._open[key]

    def _retrying(self, bucket: TokenBucket | None) -> Retrying:
        budget = RetryBudget()
        return Retrying(self._clock, self._jitter, budget=budget, policy=POLICY, bucket=bucket)
