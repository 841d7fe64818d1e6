"""Open pages outlive the process: a restart tells nothing twice and forgets no end."""

import asyncio
import threading
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from dnsplan.notices import Cause, Notice
from dnsplan.runtime.paging.book import Manners
from dnsplan.runtime.paging.delivery import Delivery
from dnsplan.runtime.paging.pager import FILE, Pager
from dnsplan.runtime.paging.ports import Delivered
from tests.fakes.clock import FakeClock

MANNERS = Manners(repeat_s=3_600.0, calm_s=0.0)
CAUSE = Cause(
    kind="lagging-zone",
    label="shop",
    verdict="lag",
    title="t",
    commands=("c",),
    runbook="stale-zone",
)


class Ear:
    """`ports.Sink`: keeps what it hears."""

    name = "ear"

    def __init__(self) -> None:
        """Nothing yet."""
        self.heard: list[tuple[str, str]] = []

    async def send(self, notice: Notice) -> Delivered:
        """Take it."""
        self.heard.append((str(notice.change), notice.page_id))
        return Delivered()


async def life(folder: Path, ear: Ear, *passes: tuple[Cause, ...]) -> None:
    """One life of a daemon: resume, some passes, an end without farewell."""
    clock = FakeClock()
    line = Delivery(ear, clock)
    pager = Pager([line], clock, MANNERS, folder)
    await pager.resume()
    for causes in passes:
        await pager.tell(causes, is_unsure=lambda _: False)
    while not line.is_idle:
        await line.run_once()
        await asyncio.sleep(0)


async def test_a_restart_tells_nothing_twice_and_forgets_no_end(tmp_path: Path) -> None:
    """The page of the former process stands, and its end is told by the next."""
    ear = Ear()
    await life(tmp_path, ear, (CAUSE,))
    await life(tmp_path, ear, (CAUSE,), (CAUSE,))
    assert ear.heard == [("page", "lagging-zone/shop")]
    await life(tmp_path, ear, ())
    assert ear.heard[1:] == [("recovery", "lagging-zone/shop")]
    await life(tmp_path, ear, ())
    assert len(ear.heard) == 2


async def test_a_file_that_cannot_be_read_or_written_ends_nothing(tmp_path: Path) -> None:
    """It is said, and the page goes out, perhaps a second time under the same id."""
    ear = Ear()
    (tmp_path / FILE).mkdir()
    with capture_logs() as events:
        await life(tmp_path, ear, (CAUSE,))
    assert ear.heard == [("page", "lagging-zone/shop")]
    assert {one["event"] for one in events} >= {"pages_unreadable", "pages_not_stored"}


async def test_a_disk_that_hangs_keeps_no_news_waiting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The page goes out, and its end, though neither can be stored; which is said once."""
    back, ear = threading.Event(), Ear()
    monkeypatch.setattr("dnsplan.runtime.paging.pager._write", lambda *_: back.wait(timeout=30.0))
    monkeypatch.setattr("dnsplan.runtime.paging.pager.STORED_WITHIN_S", 0.02)
    with capture_logs() as events:
        async with asyncio.timeout(10.0):
            await life(tmp_path, ear, (CAUSE,), ())
    back.set()
    assert ear.heard == [("page", "lagging-zone/shop"), ("recovery", "lagging-zone/shop")]
    reasons = [one["reason"] for one in events if one["event"] == "pages_not_stored"]
    assert reasons == [f"{tmp_path / FILE}: not written within 0.02 s"]
