"""What the planner needs from outside beside the contract's ports: somebody who probes."""

from typing import Protocol

from planner.rules.probing import Probe, ProbeResult


class Prober(Protocol):
    """Asks a target once."""

    async def probe(self, probe: Probe) -> ProbeResult:
        """Ask; it ends within the probe's time-out, and never raises for what the target does."""
        ...
