"""The loops of a running planner and of a running cleanup, on adapters that are open already.

Probing and planning run side by side: planning takes a snapshot of what probing saw and never waits
for it. A fault in the probing ends the process, since a planner that no longer looks must not go on
looking alive.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Mapping

import structlog

from dnsplan.ports import Clock, Jitter
from dnsplan.runtime.lifecycle import run_daemon
from dnsplan.runtime.notify import ServiceManager
from dnsplan.runtime.periodic import Periodic, Stop
from planner.passes import CleanupPass, PlanPass
from planner.reporting import PlanLog, log_clean
from planner.vantage import VantagePoint
from planner.watch import Watch


class PlannerDaemon:
    """Plans at a pace while a watch looks at the targets."""

    def __init__(self, planning: PlanPass, watch: Watch, log: PlanLog) -> None:
        """The watch is started by `watching`."""
        self._planning = planning
        self._watch = watch
        self._log = log
        self._looking: asyncio.Task[None] | None = None
        # Without one this process decides by what it sees itself.
        self.vantage: VantagePoint | None = None

    @contextlib.asynccontextmanager
    async def watching(self) -> AsyncIterator[None]:
        """Probe for as long as the block lasts."""
        self._looking = asyncio.create_task(self._watch.run(), name="watch")
        try:
            yield
        finally:
            self._looking.cancel()
            await asyncio.gather(self._looking, return_exceptions=True)

    async def run_once(self) -> None:
        """One planning pass. What broke the watch is raised here and ends the process."""
        if self._looking is not None and self._looking.done() and self._watch.has_targets:
            self._looking.result()
        sight = self._watch.sight()
        if self.vantage is not None:
            sight = await self.vantage.look(sight)
        self._log.tell(await self._planning.run_once(sight, may_write=True))


class CleanupDaemon:
    """Cleans at a pace."""

    def __init__(self, cleaning: CleanupPass) -> None:
        """One pass cleans all zones."""
        self._cleaning = cleaning
        self._log = structlog.get_logger("cleanup")

    async def run_once(self) -> None:
        """One cleanup pass."""
        for report in await self._cleaning.run_once():
            log_clean(self._log, report)


async def run_works(
    *works: Periodic, clock: Clock, jitter: Jitter, environ: Mapping[str, str]
) -> int:
    """Run until a signal or a fault of the program; the process's exit code."""
    return await run_daemon(
        works, clock=clock, jitter=jitter, stop=Stop(), manager=ServiceManager(environ)
    )
