"""Another config while the planner runs: taken whole and settled, or not at all, and said."""

import os
from pathlib import Path
from typing import Any

import pytest
import structlog

from dnsplan.runtime.config import load
from dnsplan.runtime.config.rereading import Broken, ConfigFiles, Reread
from dnsplan.runtime.reloading import SAID_AGAIN_S
from planner.outlook import Outlook
from planner.reloading import reloading_for
from planner.settings import planner_settings
from planner.sourcing import Sourcing
from planner.watch import Watch
from tests.fakes.clock import FakeClock, SeededJitter
from tests.fakes.prober import FakeProber
from tests.unit.planner.test_daemon import never_opened

ONE = """
azs: [use1-az1]
zones: {shop: {name: example.com, names: {www: {pool: web}}}}
pools: {web: {targets: [{id: a, address: 192.0.2.1}], health: {tcp: {port: 80}}}}
"""
TWO = ONE.replace("[{id: a,", "[{id: b, address: 192.0.2.2}, {id: a,")
BROKEN = ONE.replace("pool: web", "pool: wep")


class House:
    """A planner that runs on a config file."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "dns.yaml"
        self.made = 0
        self.clock = FakeClock()

    def put(self, text: str) -> None:
        """Replace the file whole, as people and tools do."""
        self.made += 1
        fresh = self.path.with_name(f"new{self.made}")
        fresh.write_text(text)
        os.utime(fresh, (self.made, self.made))
        fresh.replace(self.path)

    def start(self, *, az: str | None = "use1-az1") -> None:
        """Start on what stands there."""
        loaded = load(self.path, {})
        wanted = planner_settings(loaded.settings)
        self.files = ConfigFiles(loaded, {})
        clock, jitter = self.clock, SeededJitter()
        watch = Watch(wanted.watched, FakeProber(), clock=clock, jitter=jitter)
        sourcing = Sourcing((), never_opened, clock=clock, jitter=jitter)
        self.outlook = Outlook(wanted, watch, sourcing)
        self.reloading = reloading_for(self.files, self.outlook, clock=clock, az=az)

    async def passes(self, count: int = 2) -> list[dict[str, Any]]:
        """Look so often; what was said."""
        with structlog.testing.capture_logs() as said:
            for _ in range(count):
                await self.reloading.run_once()
                self.clock.advance(5.0)
        return [dict(one) for one in said]

    def targets(self) -> list[str]:
        """The members of the pool that the planner plans for."""
        (unit,) = self.outlook.wishes()[0].driven
        return [one.target_id for one in unit.members]


@pytest.fixture
def house(tmp_path: Path) -> House:
    """One target is stated, and a planner runs."""
    made = House(tmp_path)
    made.put(ONE)
    made.start()
    return made


async def test_a_changed_config_is_taken_up(house: House) -> None:
    """Wishes and probes alike, and it is said once."""
    house.put(TWO)
    said = await house.passes(5)
    assert [(one["event"], one["zones"]) for one in said] == [("config_reloaded", 1)]
    assert house.targets() == ["a", "b"]


async def test_what_is_still_being_written_is_not_taken_up(house: House) -> None:
    """Sound and short is what half a file can be: only what stands still counts."""
    for text in (TWO, ONE.replace("www", "api"), TWO.replace("192.0.2.2", "192.0.2.3")):
        house.put(text)
        assert await house.passes(1) == []
        assert house.targets() == ["a"]
    await house.passes(1)
    assert house.targets() == ["a", "b"]


async def test_a_config_with_mistakes_changes_nothing_loudly(house: House) -> None:
    """It is said with every mistake, again each minute, and when it is mended."""
    house.put(BROKEN)
    (said,) = await house.passes(2)
    assert (said["event"], said["log_level"], said["count"]) == ("config_refused", "error", 1)
    assert "wep, a pool that does not exist" in said["problems"][0]
    assert house.targets() == ["a"]
    assert await house.passes(2) == []
    house.clock.advance(SAID_AGAIN_S)
    assert [one["event"] for one in await house.passes(1)] == ["config_refused"]
    house.put(ONE)
    assert [one["event"] for one in await house.passes(3)] == ["config_mended"]


async def test_a_file_that_is_gone_changes_nothing(house: House) -> None:
    """Absence is no instruction."""
    house.path.unlink()
    assert [one["event"] for one in await house.passes(2)] == ["config_refused"]
    assert house.targets() == ["a"]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (f"table: other\n{TWO}", "table other instead of dnsplan: that needs a restart"),
        (TWO.replace("use1-az1", "use1-az2"), "azs no longer name use1-az1"),
    ],
)
async def test_what_a_running_planner_is_bound_to_does_not_change(
    house: House, text: str, why: str
) -> None:
    """The rest of that config is not taken up either: it is one whole."""
    house.put(text)
    (said,) = await house.passes(2)
    assert said["event"] == "config_refused"
    assert said["problems"][0].startswith(why)
    assert house.targets() == ["a"]


async def test_what_needs_a_restart_is_named(house: House) -> None:
    """Pace and addresses to listen at are taken when a process starts."""
    house.put(TWO + "planner: {interval_s: 9}\n")
    (said,) = await house.passes(2)
    assert (said["event"], said["needs_restart"]) == ("config_reloaded", ("planner",))


async def test_a_zone_that_the_config_lost_is_named(house: House) -> None:
    """It is planned no more and keeps what it holds."""
    house.put(ONE.replace("shop:", "store:"))
    (said,) = await house.passes(2)
    assert said["zones_gone"] == ("shop",)
    assert [one.label for one in house.outlook.wishes()] == ["store"]


def test_files_of_an_include_count_too(tmp_path: Path) -> None:
    """Those that were read, and those that come to fit its pattern."""
    path, more = tmp_path / "dns.yaml", tmp_path / "zones"
    more.mkdir()
    record = "{records: [{type: A, values: [192.0.2.1]}]}"
    zone = "zones: {%s: {name: %s.example, names: {www: " + record + "}}}"
    (more / "a.yaml").write_text(zone % ("a", "a"))
    path.write_text("include: [zones/*.yaml]\nazs: [use1-az1]\n")
    files = ConfigFiles(load(path, {}), {})
    assert (files.look(), files.look()) == (None, None)
    (more / "b.yaml").write_text(zone % ("b", "b"))
    assert files.look() is None
    news = files.look()
    assert isinstance(news, Reread)
    assert sorted(news.loaded.settings.zones) == ["a", "b"]
    (more / "b.yaml").unlink()
    (more / "a.yaml").write_text("zones: {")
    assert files.look() is None
    assert isinstance(files.look(), Broken)
