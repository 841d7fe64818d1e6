"""What paging needs from outside: ways to reach people, and a place to keep what waits for them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from dnsplan.errors import DnsplanError
from dnsplan.notices import Notice


@dataclass(frozen=True, slots=True)
class Delivered:
    """The receiver took it."""


@dataclass(frozen=True, slots=True)
class Undelivered:
    """It did not, or nobody knows. `for_good`: trying again cannot help."""

    reason: str
    for_good: bool = False


class Sink(Protocol):
    """One way to reach people."""

    @property
    def name(self) -> str:
        """For logs; it holds no secret."""
        ...

    async def send(self, notice: Notice) -> Delivered | Undelivered:
        """One try. A receiver may get a notice twice and tells it by its id."""
        ...


class SpoolFailed(DnsplanError):
    """What waits could not be kept, or what was kept cannot be read."""


class Spool(Protocol):
    """Keeps the notices of one sink over a restart. Calls may block: they belong into a thread."""

    def load(self) -> Sequence[tuple[int, Notice]]:
        """What was kept and never let go, oldest first, by number; or SpoolFailed."""
        ...

    def keep(self, number: int, notice: Notice) -> None:
        """Keep one, whole or not at all, or SpoolFailed."""
        ...

    def let_go(self, number: int) -> None:
        """It was delivered, or is given up."""
        ...
