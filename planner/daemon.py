"""The loops of a running planner and of a running cleanup, on adapters that are open already.

Probing, reading and planning run side by side: planning takes a snapshot of what was seen and never
waits for it. A fault in the probing ends the process, since a planner that no longer looks must not
go on looking alive.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Mapping, Sequence

import structlog

from dnsplan.ports import Clock, Jitter
from dnsplan.runtime.lifecycle import run_daemon
from dnsplan.runtime.notify import ServiceManager
from dnsplan.runtime.periodic import Periodic, Stop
from planner.cycle import ZoneReport
from planner.outlook import Outlook
from planner.passes import CleanupPass, PlanPass
from planner.probe_meter import ProbeMeter
from planner.reporting import PlanLog, SourceLog, log_clean
from planner.rules.health import Sight
from planner.rules.holds import unread_because
from planner.vantage import VantagePoint


class PlannerDaemon:
    """Plans at a pace while a watch looks at the targets."""

    def __init__(self, planning: PlanPass, outlook: Outlook, log: PlanLog) -> None:
        """Probing and reading are started by `watching`."""
        self._planning = planning
        self._outlook = outlook
        self._log = log
        # Without one nobody hears of sources that cannot be read.
        self.sources: SourceLog | None = None
        # Without one nobody hears that targets ask for more probes than may be made.
        self.probes: ProbeMeter | None = None
        self._looking: asyncio.Task[None] | None = None
        # Without one this process decides by what it sees itself.
        self.vantage: VantagePoint | None = None
        # Who measures and pages is told what came of each pass, and what was seen before it.
        self.witnesses: tuple[Callable[[Sequence[ZoneReport], Sight], None], ...] = ()

    @contextlib.asynccontextmanager
    async def watching(self) -> AsyncIterator[None]:
        """Probe and read for as long as the block lasts."""
        self._looking = asyncio.create_task(self._outlook.run(), name="watch")
        try:
            yield
        finally:
            self._looking.cancel()
            await asyncio.gather(self._looking, return_exceptions=True)

    async def run_once(self) -> None:
        """One planning pass. What broke the watch is raised here and ends the process."""
        if self._looking is not None and self._looking.done():
            self._looking.result()
        self._planning.plan_for(self._outlook.wishes(), self._outlook.waves)
        if self.sources is not None:
            self.sources.tell(self._outlook.rolls, self._outlook.left_out)
        if self.probes is not None:
            self.probes.note(self._outlook.probing)
        sight = self._outlook.sight()
        if self.vantage is not None:
            sight = await self.vantage.look(sight)
        reports = await self._planning.run_once(sight, may_write=True)
        for witness in self.witnesses:
            witness(reports, sight)
        self._log.tell(reports)


class CleanupDaemon:
    """Cleans at a pace."""

    def __init__(self, cleaning: CleanupPass) -> None:
        """One pass cleans all zones."""
        self._cleaning = cleaning
        self._unread = ""
        self._log = structlog.get_logger("cleanup")

    def trouble(self) -> str:
        """Why nothing can be cleaned, for whoever asks whether this process is ready."""
        return self._unread and f"cleanup: no zone can be read: {self._unread}"

    async def run_once(self) -> None:
        """One cleanup pass."""
        reports = await self._cleaning.run_once()
        reasons = [unread_because(one.outcome) for one in reports]
        self._unread = reasons[0] if reasons and all(reasons) else ""
        for report in reports:
            log_clean(self._log, report)


async def run_works(
    *works: Periodic,
    clock: Clock,
    jitter: Jitter,
    environ: Mapping[str, str],
    hangup: Callable[[], None] | None = None,
) -> int:
    """Run until a signal or a fault of the program; the process's exit code."""
    stop = Stop(hangup)
    return await run_daemon(
        works, clock=clock, jitter=jitter, stop=stop, manager=ServiceManager(environ)
    )
