"""A source's last whole list outlives its planner, and is never taken for the whole truth."""

import asyncio
from datetime import UTC, datetime
from pathlib import Path

from structlog.testing import capture_logs

from planner.adapters.sources.remembered import FOLDER, KEPT_EVERY_S, RememberedSource
from planner.rules.roll import NOT_READ, Found, Listing, heard
from tests.fakes.clock import FakeClock
from tests.unit.planner.test_sourcing import Told, feed

A, B, C = (
    Found(id=one, address=f"192.0.2.{n}", alias=None, types=("A",), capacity=n, az="az1")
    for n, one in enumerate("abc", 1)
)
AWAY = Listing((), "connection refused")


class Ground:
    """A folder, a clock, and planners that start one after another."""

    def __init__(self, folder: Path) -> None:
        """Nothing is kept yet."""
        self.folder, self.clock = folder, FakeClock()

    def starts(self, told: Told, *, words: str = "one", keeps: bool = True) -> RememberedSource:
        """The source as a fresh planner opens it."""
        return RememberedSource(told, feed(words), self.folder, clock=self.clock, keeps=keeps)

    async def keeps(self, *targets: Found) -> None:
        """A planner reads this whole list and ends."""
        assert await writes(self.starts(Told(Listing(targets))))

    @property
    def file(self) -> Path:
        """What is kept."""
        (only,) = (self.folder / FOLDER).iterdir()
        return only


async def writes(source: RememberedSource) -> bool:
    """Whether a read puts something on disk."""
    before = source._writing
    await source.read()
    if source._writing is None or source._writing is before:
        return False
    await source._writing
    return True


async def test_a_planner_that_starts_while_the_source_is_away_knows_its_targets(
    tmp_path: Path,
) -> None:
    """With capacity and AZ. The list is incomplete, so nobody is gone for it; its time is told."""
    ground = Ground(tmp_path)
    at = datetime.fromtimestamp(ground.clock.now_s(), UTC).strftime("%Y-%m-%d %H:%M:%SZ")
    await ground.keeps(A, B)
    ground.clock.advance(3_600.0)
    listing = await ground.starts(Told(AWAY)).read()
    told = f"connection refused; known from the read of {at}: 2 targets"
    assert Listing((A, B), told) == listing
    assert not listing.is_complete
    roll = heard(NOT_READ, listing, hold_s=60.0, now_s=1.0)
    assert (roll.found, roll.is_read) == ((A, B), False)


async def test_what_the_source_says_itself_comes_first(tmp_path: Path) -> None:
    """Half a list is joined by what it lacks; an address that has moved is not named twice."""
    ground = Ground(tmp_path)
    await ground.keeps(A, B)
    moved = Found(id="new", address=B.address, alias=None, types=("A",), capacity=1)
    listing = await ground.starts(Told(Listing((moved,), "cut off"))).read()
    assert (moved, A) == listing.targets


async def test_a_whole_list_ends_what_was_remembered(tmp_path: Path) -> None:
    """From then on the running planner knows better than the disk."""
    ground = Ground(tmp_path)
    await ground.keeps(A, B)
    told = Told(Listing((C,)))
    source = ground.starts(told)
    assert Listing((C,)) == await source.read()
    told.listing = AWAY
    assert await source.read() == AWAY


async def test_a_list_that_stays_the_same_is_written_now_and_then(tmp_path: Path) -> None:
    """Another one at once; and a command that ends writes nothing."""
    ground = Ground(tmp_path)
    told = Told(Listing((A,)))
    source = ground.starts(told)
    written = []
    for after_s, targets in ((0.0, (A,)), (1.0, (A,)), (KEPT_EVERY_S, (A,)), (1.0, (A, B))):
        ground.clock.advance(after_s)
        told.listing = Listing(targets)
        written.append(await writes(source))
    assert written == [True, False, True, True]
    looking = ground.starts(Told(Listing((C,))), keeps=False)
    assert not await writes(looking)


async def test_a_damaged_file_is_told_and_left_alone(tmp_path: Path) -> None:
    """As if nothing was kept; the next whole list takes its place."""
    ground = Ground(tmp_path)
    await ground.keeps(A)
    for text in ("", "{", '{"of": ["web", "one"], "read_s": 1, "targets": [{"id": 7}]}'):
        ground.file.write_text(text)
        with capture_logs() as logs:
            assert await ground.starts(Told(AWAY)).read() == AWAY
        assert [one["event"] for one in logs] == ["source_memory_ignored"]
    await ground.keeps(B)
    assert (await ground.starts(Told(AWAY)).read()).targets == (B,)


async def test_one_source_s_list_is_never_another_s(tmp_path: Path) -> None:
    """Also when a file was moved by hand."""
    ground = Ground(tmp_path)
    await ground.keeps(A)
    kept = ground.file
    assert await ground.starts(Told(AWAY), words="two").read() == AWAY
    other = ground.starts(Told(Listing((B,))), words="two")
    assert await writes(other)
    other._path.write_text(kept.read_text())
    assert await ground.starts(Told(AWAY), words="two").read() == AWAY


async def test_a_folder_that_cannot_be_written_hurts_no_read(tmp_path: Path) -> None:
    """It is told, and the list counts."""
    (tmp_path / FOLDER).write_text("a file where the folder should be")
    source = Ground(tmp_path).starts(Told(Listing((A,))))
    with capture_logs() as logs:
        assert Listing((A,)) == await source.read()
        await asyncio.wait([source._writing] if source._writing else [])
    assert [one["event"] for one in logs] == ["source_not_kept"]
