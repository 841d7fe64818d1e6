"""A running enactor follows a zone that was made again, once an operator has bound it."""

from collections.abc import AsyncIterator, Mapping
from pathlib import Path

from msgspec import structs

from dnsplan.ports import Zone
from dnsplan.runtime.config.schema import Settings, ZoneEntry
from dnsplan.runtime.zones import FoundZones
from enactor.daemon import EnactorDaemon
from enactor.roster import Roster
from tests.fakes.notes import FakeBoard
from tests.fakes.world import PACE, World, a
from tests.unit.adopting.hands import adopt, names
from tests.unit.dnsplan.config.texts import loaded

WWW = a("www.example.com", "192.0.2.1")
CONFIG = """
azs: [az1]
zones:
  shop: {name: example.com, names: {www: {records: [{type: A, values: [192.0.2.1]}]}}}
"""


class Finder:
    """Zones by label as an account has them now; every question is counted."""

    def __init__(self, zone: Zone) -> None:
        """One zone."""
        self.zone, self.asked = zone, 0

    async def find_each(self, entries: Mapping[str, ZoneEntry]) -> AsyncIterator[FoundZones]:
        """The zone of the label."""
        self.asked += 1
        yield FoundZones(dict.fromkeys(entries, self.zone), ())


def settings(folder: Path) -> Settings:
    """One zone of one name."""
    return loaded(folder, CONFIG).settings


async def test_a_zone_made_again_is_found_without_a_restart(tmp_path: Path) -> None:
    """Old id, adopt, hold, new id: the same process goes on, whatever the account answers first."""
    world = World()
    await world.publish(WWW)
    finder = Finder(world.zone)
    daemon = EnactorDaemon(world.outside(9), FakeBoard(), az="az1", azs=["az1"], pace=PACE)
    roster = Roster(settings(tmp_path), finder, daemon)  # type: ignore[arg-type]  # asks for no more

    async def passed(times: int) -> None:
        for _ in range(times):
            await roster.run_once()
            await daemon.run_once()
            await daemon.finish()
            world.clock.advance(15.0)

    await passed(8)
    assert ((await world.item()).applied, finder.asked) == (1, 1)
    zone = structs.replace(world.route53.make_zone("again", "example.com."), label="shop")
    await adopt(world, names(WWW), zone=zone)
    await passed(4)
    assert (world.route53.content(zone), finder.asked) == ((), 4)
    finder.zone = zone
    await passed(8)
    assert (world.route53.content(zone), finder.asked) == ((WWW,), 5)
