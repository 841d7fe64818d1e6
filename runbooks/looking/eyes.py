"""Opens what looking commands read: table, archive, signs of life, Route 53. Nothing here writes.

Each side is asked on its own, so that what one of them says can be shown while another is down.
"""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TypeVar

from dnsplan.errors import DnsplanError
from dnsplan.generation import GenerationItem
from dnsplan.names import parse_name
from dnsplan.ports import Clock, GenerationTable, Jitter, PlanArchive, PresenceBoard, Zone
from dnsplan.runtime.config.schema import Settings
from dnsplan.runtime.status.model import Unread
from enactor.ports import ExceptionsLog, ZoneRecords
from runbooks.controls.outside import Mistaken
from runbooks.controls.wiring import open_route53, open_tables

Fact = TypeVar("Fact")


@dataclass(frozen=True, slots=True, kw_only=True)
class Eyes:
    """The ports that are read, and how a label's hosted zone is found."""

    table: GenerationTable
    archive: PlanArchive
    exceptions: ExceptionsLog
    presence: PresenceBoard
    records: ZoneRecords
    find_zone: Callable[[str], Awaitable[Zone]]
    clock: Clock
    jitter: Jitter

    async def item(self, label: str) -> GenerationItem | None:
        """The generation item, or None when no plan was ever published."""
        return (await self.table.read((label,))).get(label)

    async def zone(self, label: str, item: GenerationItem | None, entry_name: str) -> Zone:
        """The zone that a label is bound to, found by its name where nothing says which."""
        if item is not None and item.zone_id is not None:
            return Zone(label, item.zone_id, parse_name(entry_name))
        return await self.find_zone(label)


@asynccontextmanager
async def open_eyes(settings: Settings, labels: tuple[str, ...]) -> AsyncIterator[Eyes]:
    """Eyes for some zones of the config; nothing is asked yet."""
    async with open_tables(settings) as tables, open_route53(settings, labels) as route53:
        yield Eyes(
            table=tables.side.table,
            archive=tables.side.archive,
            exceptions=tables.exceptions,
            presence=tables.presence,
            records=route53.records,
            find_zone=route53.find,
            clock=tables.side.clock,
            jitter=tables.side.jitter,
        )


async def fact(label: str, what: str, read: Awaitable[Fact]) -> Fact | Unread:
    """What was read, or why it could not be: one side's trouble ends no look."""
    try:
        return await read
    except Mistaken:
        raise
    except DnsplanError as error:
        return Unread(label, what, str(error))
