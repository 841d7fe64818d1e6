"""A process that ends leaves on disk what its receivers do not take, and waits for no new try."""

import asyncio
from dataclasses import dataclass, field

import pytest
from structlog.testing import capture_logs

from dnsplan.notices import Change, Notice
from dnsplan.runtime.paging.delivery import AT_ONCE_MAX, Delivery
from dnsplan.runtime.paging.ports import Loaded, SpoolFailed
from tests.unit.paging.test_delivery import PACE, PASSING, FakeSink, page
from tests.unit.sentinel.virtual import VirtualClock, in_virtual_time

WITHIN_S = 10.0
ANEW_S = 0.5
HANGING = [f"p{at}" for at in range(2 * AT_ONCE_MAX)]


@dataclass
class Memory:
    """`ports.Spool` without a disk; it takes nothing of some pages."""

    full_for: frozenset[str] = frozenset()
    kept: dict[int, Notice] = field(default_factory=dict)

    async def load(self) -> Loaded:
        """What is kept."""
        return Loaded(tuple(self.kept.items()))

    async def keep(self, number: int, notice: Notice) -> None:
        """Keep it, or have no room."""
        if notice.page_id in self.full_for:
            raise SpoolFailed("disk: no space left on device")
        self.kept[number] = notice

    async def let_go(self, number: int) -> None:
        """It is over."""
        self.kept.pop(number, None)


def ended(
    sink: FakeSink,
    spool: Memory,
    *notices: Notice,
    kept_within_s: float | None = None,
) -> tuple[float, list[str]]:
    """How long a process takes to end, two seconds after these; and what it says then."""

    async def run() -> tuple[float, list[str]]:
        clock = VirtualClock()
        line = Delivery(sink, clock, spool)
        for one in notices:
            line.put(one)
        for _ in range(10):
            await line.run_once()
            await asyncio.sleep(0.2)
        began_s = clock.elapsed_s()
        with capture_logs() as events:
            await line.drain(within_s=WITHIN_S, kept_within_s=kept_within_s)
        said = [one["event"] for one in events if one["event"].startswith("notice")]
        return clock.elapsed_s() - began_s, said

    return in_virtual_time(run)


def test_a_receiver_that_fails_delays_no_end() -> None:
    """What it refused stands on disk, with the later news that wait behind it."""
    sink, spool = FakeSink({"a": [PASSING] * 50, "b": [PASSING] * 50}), Memory()
    took_s, said = ended(sink, spool, page("a"), page("b"), page("a", Change.RECOVERY))
    assert took_s < 0.2
    assert said == ["notices_kept"]
    assert len(spool.kept) == 3


@pytest.mark.parametrize("kept_within_s", [None, ANEW_S])
def test_one_that_hangs_costs_one_try_and_less_where_the_process_goes_on(
    kept_within_s: float | None,
) -> None:
    """However many wait for it."""
    spool = Memory()
    sink = FakeSink(hanging=frozenset(HANGING))
    took_s, _ = ended(sink, spool, *map(page, HANGING), kept_within_s=kept_within_s)
    assert ANEW_S <= took_s <= (kept_within_s or 2 * PACE.sink_s) + 0.2
    assert len(spool.kept) == len(HANGING)


def test_what_was_tried_is_not_tried_again_before_the_end() -> None:
    """It is due while another one still hangs, and is left to who comes next."""
    sink = FakeSink({"a": [PASSING] * 50}, hanging=frozenset({"hangs"}))
    took_s, _ = ended(sink, Memory(), page("a"), page("hangs"))
    assert took_s > 1.0
    assert sink.tries["a"] == 2


def test_what_was_never_tried_is_tried_before_the_end() -> None:
    """A page that comes with the signal to stop is out, and not on disk."""

    async def run() -> list[tuple[str, str]]:
        sink, spool = FakeSink(), Memory()
        line = Delivery(sink, VirtualClock(), spool)
        line.put(page("a"))
        line.put(page("a", Change.RECOVERY))
        await line.drain(within_s=WITHIN_S, kept_within_s=ANEW_S)
        assert spool.kept == {}
        return sink.got

    assert in_virtual_time(run) == [("a", "page"), ("a", "recovery")]


def test_what_the_disk_does_not_take_gets_all_the_time() -> None:
    """One that is kept later does not make up for one that was not."""
    sink = FakeSink({"a": [PASSING] * 50, "b": [PASSING] * 50})
    took_s, said = ended(sink, Memory(frozenset("a")), page("a"), page("b"), kept_within_s=ANEW_S)
    assert took_s >= WITHIN_S
    assert said.count("notice_undelivered") > 0
    assert sink.tries["a"] > 3
