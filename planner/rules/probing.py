"""What a probe asks and what can come of it.

A probe that could not be made is told apart from one that found the target sick: trouble on this
side says nothing about the other.
"""

from dataclasses import dataclass
from typing import TypeAlias

from planner.rules.health import Hysteresis
from planner.rules.pools import TargetKey


@dataclass(frozen=True, slots=True)
class TcpCheck:
    """Good when a connection opens."""

    port: int


@dataclass(frozen=True, slots=True)
class HttpCheck:
    """Good when the path answers with a status from 200 to 399, and the body holds the text.

    `host` is the Host header and the name asked for in TLS.
    """

    port: int
    path: str
    host: str | None
    tls: bool
    verify: bool
    body_contains: str | None


@dataclass(frozen=True, slots=True)
class Probe:
    """One question to one address, answered within `timeout_s`."""

    address: str
    check: TcpCheck | HttpCheck
    timeout_s: float


@dataclass(frozen=True, slots=True)
class Watched:
    """One target of a pool, how to ask it, how often, and how its answers count."""

    key: TargetKey
    probe: Probe
    interval_s: float
    hysteresis: Hysteresis


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
