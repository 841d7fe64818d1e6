"""What preflight read, before anything is judged. What could not be read stands as the reason.

Nothing here decides; a fact that is missing is never taken for a good one.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

from dnsplan.names import Name
from dnsplan.ports import Zone
from dnsplan.runtime.zones import ZoneProblem
from enactor.rules.quota import ZoneQuota


@dataclass(frozen=True, slots=True)
class Unseen:
    """Why something could not be read."""

    why: str


Fact = TypeVar("Fact")
Read: TypeAlias = Fact | Unseen


@dataclass(frozen=True, slots=True)
class Caller:
    """Whose credentials these are. `ahead_s`: this machine's clock against AWS's, by whole seconds;
    None when the answer bore no date."""

    arn: str
    ahead_s: float | None


@dataclass(frozen=True, slots=True)
class TableShape:
    """A table as AWS describes it. `replication` says why its conditions are worthless, or None."""

    status: str
    keys: tuple[tuple[str, str], ...]
    replication: str | None
    table_id: str | None
    protected: bool
    on_demand: bool


@dataclass(frozen=True, slots=True)
class TableFacts:
    """The table, whether it can be restored to a second, and the id in each zone's item.

    `region`: where it was looked for.
    """

    shape: Read[TableShape | None]
    recoverable: Read[bool]
    incarnations: Read[Mapping[str, str]]
    region: str = ""


@dataclass(frozen=True, slots=True)
class NegativeTtl:
    """The two numbers of an SOA that bound how long a resolver keeps a name's absence."""

    ttl_s: int
    minimum_s: int

    @property
    def kept_s(self) -> int:
        """RFC 2308, section 5: the lesser of the two."""
        return min(self.ttl_s, self.minimum_s)


@dataclass(frozen=True, slots=True)
class HostedZone:
    """What Route 53 says of a zone. `recovery`: its accelerated recovery, None when not stated."""

    name_servers: tuple[Name, ...]
    recovery: str | None


@dataclass(frozen=True, slots=True)
class ZoneFacts:
    """One zone that was found. `delegated` are the servers that a resolver names for it."""

    zone: Zone
    hosted: Read[HostedZone]
    quota: Read[ZoneQuota]
    negative: Read[NegativeTtl | None]
    delegated: Read[tuple[Name, ...]] | None  # None for a private zone, which nobody delegates


@dataclass(frozen=True, slots=True)
class Facts:
    """All that was read. `endpoints`: the hosts of the AWS services that are used."""

    caller: Read[Caller]
    table: TableFacts
    zones: Mapping[str, Read[ZoneFacts | ZoneProblem]]
    endpoints: Mapping[str, str]
