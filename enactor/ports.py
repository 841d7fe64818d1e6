"""What the enactor needs of Route 53 and of its own notes, in our words."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from enum import Enum
from typing import Protocol

from msgspec import Struct

from dnsplan.fence import NoFence, SeenFence
from dnsplan.formats.planfile import PlanFile
from dnsplan.names import Name
from dnsplan.outcomes import SubmitOutcome
from dnsplan.plan import Generation
from dnsplan.ports import Clock, GenerationTable, Jitter, PlanArchive, Zone
from dnsplan.records import RecordSet
from dnsplan.vouch import UNCHECKED, Keyring
from enactor.rules.exceptions import ExceptionsRow
from enactor.rules.packing import ChangeBatch
from enactor.rules.quota import ZoneQuota


class Cursor(Struct, frozen=True):
    """Where a listing goes on: at this record set, or the first after it."""

    name: Name
    type: str | None = None
    set_id: str | None = None


class Page(Struct, frozen=True):
    """Up to 300 record sets in Route 53's order, and where the next page starts (None: the end)."""

    record_sets: tuple[RecordSet, ...]
    following: Cursor | None


class ChangeStatus(Enum):
    """What the control API says of an accepted change. LOST: it knows no such change."""

    PENDING = "pending"
    IN_SYNC = "in_sync"
    LOST = "lost"


class ZoneRecords(Protocol):
    """One hosted zone's record sets. Reads raise ReadFailed; nothing here retries a write."""

    async def read_fence(self, zone: Zone) -> SeenFence | NoFence:
        """The fence as the control API shows it now, in one small request; or FenceDamaged."""
        ...

    async def list_page(self, zone: Zone, start: Cursor | None) -> Page:
        """One page of the zone."""
        ...

    async def list_name(self, zone: Zone, name: Name) -> tuple[RecordSet, ...]:
        """Every record set of one name."""
        ...

    async def submit(self, zone: Zone, batch: ChangeBatch) -> SubmitOutcome:
        """Send a batch once."""
        ...

    async def change_status(self, zone: Zone, change_id: str) -> ChangeStatus:
        """How far an accepted change has come."""
        ...


class ExceptionsLog(Protocol):
    """Notes of held names; a missing or short note means that the zone is listed instead."""

    async def note(self, row: ExceptionsRow) -> None:
        """Keep a row, before the fence that counts its names is sent."""
        ...

    async def find(self, label: str, generation: Generation, nonce: str) -> ExceptionsRow | None:
        """The row of one fence value."""
        ...

    async def newest(self, label: str) -> Sequence[ExceptionsRow]:
        """The last few rows of a zone, for people."""
        ...


class PlanFiles(Protocol):
    """The last good plans outside of all tables, for people."""

    async def newest(self, label: str) -> Generation:
        """The newest generation that is kept of a zone, 0 if none is."""
        ...

    async def keep(self, file: PlanFile) -> None:
        """Keep a plan and let the oldest go, or a DnsplanError that says why not."""
        ...


class ZoneQuotas(Protocol):
    """How much room a hosted zone has."""

    async def quota(self, zone: Zone) -> ZoneQuota:
        """Count and limit of its record sets, or ReadFailed."""
        ...


class RequestLine(Protocol):
    """The line in which requests to Route 53 wait for their turn."""

    def has_spare(self) -> bool:
        """Whether a request that can wait would make none wait that cannot."""
        ...

    def patiently(self) -> AbstractContextManager[None]:
        """Requests that are made in here wait for that, within bounds."""
        ...


class NoLine:
    """Where nothing limits requests."""

    def has_spare(self) -> bool:
        """Always."""
        return True

    def patiently(self) -> AbstractContextManager[None]:
        """There is nobody to let pass."""
        return nullcontext()


@dataclass(frozen=True, slots=True, kw_only=True)
class ZoneReach:
    """What seeing and changing a zone reaches: no table, no archive.

    `heard` is told of each batch that was sent and of the answer to it.
    """

    records: ZoneRecords
    exceptions: ExceptionsLog
    clock: Clock
    jitter: Jitter
    heard: Callable[[Zone, ChangeBatch, SubmitOutcome], None] = lambda *_: None


@dataclass(frozen=True, slots=True, kw_only=True)
class Outside(ZoneReach):
    """Everything outside one enactor that its cycle reaches.

    Without `quotas` no plan is refused for want of room; Route 53 judges each batch anyway. The
    `archive` judges plans by the keys of the `keyring`, by which pins are judged too.
    """

    table: GenerationTable
    archive: PlanArchive
    quotas: ZoneQuotas | None = None
    keyring: Keyring = UNCHECKED
