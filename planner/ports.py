"""What the planner needs beside the contract's ports: somebody who probes, who names targets."""

from collections.abc import Sequence
from typing import Protocol

from dnsplan.ports import PlanRow
from planner.rules.probing import Probe, ProbeResult
from planner.rules.roll import Listing
from planner.rules.vantage import Report
from planner.rules.waves import OpenPage


class Prober(Protocol):
    """Asks a target once."""

    async def probe(self, probe: Probe) -> ProbeResult:
        """Ask; it ends within the probe's time-out, and never raises for what the target does."""
        ...


class VantageBoard(Protocol):
    """Where the planners of all AZs show what their probes find."""

    async def announce(self, report: Report) -> None:
        """Replace this AZ's report, once; ReadFailed when it is not known to stand."""
        ...

    async def everyone(self) -> Sequence[Report]:
        """The newest report of each AZ that ever wrote one, or ReadFailed."""
        ...


class Graveyard(Protocol):
    """The rows that deleted plans leave."""

    async def forget(self, tombstone: PlanRow) -> None:
        """Delete a row for good, if it is this tombstone still; ReadFailed when it is not known."""
        ...


class Source(Protocol):
    """Names the targets of a pool, as they are when it is asked."""

    async def read(self) -> Listing:
        """Read once, in bounded time. Trouble makes the listing incomplete; it is never raised."""
        ...


class SentinelPage(Protocol):
    """What a sentinel shows to whoever stands where its page can be read."""

    async def pages(self, url: str) -> Sequence[OpenPage]:
        """The pages that are open now; ReadFailed when it does not say so, in bounded time."""
        ...
