"""Notices reach a sink in their page's order, are tried again within bounds, wait for no other
page, and are never lost unsaid."""

import asyncio
from collections import Counter
from dataclasses import dataclass, field
from itertools import pairwise

import pytest
from structlog.testing import capture_logs

from dnsplan.notices import Change, Notice
from dnsplan.runtime.paging.delivery import (
    AT_ONCE_MAX,
    DELAY_MAX_S,
    WAITING_MAX,
    Delivery,
)
from dnsplan.runtime.paging.opening import DELIVER_EVERY_S
from dnsplan.runtime.paging.ports import KEPT_S, Delivered, Undelivered
from dnsplan.runtime.periodic import Periodic, Stop, keep_doing
from sentinel.rules.pace import pace_for
from tests.fakes.clock import FakeClock, SeededJitter
from tests.unit.sentinel.virtual import START_S, VirtualClock, in_virtual_time

PASSING = Undelivered("status 503")
PACE = pace_for(30.0)


@dataclass
class FakeSink:
    """`sentinel.ports.Sink`: refuses some pages, as often as it is told, and sits on others."""

    refusing: dict[str, list[Undelivered]] = field(default_factory=dict)
    hanging: frozenset[str] = frozenset()
    got: list[tuple[str, str]] = field(default_factory=list)
    got_at_s: dict[str, float] = field(default_factory=dict)
    tried_at_s: list[float] = field(default_factory=list)
    tries: Counter[str] = field(default_factory=Counter)
    at_once: int = 0
    at_once_max: int = 0
    name: str = "fake"

    async def send(self, notice: Notice) -> Delivered | Undelivered:
        """Take it, refuse it, or answer nothing in the time that a sink has."""
        self.tries[notice.page_id] += 1
        self.tried_at_s.append(now_s())
        self.at_once += 1
        self.at_once_max = max(self.at_once_max, self.at_once)
        await asyncio.sleep(PACE.sink_s if notice.page_id in self.hanging else 0.01)
        self.at_once -= 1
        if notice.page_id in self.hanging:
            return Undelivered("no answer")
        if outcomes := self.refusing.get(notice.page_id):
            return outcomes.pop(0)
        self.got.append((notice.page_id, str(notice.change)))
        self.got_at_s.setdefault(notice.page_id, now_s())
        return Delivered()


def now_s() -> float:
    """Virtual time."""
    return asyncio.get_running_loop().time()


def page(page_id: str, change: Change = Change.PAGE) -> Notice:
    """A notice of which only id and change matter."""
    return Notice(page_id, change, page_id, page_id, START_S, {})


def deliver(
    sink: FakeSink,
    *notices: Notice,
    seconds: float = 60.0,
    later: Notice | None = None,
    each_s: float = DELIVER_EVERY_S,
) -> bool:
    """Deliver as the daemon does for a time, one notice coming after a second; whether all left."""

    async def run() -> bool:
        line, stop = Delivery(sink, VirtualClock()), Stop()
        for one in notices:
            line.put(one)
        work = Periodic("deliver", each_s, line.run_once)
        doing = asyncio.create_task(
            keep_doing(work, clock=VirtualClock(), jitter=SeededJitter(1), stop=stop)
        )
        await asyncio.sleep(1.0)
        if later is not None:
            line.put(later)
        await asyncio.sleep(seconds - 1.0)
        stop.request()
        await doing
        is_idle = line.is_idle
        await line.drain(within_s=0.0)
        return is_idle

    return in_virtual_time(run)


def test_news_of_one_page_are_delivered_in_their_order() -> None:
    """First a page, then its change, then its recovery, also when the first is refused twice."""
    sink = FakeSink({"a": [PASSING, PASSING]})
    assert deliver(sink, *(page("a", one) for one in (Change.PAGE, Change.CHANGE, Change.RECOVERY)))
    assert sink.got == [("a", "page"), ("a", "change"), ("a", "recovery")]


def test_a_page_waits_for_no_other_page_that_is_refused() -> None:
    """P12: a receiver that answers 503 for one notice gets the next one at once."""
    sink = FakeSink({"stuck": [PASSING] * 60})
    deliver(sink, page("stuck"), page("b"), later=page("c"))
    assert sink.got_at_s["b"] < 1.0
    assert sink.got_at_s["c"] < 2.0


def test_a_page_waits_for_one_send_at_most_when_receivers_hang() -> None:
    """P12: as many hang as may be under way, and each is tried again; a new page goes before."""
    stuck = [f"stuck{at}" for at in range(3 * AT_ONCE_MAX)]
    sink = FakeSink(hanging=frozenset(stuck))
    deliver(sink, *map(page, stuck[:AT_ONCE_MAX]), later=page("new"))
    assert sink.got_at_s["new"] - 1.0 <= PACE.sink_s + 1.0
    assert PACE.found_within_s + sink.got_at_s["new"] - 1.0 <= PACE.page_within_s
    assert sink.at_once_max == AT_ONCE_MAX


def test_so_many_sends_at_once_and_no_more() -> None:
    """A flood is delivered whole, in portions that a receiver can take."""
    sink = FakeSink()
    assert deliver(sink, *(page(f"p{at}") for at in range(5 * AT_ONCE_MAX)))
    assert sink.at_once_max == AT_ONCE_MAX
    assert sorted(sink.got) == sorted((f"p{at}", "page") for at in range(5 * AT_ONCE_MAX))


def test_a_receiver_in_trouble_is_not_hammered() -> None:
    """The waits between tries double."""
    sink = FakeSink({"a": [PASSING] * 4})
    assert deliver(sink, page("a"))
    times_s = sink.tried_at_s
    waits = [round(after - before) for before, after in pairwise(times_s)]
    assert waits == [1, 2, 4, 8]


def test_tries_are_bounded_and_the_end_is_said() -> None:
    """A notice that nobody takes for a day costs a try a minute, and later news get theirs."""
    tries_max = int(KEPT_S / DELAY_MAX_S) + 10
    sink = FakeSink({"a": [PASSING] * tries_max})
    with capture_logs() as events:
        assert deliver(sink, page("a"), page("b"), seconds=KEPT_S + 2 * DELAY_MAX_S, each_s=30.0)
    said = Counter((one["event"], one["log_level"], one["page"]) for one in events)
    assert said["notice_undelivered", "error", "a"] == 1
    assert KEPT_S / DELAY_MAX_S * 0.6 < sink.tries["a"] < tries_max
    assert sink.got == [("b", "page")]


def test_a_receiver_that_was_down_for_hours_gets_everything_in_order() -> None:
    """Nothing is given up while somebody may still want to know."""
    news = (page("a"), page("b"), page("a", Change.RECOVERY))
    sink = FakeSink({"a": [PASSING] * 120, "b": [PASSING] * 120})
    assert deliver(sink, *news, seconds=3 * 3_600.0, each_s=10.0)
    assert sorted(sink.got) == [("a", "page"), ("a", "recovery"), ("b", "page")]
    assert [change for one, change in sink.got if one == "a"] == ["page", "recovery"]


def test_what_cannot_help_is_not_tried_again() -> None:
    """A refusal for good is said at once."""
    sink = FakeSink({"a": [Undelivered("status 400", for_good=True)]})
    with capture_logs() as events:
        assert deliver(sink, page("a"), page("b"))
    assert (sink.tries["a"], sink.got) == (1, [("b", "page")])
    assert [one["page"] for one in events if one["event"] == "notice_undelivered"] == ["a"]


def test_a_line_that_is_full_drops_the_oldest_and_says_so() -> None:
    """The bound holds, and what went is named."""

    async def run() -> list[str]:
        line = Delivery(FakeSink(), VirtualClock())
        with capture_logs() as events:
            for at in range(WAITING_MAX + 2):
                line.put(page(f"p{at}"))
        return [one["page"] for one in events if one["event"] == "notice_dropped"]

    assert in_virtual_time(run) == ["p0", "p1"]


def drained(sink: FakeSink) -> list[str]:
    """Put one page and stop at once; what is said to be undelivered."""

    async def run() -> list[str]:
        line = Delivery(sink, VirtualClock())
        line.put(page("a"))
        with capture_logs() as events:
            await line.drain(within_s=3.0)
        return [one["reason"] for one in events if one["event"] == "notice_undelivered"]

    return in_virtual_time(run)


def test_what_waits_at_the_end_is_delivered_or_named() -> None:
    """A process that stops gives its notices some seconds more."""
    passing = FakeSink({"a": [PASSING]})
    assert (drained(passing), passing.got) == ([], [("a", "page")])
    assert drained(FakeSink({"a": [PASSING] * 50})) == ["stopped"]
    assert drained(FakeSink(hanging=frozenset({"a"}))) == ["stopped"]


def test_a_sink_that_is_broken_ends_the_work() -> None:
    """What a sink raises is ours to mend and must not vanish in a task."""

    class Broken(FakeSink):
        async def send(self, notice: Notice) -> Delivered | Undelivered:
            raise TypeError(notice.page_id)

    async def run() -> str:
        line = Delivery(Broken(), VirtualClock())
        line.put(page("a"))
        await line.run_once()
        await asyncio.sleep(0.1)
        with pytest.raises(TypeError) as raised:
            await line.run_once()
        return str(raised.value)

    assert in_virtual_time(run) == "a"


async def test_a_clock_that_is_set_makes_no_page_a_day_old() -> None:
    """A machine that starts in 1970 pages, its receiver is down, and the time comes right."""
    clock, sink = FakeClock(0.0), FakeSink(refusing={"a": [PASSING, PASSING]})
    line = Delivery(sink, clock)
    line.put(page("a"))
    for now_s in (0.0, START_S + 2 * KEPT_S, START_S + 2 * KEPT_S):
        clock.set_to(now_s)
        await line.run_once()
        others = asyncio.all_tasks() - {asyncio.current_task()}
        await asyncio.wait(others)
        clock.advance(DELAY_MAX_S)
    assert (sink.got, line.undelivered) == ([("a", "page")], 0)
