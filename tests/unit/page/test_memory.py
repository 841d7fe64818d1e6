"""What a page last showed outlives its daemon: whole or not at all, and known for what it is."""

from pathlib import Path

import pytest
from structlog.testing import capture_logs

from dnsplan.runtime.page.memory import FILE_BYTES_MAX, KEEP_EVERY_S
from tests.fakes.world import a
from tests.unit.page.desk import WWW, Desk


async def test_a_daemon_that_starts_without_the_table_shows_what_stood(tmp_path: Path) -> None:
    """The whole zone, when it was read, and that it is past; until the table is there again."""
    desk = Desk(tmp_path)
    await desk.world.publish(a(WWW, "192.0.2.1"))
    await desk.enact()
    await desk.read()
    before, read_s = desk.view.zones(), desk.world.clock.now_s()
    desk.world.table.reachable = False
    desk.world.clock.advance(7_200.0)
    desk.start()
    await desk.read()
    source = desk.reading.source()
    assert desk.view.zones() == before
    assert (source.read_s, source.failing_since_s) == (read_s, read_s + 7_200.0)
    assert source.failing
    desk.world.table.reachable = True
    await desk.world.publish(a(WWW, "192.0.2.2"))
    await desk.read()
    ((zone,), _) = desk.view.zones()
    assert (desk.reading.source().failing, zone.head) == (None, 2)
    assert [(one.generation, one.claimed_s) for one in zone.stages] == [(2, None)]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "truncated"),
        ('{"format": 1, "table": "dnsplan"}', "read_s"),
        ('{"format": 9, "table": "t", "read_s": 1, "presences": [], "zones": {}}', "format 9"),
        ('{"format": 1, "table": "t", "read_s": 1, "presences": [], "zones": {}}', "table t,"),
        (" " * (FILE_BYTES_MAX + 1), "bytes, more than"),
    ],
)
async def test_what_is_damaged_or_foreign_is_passed_over(
    tmp_path: Path, text: str, says: str
) -> None:
    """With a word in the log; the page shows what it reads, and keeps that in its place."""
    desk = Desk(tmp_path)
    path = tmp_path / "page" / "planner.json"
    path.parent.mkdir()
    path.write_text(text)
    with capture_logs() as logged:
        await desk.read()
    (said,) = logged
    assert (said["event"], str(path) in said["reason"]) == ("page_memory_ignored", True)
    assert says in said["reason"]
    assert path.read_text() != text
    desk.start()
    with capture_logs() as logged:
        await desk.read()
    assert logged == []


async def test_it_is_kept_now_and_then_and_trouble_is_said_once(tmp_path: Path) -> None:
    """A disk has other things to do; whoever installs the daemon makes the folder."""
    desk = Desk(tmp_path)
    path = tmp_path / "page" / "planner.json"
    await desk.read()
    first = path.stat().st_mtime_ns
    desk.world.clock.advance(KEEP_EVERY_S - 1.0)
    await desk.reading.run_once()
    await desk.memory.written()
    assert path.stat().st_mtime_ns == first
    desk.world.clock.advance(1.0)
    await desk.reading.run_once()
    await desk.memory.written()
    second = path.stat().st_mtime_ns
    assert second > first
    await desk.read()
    assert path.stat().st_mtime_ns > second
    away = Desk(tmp_path / "away")
    with capture_logs() as logged:
        for _ in range(3):
            await away.read()
            away.world.clock.advance(KEEP_EVERY_S)
    reason = f"state_dir {tmp_path / 'away'}: no such folder"
    assert [(one["event"], one["reason"]) for one in logged] == [("page_memory_not_kept", reason)]
