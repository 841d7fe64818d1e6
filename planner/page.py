"""The pages of a planner and of a cleanup: the zones as the table shows them; a planner adds its
targets, and both what they hold themselves."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

from dnsplan.ports import Clock, GenerationTable, PlanArchive, PresenceBoard
from dnsplan.runtime.config.listen_address import Listen
from dnsplan.runtime.config.schema import Settings
from dnsplan.runtime.page.daemon_page import DaemonPage
from dnsplan.runtime.page.memory import PageMemory
from dnsplan.runtime.page.reading import TableReading
from dnsplan.runtime.page.table_meters import TableMeters
from dnsplan.runtime.page.zones import ZonesView
from planner.meters import PlannerMeters


@dataclass(frozen=True, slots=True)
class TableHeld:
    """The table's three parts that a page reads."""

    table: GenerationTable
    archive: PlanArchive
    board: PresenceBoard


class TablePage:
    """What one process that has the table shows; with `meters` it is a planner's."""

    def __init__(
        self,
        component: str,
        settings: Settings,
        labels: Sequence[str],
        clock: Clock,
        *,
        az: str | None,
    ) -> None:
        """Nobody listens yet."""
        self._settings = settings
        self._labels = tuple(labels)
        self._clock = clock
        who = component if az is None else f"{component}-{az}"
        self._memory = PageMemory(settings.state_dir, who, table=settings.table, clock=clock)
        self._shown: tuple[TableReading, ZonesView] | None = None
        self.page = DaemonPage(component, clock, az=az)

    def follow(self, settings: Settings) -> None:
        """Show the zones of another config from now on."""
        self._settings, self._labels = settings, tuple(settings.zones)
        if self._shown is not None:
            reading, zones = self._shown
            reading.follow(self._labels)
            zones.follow(settings, self._labels)

    @asynccontextmanager
    async def open(
        self,
        listen: Listen | None,
        held: TableHeld,
        *,
        meters: PlannerMeters | None = None,
    ) -> AsyncIterator[str | None]:
        """Serve as long as the block lasts, where an address is stated, and give the page's own.
        CannotListen."""
        reading = TableReading(
            self._labels,
            table=held.table,
            archive=held.archive,
            board=held.board,
            clock=self._clock,
            name=self._settings.table,
        )
        reading.memory = self._memory
        TableMeters(reading, self.page.registry)
        zones = ZonesView(self._settings, self._labels, reading)
        self._shown = reading, zones
        if meters is not None:
            reading.on_applied = meters.applied
            zones.holds, zones.names = meters.holds, meters.names
        async with self.page.open(
            listen, zones=zones.zones, source=reading.source, reading=reading
        ) as url:
            yield url
        await self._memory.finish()
