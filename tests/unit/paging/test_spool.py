"""What waits for a sink outlives the process, whole and in order, and no longer than it must."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from dnsplan.notices import Change, Notice
from dnsplan.runtime.clock import SystemClock
from dnsplan.runtime.paging.delivery import Delivery
from dnsplan.runtime.paging.ports import Delivered, Loaded, SpoolFailed, Undelivered
from dnsplan.runtime.paging.spool import DiskSpool, folder_name

SECRET = "https://hooks.example.com/T0/very-secret"


def news(page_id: str, change: Change = Change.PAGE) -> Notice:
    """A notice of now, with facts as a page has them."""
    facts = {"id": page_id, "last_good": {"A": {"values": ["192.0.2.1"], "ttl_s": 60}}}
    return Notice(page_id, change, "wéb", "PAGE: wéb\n", SystemClock().now_s(), facts)


def files(folder: Path) -> list[str]:
    """What stands in a spool, but for what is only being written."""
    return sorted(one.name for one in folder.iterdir() if not one.name.startswith("."))


def damage(path: Path) -> None:
    """Half a file, as no release of ours writes it."""
    path.write_text("{half")


@dataclass
class Receiver:
    """`ports.Sink`: takes all or nothing."""

    takes: bool
    got: list[Notice] = field(default_factory=list)
    name: str = "fake"

    async def send(self, notice: Notice) -> Delivered | Undelivered:
        """Take it, or be down."""
        if not self.takes:
            return Undelivered("status 500")
        self.got.append(notice)
        return Delivered()


async def process(sink: Receiver, folder: Path, notices: Sequence[Notice] = ()) -> None:
    """One life of a daemon: take up, put, deliver for a moment, stop."""
    line = Delivery(sink, SystemClock(), DiskSpool(folder))
    await line.resume()
    for one in notices:
        line.put(one)
    await line.drain(within_s=0.3, poll_s=0.02)


async def test_what_a_process_could_not_deliver_the_next_one_does(tmp_path: Path) -> None:
    """Word for word, in order, under the same ids; and nothing is left of it on disk."""
    told = [news("a"), news("b"), news("a", Change.RECOVERY)]
    await process(Receiver(takes=False), tmp_path, told)
    assert len(files(tmp_path)) == len(told)
    back = Receiver(takes=True)
    await process(back, tmp_path, [news("c")])
    assert back.got[0] == told[0]
    assert {one.notice_id for one in back.got} >= {one.notice_id for one in told}
    assert [one.change for one in back.got if one.page_id == "a"] == ["page", "recovery"]
    assert files(tmp_path) == []


async def test_a_crash_right_after_the_write_loses_nothing(tmp_path: Path) -> None:
    """Killed while the receiver hangs: the notice stands on disk by then."""
    spool = DiskSpool(tmp_path)
    line = Delivery(Receiver(takes=False), SystemClock(), spool)
    line.put(news("a"))
    await line.run_once()
    async with asyncio.timeout(10.0):
        while not files(tmp_path):  # noqa: ASYNC110 - a disk tells nobody
            await asyncio.sleep(0.01)
    loaded = await DiskSpool(tmp_path).load()
    assert [one.page_id for _, one in loaded.notices] == ["a"]
    await line.drain(within_s=0.0)


async def test_a_file_that_cannot_be_read_is_set_aside_and_stops_no_other(tmp_path: Path) -> None:
    """It may hold the only word of what happened, so it stays, under another name."""
    await DiskSpool(tmp_path).keep(7, news("a"))
    damage(tmp_path / "0000000003.json")
    sink = Receiver(takes=True)
    with capture_logs() as events:
        await process(sink, tmp_path)
    assert [one.page_id for one in sink.got] == ["a"]
    assert files(tmp_path) == ["0000000003.unreadable"]
    assert "spooled_notice_unreadable" in [one["event"] for one in events]


async def test_a_file_that_cannot_even_be_opened_stops_no_other_and_stays(tmp_path: Path) -> None:
    """As one of root's: the rest goes out, and nothing new takes its place on disk."""
    await DiskSpool(tmp_path).keep(1, news("a"))
    (tmp_path / "0000000004.json").mkdir()
    sink = Receiver(takes=True)
    with capture_logs() as events:
        await process(sink, tmp_path)
        await process(Receiver(takes=False), tmp_path, [news("b")])
    assert [one.page_id for one in sink.got] == ["a"]
    assert files(tmp_path) == ["0000000004.json", "0000000005.json"]
    assert "spooled_notice_unreadable" in [one["event"] for one in events]


async def test_nothing_that_waits_is_written_over(tmp_path: Path) -> None:
    """A process that could not read what there is begins its numbers anew."""
    spool = DiskSpool(tmp_path)
    await spool.keep(0, news("a"))
    with pytest.raises(SpoolFailed, match="stands there already"):
        await spool.keep(0, news("b"))
    assert [one.page_id for _, one in (await spool.load()).notices] == ["a"]


class Stuck:
    """`ports.Spool` on a disk that is full, or that never answers."""

    def __init__(self, *, hangs: bool) -> None:
        """Hang, or fail."""
        self._hangs = hangs
        self.tried: list[tuple[int, str]] = []

    async def load(self) -> Loaded:
        """Nothing to be had."""
        raise SpoolFailed("disk: input/output error")

    async def keep(self, number: int, notice: Notice) -> None:
        """No room."""
        self.tried.append((number, notice.page_id))
        if self._hangs:
            await asyncio.Event().wait()
        raise SpoolFailed("disk: no space left on device")

    async def let_go(self, number: int) -> None:
        """Nothing to let go."""
        self.tried.append((number, ""))
        raise SpoolFailed("disk: no space left on device")


@pytest.mark.parametrize("hangs", [True, False])
async def test_a_disk_in_trouble_delays_no_page(*, hangs: bool) -> None:
    """It is said once that nothing can be kept, and every page goes out."""
    sink = Receiver(takes=True)
    line = Delivery(sink, SystemClock(), Stuck(hangs=hangs))
    with capture_logs() as events:
        await line.resume()
        for at in range(20):
            line.put(news(f"p{at}"))
        async with asyncio.timeout(10.0):
            await line.drain(within_s=5.0, poll_s=0.01)
    assert len(sink.got) == 20
    assert [one["event"] for one in events].count("notice_not_kept") == (0 if hangs else 1)
    assert "spool_unreadable" in [one["event"] for one in events]


@pytest.mark.parametrize("hangs", [True, False])
async def test_what_is_not_kept_is_named_when_the_process_ends(*, hangs: bool) -> None:
    """A disk in trouble and a receiver that is down: the log is all that is left."""
    line = Delivery(Receiver(takes=False), SystemClock(), Stuck(hangs=hangs))
    with capture_logs() as events:
        line.put(news("a"))
        await line.drain(within_s=0.1, poll_s=0.01)
    assert [one["page"] for one in events if one["event"] == "notice_undelivered"] == ["a"]


def test_a_folder_tells_receivers_apart_and_no_address() -> None:
    """The same receiver has the same folder wherever it stands in the config."""
    name = folder_name("webhook", SECRET)
    assert name == folder_name("webhook", SECRET)
    assert name != folder_name("webhook", SECRET + "2")
    assert name.startswith("webhook-")
    assert "secret" not in name
