"""This enactor's page: the zones as the table shows them, and its own holds."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from dnsplan.ports import PresenceBoard
from dnsplan.runtime.bucket import TokenBucket
from dnsplan.runtime.config.listen_address import Listen
from dnsplan.runtime.config.schema import Settings
from dnsplan.runtime.page.daemon_page import DaemonPage
from dnsplan.runtime.page.memory import PageMemory
from dnsplan.runtime.page.reading import TableReading
from dnsplan.runtime.page.request_meters import RequestMeters
from dnsplan.runtime.page.table_meters import TableMeters
from dnsplan.runtime.page.zones import ZonesView
from dnsplan.runtime.retry import RetryBudget
from enactor.meters import EnactorMeters
from enactor.ports import Outside


class EnactorPage:
    """What one enactor shows."""

    def __init__(
        self,
        settings: Settings,
        outside: Outside,
        board: PresenceBoard,
        *,
        az: str,
        state_dir: Path,
    ) -> None:
        """Nobody listens yet; what is shown is kept under `state_dir` once somebody may."""
        self._memory = PageMemory(
            state_dir, f"enactor-{az}", table=settings.table, clock=outside.clock
        )
        self._reading = TableReading(
            tuple(settings.zones),
            table=outside.table,
            archive=outside.archive,
            board=board,
            clock=outside.clock,
            name=settings.table,
        )
        self._reading.memory = self._memory
        self.page = DaemonPage("enactor", outside.clock, az=az)
        self.meters = EnactorMeters(self.page.registry, outside.clock, az=az)
        self._reading.on_applied = self.meters.applied
        TableMeters(self._reading, self.page.registry)
        self._zones = ZonesView(settings, tuple(settings.zones), self._reading)

    def follow(self, settings: Settings) -> None:
        """Show the zones of another config from now on."""
        labels = tuple(settings.zones)
        self._reading.follow(labels)
        self._zones.follow(settings, labels)
        self.meters.follow(labels)

    def count_requests(self, bucket: TokenBucket, budget: RetryBudget) -> None:
        """Show what may still be asked."""
        RequestMeters(bucket, budget, self.page.registry)

    @asynccontextmanager
    async def open(self, listen: Listen | None) -> AsyncIterator[None]:
        """Serve as long as the block lasts, where an address is stated. CannotListen."""
        self._zones.holds = self.meters.holds
        async with self.page.open(
            listen, zones=self._zones.zones, source=self._reading.source, reading=self._reading
        ):
            yield
        await self._memory.finish()
