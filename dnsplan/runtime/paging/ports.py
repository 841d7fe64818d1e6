"""What paging needs from outside: ways to reach people, and a place to keep what waits for them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from dnsplan.errors import DnsplanError
from dnsplan.notices import Notice

# After a day a page has been found otherwise, and its news would only be confusing.
KEPT_S = 86_400.0


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


@dataclass(frozen=True, slots=True)
class Loaded:
    """What a spool held, by number, oldest first; `problems` are what could not be read. `after`:
    all that stands there has a smaller number, read or not."""

    notices: Sequence[tuple[int, Notice]] = ()
    problems: Sequence[str] = ()
    after: int = 0


class Spool(Protocol):
    """Keeps the notices of one sink over a restart."""

    async def load(self) -> Loaded:
        """What was kept and never let go, or SpoolFailed."""
        ...

    async def keep(self, number: int, notice: Notice) -> None:
        """Keep one, whole or not at all, or SpoolFailed."""
        ...

    async def let_go(self, number: int) -> None:
        """It was delivered, or is given up; or SpoolFailed."""
        ...
