"""The acting AZ's enactor as its daemon runs it, on its own adapters.

Checks of a quiet zone's fence come by the clock, not by the change, so they are put off here and
counted apart in docs/performance.md.
"""

import asyncio
import os
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from msgspec import structs

from benchmarks.meter import Spent, peak_mb
from benchmarks.sides.serving import serve
from dnsplan.runtime import telemetry
from dnsplan.runtime.config import load
from enactor.daemon import EnactorDaemon
from enactor.roster import Roster
from enactor.rules.outcomes import Applied, InSync, Outcome
from enactor.wiring import wired_enactor

NEVER_S = 1e9
PASS_EVERY_S = 1.1  # a first look at a change comes after a second
ENDS_WITHIN_S = 1_800.0


class EnactorSide:
    """One enactor and what it spent."""

    def __init__(self, daemon: EnactorDaemon) -> None:
        """The daemon has its zone already."""
        self._daemon = daemon
        self._last: Outcome | None = None
        daemon.witness = self._note

    async def enact(self, _asked: Mapping[str, Any]) -> Mapping[str, Any]:
        """Run passes until the newest plan is known to be in the zone."""
        spent = Spent()
        until_s = time.monotonic() + ENDS_WITHIN_S
        while time.monotonic() < until_s:
            with spent.counted():
                outcome = await self._pass()
            if isinstance(outcome, Applied) and outcome.confirmed:
                return {"cpu_s": spent.cpu_s, "peak_mb": peak_mb()}
            await asyncio.sleep(PASS_EVERY_S)
        return {"error": f"the enactor is not done: {str(self._last)[:500]}"}

    async def idle(self, asked: Mapping[str, Any]) -> Mapping[str, Any]:
        """Run passes that find nothing to do, and give the CPU of one."""
        spent, passes = Spent(), int(asked["passes"])
        for _ in range(passes):
            with spent.counted():
                outcome = await self._pass()
            if not isinstance(outcome, InSync):
                return {"error": f"the enactor had something to do: {str(outcome)[:500]}"}
        return {"cpu_s": spent.cpu_s / passes, "peak_mb": peak_mb()}

    async def _pass(self) -> Outcome | None:
        """The last outcome that the pass reported."""
        await self._daemon.run_once()
        await self._daemon.finish()
        return self._last

    def _note(self, _label: str, outcome: Outcome) -> None:
        self._last = outcome


async def main(config: Path) -> None:
    """Find the zone and serve."""
    telemetry.configure(os.environ, sys.stderr, component="enactor")
    settings = load(config, os.environ, records=False).settings
    async with wired_enactor(settings, az=settings.azs[0]) as wired:
        daemon = EnactorDaemon(
            wired.outside,
            wired.board,
            az=settings.azs[0],
            azs=settings.azs,
            pace=structs.replace(wired.pace, fence_check_s=NEVER_S, audit_s=NEVER_S),
        )
        await Roster(settings, wired.finder, daemon).run_once()
        side = EnactorSide(daemon)
        await serve({"enact": side.enact, "idle": side.idle})
        await daemon.close(grace_s=1.0)


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1])))
