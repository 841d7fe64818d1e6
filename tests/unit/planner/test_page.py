"""The planner's page from its opening to its end, and again when the table is gone."""

import asyncio
from pathlib import Path

import aiohttp
import msgspec

from dnsplan.runtime.clock import SystemClock
from dnsplan.runtime.config.listen_address import Listen
from dnsplan.runtime.config.schema import Settings
from dnsplan.runtime.page.model import PageState
from planner.page import TableHeld, TablePage
from tests.deploy.exported import untouched_log
from tests.fakes.notes import FakeBoard
from tests.fakes.world import World, a

WITHIN_S = 10.0
ANYWHERE = Listen("127.0.0.1", 0, "status.listen")


class Shown(World):
    """A world, and what a planner's page shows of it while it is open."""

    async def page(self, state_dir: Path) -> PageState:
        """Open it, look once it has read, and close it."""
        zone = {"name": "example.com", "names": {}}
        stated = {"azs": ["az1"], "zones": {self.label: zone}}
        settings = Settings.model_validate({**stated, "state_dir": state_dir})
        with untouched_log():
            shown = TablePage("planner", settings, [self.label], SystemClock(), az="az1")
            held = TableHeld(self.table, self.archive, FakeBoard())
            async with (
                asyncio.timeout(WITHIN_S),
                shown.open(ANYWHERE, held) as url,
                aiohttp.ClientSession() as client,
            ):
                while True:
                    async with client.get(f"{url}state") as answer:
                        state = msgspec.json.decode(await answer.read(), type=PageState)
                    if state.source.read_s is not None:
                        return state


async def test_what_it_showed_is_shown_by_the_next_that_cannot_read(tmp_path: Path) -> None:
    """Under its own name in the state folder, written at its end."""
    world = Shown()
    await world.publish(a("www.example.com", "192.0.2.1"))
    before = await world.page(tmp_path)
    world.table.reachable = False
    after = await world.page(tmp_path)
    assert [one.head for one in before.zones] == [1]
    assert after.zones == before.zones
    assert (before.source.failing, bool(after.source.failing)) == (None, True)
    assert [one.name for one in (tmp_path / "page").iterdir()] == ["planner-az1.json"]
