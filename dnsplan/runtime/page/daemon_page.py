"""One daemon's page from end to end: what every daemon shows alike, and what it adds itself.

A daemon makes one at its start, gives it its works, and opens it around its run. Without an address
nothing listens and nothing is read for it.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from importlib.metadata import version
from typing import Protocol

import structlog
from prometheus_client import CollectorRegistry, Info, ProcessCollector, disable_created_metrics

from dnsplan.ports import Clock
from dnsplan.runtime.config.listen_address import Listen
from dnsplan.runtime.page.happenings import Happenings
from dnsplan.runtime.page.model import About, PageState, Source, ZoneView, to_json
from dnsplan.runtime.page.passes import PassBook
from dnsplan.runtime.page.server import Shown, serve
from dnsplan.runtime.reloading import Reloading

DISTRIBUTION = "dnsplan"


class Reading(Protocol):
    """What is read for a page again and again, beside the daemon's own works."""

    @property
    def interval_s(self) -> float:
        """How often."""
        ...

    async def run_once(self) -> None:
        """Read all again."""
        ...


LookAtZones = Callable[[], tuple[tuple[ZoneView, ...], int]]


class DaemonPage:
    """What one process shows of itself."""

    def __init__(self, component: str, clock: Clock, *, az: str | None = None) -> None:
        """Nobody listens yet."""
        disable_created_metrics()  # type: ignore[no-untyped-call]  # has no annotation; it halves what counters cost
        self._clock = clock
        self._about = About(component, az, version(DISTRIBUTION), clock.now_s())
        self.registry = CollectorRegistry()
        self.passes = PassBook(self.registry, clock)
        self._happenings = Happenings(clock.now_s)
        # Before any logger is bound: a bound one keeps the line of processors that it was bound in.
        self._happenings.listen()
        self._tell_build()
        # Why the config's files are not what the daemon goes by.
        self._config: Callable[[], tuple[str, ...]] = lambda: ()

    def follow_config(self, reloading: Reloading) -> None:
        """Show whether the config's files are what the daemon goes by."""
        self.registry.register(reloading)
        self._config = lambda: reloading.problems

    @asynccontextmanager
    async def open(
        self,
        listen: Listen | None,
        *,
        zones: LookAtZones,
        source: Callable[[], Source],
        reading: Reading | None = None,
    ) -> AsyncIterator[str | None]:
        """Serve for as long as the block lasts; the page's address, or None. CannotListen."""
        if listen is None:
            yield None
            return

        def look() -> bytes:
            return to_json(self._state(zones, source))

        shown = Shown(look, self.passes.not_ready, self.registry)
        async with serve(listen, shown, self._clock) as url, _kept_read(reading, self._clock):
            yield url

    def _state(self, zones: LookAtZones, source: Callable[[], Source]) -> PageState:
        views, more = zones()
        return PageState(
            about=self._about,
            source=source(),
            not_ready=self.passes.not_ready(),
            config=self._config(),
            zones=views,
            more_zones=more,
            events=self._happenings.newest_first(),
        )

    def _tell_build(self) -> None:
        facts: Mapping[str, str] = {
            "component": self._about.component,
            "az": self._about.az or "",
            "version": self._about.version,
        }
        Info("dnsplan_build", "Which daemon this is.", registry=self.registry).info(dict(facts))
        ProcessCollector(registry=self.registry)


@asynccontextmanager
async def _kept_read(reading: Reading | None, clock: Clock) -> AsyncIterator[None]:
    """Read again and again beside the daemon's own works: trouble here is none of theirs."""
    if reading is None:
        yield
        return
    task = asyncio.create_task(_read_on(reading, clock), name="read for the page")
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def _read_on(reading: Reading, clock: Clock) -> None:
    log = structlog.get_logger("page")
    is_told = False
    while True:
        try:
            await reading.run_once()
        except Exception:  # a page that is not read must not end a daemon
            if not is_told:
                log.exception("page_not_read")
            is_told = True
        else:
            is_told = False
        await clock.sleep(reading.interval_s)
