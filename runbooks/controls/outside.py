"""What the controls reach outside themselves, and the trace they leave."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from msgspec import Struct

from dnsplan.errors import DnsplanError
from dnsplan.generation import GenerationItem
from dnsplan.ports import Clock, GenerationTable, Jitter, PlanArchive, Zone
from dnsplan.vouch import Signer
from enactor.ports import ZoneRecords


class Refused(DnsplanError):
    """A rule or the zone's state forbids it; nothing was changed. Exit code 3."""


class Mistaken(DnsplanError):
    """What was asked for makes no sense here: what was found, and what is allowed. Exit code 2."""


def expect_head(label: str, head: int, expected: int | None) -> None:
    """Refused unless the newest generation is the one that a script looked at."""
    if expected not in (None, head):
        raise Refused(f"{label} is at generation {head}, not {expected}; nothing was changed")


class AuditRow(Struct, frozen=True, array_like=True):
    """Who did what to which zone, when and why. Rows are only ever added."""

    label: str
    at_s: int
    action: str
    by: str
    because: str
    facts: dict[str, str | int | None]


class AuditLog(Protocol):
    """Where controls leave their trace."""

    async def append(self, row: AuditRow) -> None:
        """Add a row, or ReadFailed: the control then says that it left none."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class TableSide:
    """The ports that work without Route 53."""

    table: GenerationTable
    archive: PlanArchive
    audit: AuditLog
    clock: Clock
    jitter: Jitter


@dataclass(frozen=True, slots=True, kw_only=True)
class Outside(TableSide):
    """All ports of the controls."""

    records: ZoneRecords


@dataclass(frozen=True, slots=True)
class Operator:
    """Who types, and why; both are written down. `signer` is the key for what is signed: None where
    signing is off, or where nothing is."""

    name: str
    because: str
    signer: Signer | None = None

    @property
    def writer(self) -> str:
        """The name as a fence can hold it."""
        plain = "".join(c if c.isascii() and c.isalnum() else "-" for c in self.name)
        return f"operator.{plain}"[:80]


class ZoneSide(Protocol):
    """Route 53 as freeze needs it, opened only when the table has been written."""

    @property
    def records(self) -> ZoneRecords:
        """The zones' records."""
        ...

    async def zone_of(self, item: GenerationItem) -> Zone:
        """The hosted zone that a label is bound to; DnsplanError when there is none."""
        ...


OpenZones: TypeAlias = Callable[[], AbstractAsyncContextManager[ZoneSide]]
