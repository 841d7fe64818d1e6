"""What waits for a receiver that the config no longer has reaches whoever is new, or is said."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest
from prometheus_client import CollectorRegistry
from structlog.testing import capture_logs

from dnsplan.notices import Change, Notice
from dnsplan.runtime.config import load
from dnsplan.runtime.config.alarms import Alarm
from dnsplan.runtime.paging.meters import PagingMeters
from dnsplan.runtime.paging.opening import Paging, Silent, Who, open_paging, strays_of
from dnsplan.runtime.paging.ports import KEPT_S
from dnsplan.runtime.paging.spool import DiskSpool, folder_name
from dnsplan.runtime.paging.strays import SAID_AGAIN_S, Strays
from tests.fakes.clock import FakeClock

CONFIG = """
azs: [az1]
paging: {{alarms: [{{{alarm}}}]}}
zones:
  shop: {{name: example.com, names: {{www: {{records: [{{type: A, values: [192.0.2.1]}}]}}}}}}
"""
OLD, OTHER, NEW = (folder_name("webhook", one) for one in ("old", "other", "new"))


def news(page_id: str, at_s: float, change: Change = Change.PAGE) -> Notice:
    """A notice with what a file keeps."""
    return Notice(page_id, change, page_id, page_id, at_s, {"id": page_id})


async def waits(folder: Path, name: str, *notices: Notice) -> None:
    """For one receiver, which is known by its folder."""
    (folder / name).mkdir(parents=True, exist_ok=True)
    for at, one in enumerate(notices, start=7):
        await DiskSpool(folder / name).keep(at, one)


async def waiting(folder: Path, name: str) -> list[Notice]:
    """What its next line takes up."""
    return [one for _, one in (await DiskSpool(folder / name).load()).notices]


def folders(folder: Path) -> list[str]:
    """All that stands there."""
    return sorted(one.name for one in folder.iterdir())


async def settled(folder: Path, present: Sequence[str], clock: FakeClock) -> Strays:
    """A daemon that starts with these receivers."""
    strays = Strays(folder, present, clock)
    await strays.settle()
    return strays


async def test_a_new_address_gets_what_waits_for_the_old_one(tmp_path: Path) -> None:
    """Word for word and in order; who was there before gets nothing twice."""
    clock = FakeClock()
    told = [news("a", clock.now_s()), news("a", clock.now_s() + 1.0, Change.RECOVERY)]
    await waits(tmp_path, OLD, *told)
    await waits(tmp_path, OTHER)
    with capture_logs() as events:
        strays = await settled(tmp_path, [OTHER, NEW], clock)
    assert await waiting(tmp_path, NEW) == told
    assert (await waiting(tmp_path, OTHER), strays.waiting) == ([], 0)
    assert not (tmp_path / OLD).exists()
    assert [one["count"] for one in events if one["event"] == "notices_taken_over"] == [2]


async def test_several_that_change_at_once_lose_nothing_and_double_nothing(tmp_path: Path) -> None:
    """Each page goes to each receiver, so each new one takes all of it, once."""
    clock = FakeClock()
    both, first, second = (news(one, clock.now_s() + at) for at, one in enumerate("abc"))
    await waits(tmp_path, OLD, both, second)
    await waits(tmp_path, OTHER, both, first)
    third = folder_name("sns", "third")
    await settled(tmp_path, [NEW, third], clock)
    for name in (NEW, third):
        assert await waiting(tmp_path, name) == [both, first, second]
    assert folders(tmp_path) == sorted([NEW, third])


async def test_a_crash_between_loses_and_doubles_nothing(tmp_path: Path) -> None:
    """Half a new folder stands beside the old one: it is made anew of what waits there."""
    clock = FakeClock()
    told = [news("a", clock.now_s()), news("b", clock.now_s() + 1.0)]
    await waits(tmp_path, OLD, *told)
    for name in (NEW, OTHER):
        await waits(tmp_path, f"{name}.new", told[0], news("of another life", clock.now_s()))
    await settled(tmp_path, [NEW], clock)
    assert await waiting(tmp_path, NEW) == told
    assert folders(tmp_path) == [NEW]


async def test_there_and_back_again(tmp_path: Path) -> None:
    """An address that is given up and taken again is a new one again, with nothing left behind."""
    clock = FakeClock()
    await waits(tmp_path, OLD)
    for name in (NEW, OLD, NEW):
        await settled(tmp_path, [name], clock)
        told = [*await waiting(tmp_path, name), news(name, clock.now_s())]
        await DiskSpool(tmp_path / name).keep(len(told), told[-1])
    assert [one.page_id for one in await waiting(tmp_path, NEW)] == [NEW, OLD, NEW]


@pytest.mark.parametrize("present", [[], [OTHER]])
async def test_what_nobody_takes_over_is_said_until_its_day_is_over(
    tmp_path: Path, present: list[str]
) -> None:
    """In the log each hour and in a metric; it goes after a day, and that is said too."""
    clock, registry = FakeClock(), CollectorRegistry()
    await waits(tmp_path, OLD, news("a", clock.now_s()))
    await waits(tmp_path, OTHER)
    strays = await settled(tmp_path, present, clock)
    PagingMeters([], registry, strays)
    label = {"sink": "receivers that are gone"}
    with capture_logs() as events:
        for passed_s in (0.0, 60.0, SAID_AGAIN_S):
            await clock.sleep(passed_s)
            await strays.run_once()
        assert registry.get_sample_value("dnsplan_notices_waiting", label) == 1
        await clock.sleep(KEPT_S)
        await strays.run_once()
    assert [one["event"] for one in events] == [*["notices_stranded"] * 2, "notice_undelivered"]
    assert (events[0]["pages"], events[0]["folders"], events[-1]["page"]) == (["a"], [OLD], "a")
    assert registry.get_sample_value("dnsplan_notices_waiting", label) == 0
    assert registry.get_sample_value("dnsplan_notices_undelivered_total", label) == 1
    assert not (tmp_path / OLD).exists()


async def test_what_a_new_receiver_comes_too_late_for_is_not_handed_over(tmp_path: Path) -> None:
    """Its day is over: its news would only confuse."""
    clock = FakeClock()
    old, late = news("old", clock.now_s() - KEPT_S - 1.0), news("late", clock.now_s())
    await waits(tmp_path, OLD, old, late)
    strays = await settled(tmp_path, [NEW], clock)
    assert await waiting(tmp_path, NEW) == [late]
    with capture_logs() as events:
        await strays.run_once()
    assert [one["page"] for one in events] == ["old"]
    assert not (tmp_path / OLD).exists()


async def test_a_disk_in_trouble_is_said_and_nothing_goes(tmp_path: Path) -> None:
    """A file stands where the new folder should."""
    clock = FakeClock()
    await waits(tmp_path, OLD, news("a", clock.now_s()))
    await asyncio.to_thread((tmp_path / NEW).write_text, "in the way")
    with capture_logs() as events:
        strays = await settled(tmp_path, [NEW], clock)
    assert [one["event"] for one in events] == ["notices_not_taken_over"]
    assert (strays.waiting, len(await waiting(tmp_path, OLD))) == (1, 1)


async def test_an_option_that_silences_leaves_the_real_folder_alone(tmp_path: Path) -> None:
    """A trial on the same state folder is no change of receivers."""
    folder = tmp_path / "paging" / "sentinel"
    hook = Alarm.model_validate({"command": ["/usr/bin/true"]})
    assert strays_of(Silent(), folder, FakeClock()) is None
    assert strays_of([hook], tmp_path / "none" / "paging" / "sentinel", FakeClock()) is None
    strays = strays_of([hook], folder, FakeClock())
    assert strays is not None
    await strays.settle()
    assert folders(folder) == [folder_name("command", "/usr/bin/true")]


async def test_a_state_folder_that_nobody_may_look_at_delays_no_daemon(tmp_path: Path) -> None:
    """Nothing is kept then, which is said; the pages go out."""
    path = tmp_path / "dns.yaml"
    await asyncio.to_thread(path.write_text, CONFIG.format(alarm="command: [/usr/bin/true]"))
    settings = await asyncio.to_thread(lambda: load(path, {}).settings)
    who = Who("planner", "", tmp_path / ("x" * 300))
    with capture_logs() as events:
        paging = await open_paging(settings, who, {}, FakeClock(), heartbeat=None)
    assert len(paging.lines) == 2
    assert "pages_not_kept" in [one["event"] for one in events]


async def test_a_daemon_that_starts_with_another_address_has_what_waited(tmp_path: Path) -> None:
    """Through the config, as planner and enactors open it."""

    async def started(alarm: str) -> Paging:
        path = tmp_path / "dns.yaml"
        await asyncio.to_thread(path.write_text, CONFIG.format(alarm=alarm))
        settings = await asyncio.to_thread(lambda: load(path, {}).settings)
        who = Who("planner", "", tmp_path)
        return await open_paging(settings, who, {}, FakeClock(), heartbeat=None)

    first = await started('webhook: {url: "https://pager.example.com/old"}')
    first.lines[1].put(news("a", FakeClock().now_s()))
    await first.close(within_s=0.0)
    second = await started('webhook: {url: "https://pager.example.com/new"}')
    assert len(second.lines[1].waiting_since_s) == 1
    third = await started("log: {}")
    await third.works[-1].run_once()
    assert third.strays is not None
    assert third.strays.waiting == 1
