"""A world, and a daemon's page that reads its table."""

from collections.abc import Mapping
from pathlib import Path

from dnsplan.generation import GenerationItem
from dnsplan.ports import Presence, ZoneSighting
from dnsplan.runtime.config.schema import Settings
from dnsplan.runtime.page.known import PlanFacts
from dnsplan.runtime.page.memory import PageMemory
from dnsplan.runtime.page.reading import TableReading
from dnsplan.runtime.page.zones import ZonesView
from tests.fakes.notes import FakeBoard
from tests.fakes.world import World

WWW = "www.example.com"
NOWHERE = Path("/nowhere")


class Desk:
    """A world, and one reading of its table."""

    def __init__(self, state_dir: Path | None = None) -> None:
        """Nothing is published."""
        self.world = World()
        self.board = FakeBoard()
        self.applied: list[tuple[int, int]] = []
        self.state_dir = state_dir
        zone = {"name": "example.com", "names": {}}
        settings = Settings.model_validate(
            {"azs": ["az1", "az2"], "zones": {self.world.label: zone}}
        )
        self.settings = settings
        self.start()

    def start(self, *, table: str = "dnsplan") -> None:
        """A daemon's page as after a restart."""
        world, folder = self.world, self.state_dir
        self.memory = PageMemory(folder or NOWHERE, "planner", table=table, clock=world.clock)
        self.reading = TableReading(
            [world.label],
            table=world.table,
            archive=world.archive,
            board=self.board,
            clock=world.clock,
            name=table,
        )
        self.reading.memory = None if folder is None else self.memory
        self.reading.on_applied = self._note
        self.view = ZonesView(self.settings, [world.label], self.reading)

    def follow(self, stated: Mapping[str, object]) -> None:
        """The daemon took up another config."""
        settings = Settings.model_validate(stated)
        self.reading.follow(tuple(settings.zones))
        self.view.follow(settings, tuple(settings.zones))

    async def read(self) -> None:
        """One pass, and what it keeps."""
        await self.reading.run_once()
        await self.memory.finish()

    async def enact(self) -> None:
        """Let one AZ apply the newest plan, and both be seen."""
        cycle = self.world.az("az1")
        await self.world.enact(cycle)
        await self.world.settle(cycle)
        item = await self.world.item()
        for az in ("az1", "az2"):
            self.sign(az, ZoneSighting(item.label, item.applied, 0, None, self.now_s()))

    def sign(self, az: str, sighting: ZoneSighting) -> None:
        """An AZ's sign of life."""
        self.board.signs[az] = Presence(az, self.now_s(), (sighting,))

    def now_s(self) -> int:
        """Whole seconds."""
        return int(self.world.clock.now_s())

    def _note(self, item: GenerationItem, plan: PlanFacts) -> None:
        self.applied.append((item.applied, plan.created_s))
