"""What the sentinel needs from outside, in its words. Adapters and strict fakes stand behind these.

Every call ends within the time that it is given. Reads that fail raise ReadFailed.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from dnsplan.errors import DnsplanError
from dnsplan.names import Name
from dnsplan.records import RecordSet, Unit
from dnsplan.runtime.config.server_address import server_text
from dnsplan.runtime.paging.ports import Delivered, Undelivered
from sentinel.rules.findings import Heard
from sentinel.rules.judging import Ailments, Transport
from sentinel.rules.paging import Page
from sentinel.rules.remembering import LastGood


@dataclass(frozen=True, slots=True)
class NameServer:
    """Where one name server listens. `name` is for people, empty when there is none."""

    host: str
    port: int
    name: str = ""

    @property
    def shown(self) -> str:
        """Address and name as pages and logs show them; no two servers are shown alike."""
        address = server_text(self.host, self.port)
        return f"{self.name} ({address})" if self.name else address


ROOT = Name(".")


@dataclass(frozen=True, slots=True)
class Question:
    """A name and type to ask for. `recursive` asks a resolver to find out; `unchecked` to pass on
    what it finds, whatever its signatures."""

    name: Name
    type: str
    recursive: bool = False
    unchecked: bool = False


class Asker(Protocol):
    """Asks name servers directly."""

    async def ask(
        self, server: NameServer, question: Question, transport: Transport, *, timeout_s: float
    ) -> Heard:
        """One question, sent once; over UDP a truncated reply is fetched over TCP."""
        ...


class ServerFinder(Protocol):
    """Finds a zone's name servers."""

    async def find(self, label: str) -> Sequence[NameServer]:
        """At least one, or ReadFailed."""
        ...


class Parents(Protocol):
    """What a zone's parent says of its name servers."""

    async def delegated(self, zone: Name, *, timeout_s: float) -> frozenset[Name]:
        """Their names, none when it delegates the zone to nobody; or ReadFailed."""
        ...


class ControlView(Protocol):
    """The slow second opinion: what Route 53's control API lists."""

    async def zone_id(self, label: str) -> str:
        """The hosted zone's id."""
        ...

    async def listed(self, label: str, name: Name, *, timeout_s: float) -> Sequence[RecordSet]:
        """Every record set of one name. ReadFailed at once when the request budget is spent."""
        ...


class MemoryFailed(DnsplanError):
    """What is known could not be kept, or what was kept cannot be read."""


@dataclass(frozen=True, slots=True)
class ZoneMemory:
    """What is kept of one zone over a restart. `ill` holds what was confirmed and not yet well."""

    last_good: Mapping[Unit, LastGood] = field(default_factory=dict)
    ill: Mapping[Name, Ailments] = field(default_factory=dict)
    pages: tuple[Page, ...] = ()
    servers: tuple[NameServer, ...] = ()


class Memory(Protocol):
    """Keeps what is known of each zone."""

    async def load(self, label: str) -> ZoneMemory:
        """What was stored last; an empty memory when there is none; or MemoryFailed."""
        ...

    async def store(self, label: str, memory: ZoneMemory) -> None:
        """Replace it whole, or leave the former one and raise MemoryFailed."""
        ...


class Meter(Protocol):
    """Where the count of names without answers goes."""

    @property
    def name(self) -> str:
        """For logs."""
        ...

    async def publish(self, names: int) -> Delivered | Undelivered:
        """One try, as the value of now."""
        ...
