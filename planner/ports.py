"""What the planner needs from outside beside the contract's ports: who probes, who else looks."""

from collections.abc import Sequence
from typing import Protocol

from planner.rules.probing import Probe, ProbeResult
from planner.rules.vantage import Report


class VantageBoard(Protocol):
    """Where the planners of all AZs show what their probes find."""

    async def announce(self, report: Report) -> None:
        """Replace this AZ's report, once; ReadFailed when it is not known to stand."""
        ...

    async def everyone(self) -> Sequence[Report]:
        """The newest report of each AZ that ever wrote one, or ReadFailed."""
        ...


class Prober(Protocol):
    """Asks a target once."""

    async def probe(self, probe: Probe) -> ProbeResult:
        """Ask; it ends within the probe's time-out, and never raises for what the target does."""
        ...
