"""Break-glass needs a file: every enactor keeps the last good plans, and none suffers from it."""

from pathlib import Path

import pytest
from msgspec import structs
from structlog.testing import capture_logs

from dnsplan.codec import seal
from dnsplan.errors import ReadFailed
from dnsplan.formats.planfile import plan_file, read_plan_file
from dnsplan.plan import Digest, Generation
from enactor.adapters.plan_files import FILES_KEPT, DiskPlanFiles
from enactor.keeping import Keeping
from tests.fakes.world import World, a
from tests.unit.adopting.hands import settled

WWW = a("www.example.com", "192.0.2.1")


def keeping(world: World, folder: Path) -> Keeping:
    """One AZ's, as after a restart."""
    return Keeping(world.table, world.archive, DiskPlanFiles(folder), ["shop"])


def files(folder: Path) -> list[str]:
    """What is kept of the zone."""
    return sorted(one.name for one in (folder / "plans" / "shop").iterdir())


async def apply(world: World, *values: str) -> None:
    """One more good plan."""
    await world.publish(a("www.example.com", *values))
    await world.enact(cycle := world.az())
    await world.settle(cycle)


async def test_a_good_plan_is_kept_as_restore_takes_it(tmp_path: Path) -> None:
    """The file says what export would say, and it is read once for each plan."""
    world = await settled(WWW)
    plan = await world.publish(WWW, a("api.example.com", "192.0.2.2"))
    hand = keeping(world, tmp_path)
    await hand.run_once()
    assert files(tmp_path) == ["1.json"]
    await world.enact(cycle := world.az())
    await hand.run_once()
    assert files(tmp_path) == ["1.json"]
    await world.settle(cycle)
    await hand.run_once()
    text = (tmp_path / "plans" / "shop" / "2.json").read_text()
    assert read_plan_file(text, "f") == plan_file(plan, seal(plan).plan_id.digest)
    world.archive.reachable = False
    await hand.run_once()


async def test_the_newest_few_stay(tmp_path: Path) -> None:
    """And what a person put beside them."""
    world = await settled(WWW)
    hand = keeping(world, tmp_path)
    for n in range(FILES_KEPT + 2):
        await apply(world, f"192.0.2.{n + 10}")
        await hand.run_once()
        (tmp_path / "plans" / "shop" / "before.json").touch()
    last = FILES_KEPT + 3
    assert files(tmp_path) == [*(f"{n}.json" for n in range(4, last + 1)), "before.json"]


async def test_a_table_that_went_back_takes_no_file_along(tmp_path: Path) -> None:
    """The files know more than it does, which is what they are for."""
    world = await settled(WWW)
    backup = world.table.snapshot()
    await apply(world, "192.0.2.11")
    await keeping(world, tmp_path).run_once()
    world.table.restore(backup, incarnation="table-2")
    await keeping(world, tmp_path).run_once()
    assert files(tmp_path) == ["2.json"]


async def test_a_plan_with_names_held_back_is_not_good(tmp_path: Path) -> None:
    """Applied is not good: the last one that was stays the newest file."""
    world = await settled(WWW)
    bad = structs.replace(a("api.example.com", "192.0.2.2"), health_check_id="none-such")
    await world.publish(WWW, bad)
    await world.enact(cycle := world.az())
    await world.settle(cycle)
    item = await world.item()
    assert (item.applied, item.last_known_good) == (2, 1)
    await keeping(world, tmp_path).run_once()
    assert not (tmp_path / "plans").exists()


async def test_what_cannot_be_kept_is_said_once_and_holds_nothing(tmp_path: Path) -> None:
    """No folder, no body: a warning, and it is tried again at each pass."""
    world = await settled(WWW)
    hand = keeping(world, tmp_path / "none")
    with capture_logs() as said:
        await hand.run_once()
        await hand.run_once()
    (one,) = said
    assert (one["event"], one["log_level"]) == ("plan_not_kept", "warning")
    assert one["reason"].endswith("none: no such folder")
    (tmp_path / "none").mkdir()
    await hand.run_once()
    assert files(tmp_path / "none") == ["1.json"]


async def test_what_two_zones_want_for_is_said_once_each(tmp_path: Path) -> None:
    """Neither reason makes the other news again."""
    world = await settled(WWW)
    item = await world.item()
    world.table.items["cafe"] = structs.replace(item, label="cafe")
    world.archive.bodies.clear()
    files = DiskPlanFiles(tmp_path)
    hand = Keeping(world.table, world.archive, files, ["cafe", "shop"])
    with capture_logs() as said:
        await hand.run_once()
        await hand.run_once()
    assert [one["event"] for one in said] == ["plan_not_kept", "plan_not_kept"]
    assert len({one["reason"] for one in said}) == 2


async def test_a_folder_that_cannot_be_made_is_said(tmp_path: Path) -> None:
    """A file in its place, as after a mistaken hand."""
    world = await settled(WWW)
    (tmp_path / "plans").touch()
    with capture_logs() as said:
        await keeping(world, tmp_path).run_once()
    assert [one["event"] for one in said] == ["plan_not_kept"]


async def test_a_disk_in_trouble_costs_the_files_and_no_daemon(tmp_path: Path) -> None:
    """What stands in the way of the oldest files cannot be let go, and a state folder cannot even
    be looked at."""
    world = await settled(WWW)
    await apply(world, "192.0.2.11")
    for digits in range(1, FILES_KEPT + 1):
        (tmp_path / "plans" / "shop" / f"{'0' * digits}.json").mkdir(parents=True)
    with capture_logs() as said:
        await keeping(world, tmp_path).run_once()
        await keeping(world, tmp_path / ("x" * 300)).run_once()
    assert {one["event"] for one in said} == {"plan_not_kept"}
    assert len(said) == 2


async def test_a_table_that_is_away_is_a_failed_pass(tmp_path: Path) -> None:
    """As for every pass: it is logged, and the next one comes."""
    world = await settled(WWW)
    world.table.reachable = False
    with pytest.raises(ReadFailed):
        await keeping(world, tmp_path).run_once()


async def test_a_digest_that_the_item_does_not_name_is_not_guessed(tmp_path: Path) -> None:
    """The bytes are checked against the digest that was confirmed, or nothing is kept."""
    world = await settled(WWW)
    item = await world.item()
    world.table.items["shop"] = structs.replace(item, last_known_good=Generation(0))
    await keeping(world, tmp_path).run_once()
    world.table.items["shop"] = item
    plan_id = item.head_id
    body = world.archive.bodies[plan_id]
    world.archive.bodies[plan_id] = structs.replace(body, body=body.body + b" ")
    with capture_logs() as said:
        await keeping(world, tmp_path).run_once()
    assert "do not match digest" in said[0]["reason"]
    assert plan_id.digest != Digest("")
    assert not (tmp_path / "plans").exists()
