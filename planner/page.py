"""The pages of a planner and of a cleanup: the zones as the table shows them; a planner adds its
targets, and both what they hold themselves."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

from dnsplan.ports import Clock, GenerationTable, PlanArchive, PresenceBoard
from dnsplan.runtime.config.listen_address import Listen
from dnsplan.runtime.config.schema import Settings
from dnsplan.runtime.page.daemon_page import DaemonPage
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
        self.page = DaemonPage(component, clock, az=az)

    @asynccontextmanager
    async def open(
        self,
        listen: Listen | None,
        held: TableHeld,
        *,
        meters: PlannerMeters | None = None,
    ) -> AsyncIterator[None]:
        """Serve as long as the block lasts, where an address is stated. CannotListen."""
        reading = TableReading(
            self._labels,
            table=held.table,
            archive=held.archive,
            board=held.board,
            clock=self._clock,
            name=self._settings.table,
        )
        TableMeters(reading, self.page.registry)
        zones = ZonesView(self._settings, self._labels, reading, now_s=self._clock.now_s)
        if meters is not None:
            reading.on_applied = meters.applied
            zones.holds, zones.names = meters.holds, meters.names
        async with self.page.open(
            listen, zones=zones.zones, source=reading.source, reading=reading
        ):
            yield
