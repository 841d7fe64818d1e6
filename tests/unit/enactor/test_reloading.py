"""A running enactor takes up another config: zones come, go, and are treated otherwise."""

import os
from collections.abc import AsyncIterator, Mapping
from pathlib import Path

import structlog

from dnsplan.ports import Zone
from dnsplan.runtime.config import load
from dnsplan.runtime.config.rereading import ConfigFiles
from dnsplan.runtime.config.schema import ZoneEntry
from dnsplan.runtime.zones import FoundZones
from enactor.adapters.plan_files import DiskPlanFiles
from enactor.daemon import EnactorDaemon
from enactor.keeping import Keeping
from enactor.page import EnactorPage
from enactor.reloading import reloading_for
from enactor.roster import Roster
from tests.fakes.notes import FakeBoard
from tests.fakes.world import PACE, World, a

WWW = a("www.example.com", "192.0.2.1")
SHOP = "shop: {name: example.com, names: {www: {records: [{type: A, values: [192.0.2.1]}]}}}"
CAFE = SHOP.replace("shop", "cafe").replace("example.com", "example.net")


def config(*zones: str, table: str = "dnsplan", azs: str = "az1") -> str:
    """These zones."""
    return f"azs: [{azs}]\ntable: {table}\nzones:\n" + "".join(f"  {one}\n" for one in zones)


class Finder:
    """Finds every zone that it knows; what was asked for is noted."""

    def __init__(self, zones: Mapping[str, Zone]) -> None:
        """Zones by name."""
        self.zones = zones
        self.asked: list[list[str]] = []

    async def find_each(self, entries: Mapping[str, ZoneEntry]) -> AsyncIterator[FoundZones]:
        """By the entry's name."""
        self.asked.append(sorted(entries))
        found = {label: self.zones[one.name] for label, one in entries.items()}
        yield FoundZones({k: Zone(k, v.zone_id, v.name) for k, v in found.items()}, ())


class House:
    """One enactor on a config file."""

    def __init__(self, folder: Path) -> None:
        self.world = World()
        self.path = folder / "dns.yaml"
        self.made = 0
        self.put(config(SHOP))
        loaded = load(self.path, {})
        outside = self.world.outside(9)
        net = self.world.route53.make_zone("net", "example.net.")
        self.finder = Finder({"example.com": self.world.zone, "example.net": net})
        self.board = FakeBoard()
        self.daemon = EnactorDaemon(outside, self.board, az="az1", azs=["az1"], pace=PACE)
        self.roster = Roster(loaded.settings, self.finder, self.daemon)  # type: ignore[arg-type]  # asks for no more
        self.roles: dict[str, str | None] = {}
        self.roster.follow_roles = self._follow
        keeping = Keeping(outside.table, outside.archive, DiskPlanFiles(folder), ("shop",))
        shown = EnactorPage(
            loaded.settings, outside, self.board, az="az1", state_dir=folder / "state"
        )
        self.daemon.witness = shown.meters.note
        self.shown = shown
        files = ConfigFiles(loaded, {})
        clock = self.world.clock
        self.reloading = reloading_for(
            files, clock=clock, az="az1", roster=self.roster, keeping=keeping, shown=shown
        )

    async def _follow(self, roles: Mapping[str, str | None]) -> None:
        self.roles.update(roles)

    def put(self, text: str) -> None:
        """Replace the file whole."""
        self.made += 1
        fresh = self.path.with_name(f"new{self.made}")
        fresh.write_text(text)
        os.utime(fresh, (self.made, self.made))
        fresh.replace(self.path)

    async def passes(self, times: int = 3) -> list[str]:
        """So many passes of all works; what was said of the config."""
        with structlog.testing.capture_logs() as said:
            for _ in range(times):
                await self.reloading.run_once()
                await self.roster.run_once()
                await self.daemon.run_once()
                await self.daemon.finish()
                self.world.clock.advance(15.0)
        return [one["event"] for one in said if one["event"].startswith("config_")]


async def test_a_zone_that_comes_is_found_with_its_account(tmp_path: Path) -> None:
    """And nothing is asked again of those that stay."""
    house = House(tmp_path)
    await house.passes()
    house.put(config(SHOP, CAFE.replace("name:", "role_arn: arn:aws:iam::1:role/r, name:")))
    assert await house.passes() == ["config_reloaded"]
    assert sorted(house.daemon.tasks) == ["cafe", "shop"]
    assert house.finder.asked == [["shop"], ["cafe"]]
    assert house.roles == {"shop": None, "cafe": "arn:aws:iam::1:role/r"}


async def test_a_zone_that_is_gone_is_let_go_as_it_is(tmp_path: Path) -> None:
    """No record of it changes, nobody is told of it any more, and it may come back."""
    house = House(tmp_path)
    await house.world.publish(WWW)
    await house.passes(8)
    before = house.world.route53.content(house.world.zone)
    assert before
    house.put(config(CAFE))
    await house.passes()
    await house.world.publish(a("www.example.com", "192.0.2.9"))
    await house.passes(8)
    assert house.world.route53.content(house.world.zone) == before
    assert sorted(house.daemon.tasks) == sorted(house.daemon.pacing) == ["cafe"]
    (sign,) = await house.board.everyone()
    assert [one.label for one in sign.zones] == ["cafe"]
    house.put(config(SHOP, CAFE))
    await house.passes(8)
    assert house.world.route53.content(house.world.zone) == (a("www.example.com", "192.0.2.9"),)


async def test_how_a_zone_is_treated_changes_at_once(tmp_path: Path) -> None:
    """Its mode, what becomes of drift, and its limits; it is not found anew for that."""
    house = House(tmp_path)
    await house.passes()
    house.put(config(SHOP.replace("name:", "mode: observe, drift: hold, name:", 1)))
    await house.passes(2)
    task = house.daemon.tasks["shop"]
    assert (task.observe, task.repair_drift, len(house.finder.asked)) == (True, False, 1)


async def test_a_zone_that_lies_elsewhere_is_not_touched_before_it_is_found(tmp_path: Path) -> None:
    """Another name or id is another zone."""
    house = House(tmp_path)
    await house.passes()
    house.put(config(SHOP.replace("example.com", "example.net")))
    for _ in range(2):
        await house.reloading.run_once()
    assert house.daemon.tasks == {}
    await house.passes(1)
    assert house.daemon.tasks["shop"].zone.name == "example.net."


async def test_a_broken_config_changes_nothing_loudly(tmp_path: Path) -> None:
    """It stands in log, page and metrics until it is mended; so does one for another table."""
    house = House(tmp_path)
    await house.passes()
    registry = house.shown.page.registry
    for text in (
        config(SHOP.replace("name:", "nmae:", 1)),
        config(SHOP, table="other"),
        config(SHOP, azs="az2"),
    ):
        house.put(text)
        assert await house.passes() == ["config_refused"]
        assert list(house.daemon.tasks) == ["shop"]
        assert registry.get_sample_value("dnsplan_config_refused") == 1
        assert house.reloading.problems
    house.put(config(SHOP))
    assert await house.passes() == ["config_mended"]
    assert registry.get_sample_value("dnsplan_config_refused") == 0


async def test_sighup_is_answered(tmp_path: Path) -> None:
    """Also where nothing changed."""
    house = House(tmp_path)
    await house.passes()
    house.reloading.ask()
    assert await house.passes() == ["config_unchanged"]


async def test_what_waits_for_a_restart_is_named(tmp_path: Path) -> None:
    """All that AZs share, and pace."""
    house = House(tmp_path)
    await house.passes()
    house.put(config(SHOP, azs="az1, az2") + "enactor: {interval_s: 9}\n")
    with structlog.testing.capture_logs() as said:
        for _ in range(2):
            await house.reloading.run_once()
    (told,) = said
    assert (told["event"], told["needs_restart"]) == ("config_reloaded", ("azs", "enactor"))
