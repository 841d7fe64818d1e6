"""What a probe asks and what can come of it.

A probe that could not be made is told apart from one that found the target sick: trouble on this
side says nothing about the other.
"""

from dataclasses import dataclass
from typing import TypeAlias

from dnsplan.names import Name
from planner.rules.health import Hysteresis
from planner.rules.pools import TargetKey


@dataclass(frozen=True, slots=True)
class TcpCheck:
    """Good when a connection opens."""

    port: int


@dataclass(frozen=True, slots=True)
class HttpCheck:
    """Good when the path answers with a status that is wanted, and the body holds the text.

    `host` is the Host header, and the name asked for in TLS unless `sni` is another. Without
    `statuses` those from 200 to 399 are wanted.
    """

    port: int
    path: str
    host: str | None
    tls: bool
    verify: bool
    body_contains: str | None
    sni: str | None = None
    statuses: frozenset[int] = frozenset()

    def wants(self, status: int) -> bool:
        """Whether a status is good."""
        return status in self.statuses if self.statuses else 200 <= status <= 399


@dataclass(frozen=True, slots=True)
class DnsCheck:
    """Good when the name is answered with at least one record of the type."""

    port: int
    name: Name
    type: str
    tcp: bool


Check: TypeAlias = TcpCheck | HttpCheck | DnsCheck


@dataclass(frozen=True, slots=True)
class Probe:
    """One question to one address, answered within `timeout_s`."""

    address: str
    check: Check
    timeout_s: float


@dataclass(frozen=True, slots=True)
class Watched:
    """One target of a pool, how to ask it, how often, and how its answers count."""

    key: TargetKey
    probe: Probe
    interval_s: float
    hysteresis: Hysteresis
    panic_threshold: float


@dataclass(frozen=True, slots=True)
class Good:
    """The target answered as it should."""

    detail: str


@dataclass(frozen=True, slots=True)
class Bad:
    """The target did not answer, or not as it should."""

    detail: str


@dataclass(frozen=True, slots=True)
class NotAsked:
    """The question never left this machine; it is no evidence."""

    detail: str


ProbeResult: TypeAlias = Good | Bad | NotAsked
