"""Notices reach a sink in their order, are tried again within bounds, and are never lost unsaid."""

from dataclasses import dataclass, field

from structlog.testing import capture_logs

from sentinel.delivery import TRIES_MAX, WAITING_MAX, Delivery
from sentinel.ports import Delivered, Undelivered
from sentinel.rules.notices import Notice
from sentinel.rules.paging import Change
from tests.fakes.clock import FakeClock


@dataclass
class FakeSink:
    """`sentinel.ports.Sink`: fails as often as it is told."""

    failures: list[Undelivered] = field(default_factory=list)
    got: list[str] = field(default_factory=list)
    tries: int = 0
    name: str = "fake"

    async def send(self, notice: Notice) -> Delivered | Undelivered:
        """Take it, or fail."""
        self.tries += 1
        if self.failures:
            return self.failures.pop(0)
        self.got.append(notice.page_id)
        return Delivered()


def page(page_id: str) -> Notice:
    """A notice of which only the id matters."""
    return Notice(page_id, Change.PAGE, page_id, page_id, 0.0, {})


PASSING = Undelivered("status 503")


async def test_notices_are_delivered_in_order() -> None:
    """First a page, then its recovery."""
    sink = FakeSink()
    line = Delivery(sink, FakeClock())
    for one in ("a", "b", "c"):
        line.put(page(one))
    await line.run_once()
    assert sink.got == ["a", "b", "c"]
    assert line.is_idle


async def test_a_failed_one_keeps_its_place_and_is_tried_again_later() -> None:
    """News must not overtake it, and a receiver in trouble is not hammered."""
    clock = FakeClock()
    sink = FakeSink([PASSING, PASSING])
    line = Delivery(sink, clock)
    line.put(page("a"))
    line.put(page("b"))
    tries = []
    for _ in range(6):
        await line.run_once()
        tries.append(sink.tries)
        clock.advance(0.75)
    assert sink.got == ["a", "b"]
    assert tries == [1, 1, 2, 2, 2, 4]


async def test_tries_are_bounded_and_the_end_is_said() -> None:
    """A receiver that never answers costs so many tries, and the next notice gets its chance."""
    clock = FakeClock()
    sink = FakeSink([PASSING] * TRIES_MAX)
    line = Delivery(sink, clock)
    line.put(page("lost"))
    line.put(page("b"))
    with capture_logs() as events:
        for _ in range(40):
            await line.run_once()
            clock.advance(1.0)
    assert sink.got == ["b"]
    said = [(one["event"], one.get("page"), one["log_level"]) for one in events]
    assert said.count(("notice_failed", "lost", "warning")) == TRIES_MAX - 1
    assert said.count(("notice_undelivered", "lost", "error")) == 1


async def test_what_cannot_help_is_not_tried_again() -> None:
    """A refusal for good is said at once."""
    sink = FakeSink([Undelivered("status 404", for_good=True)])
    line = Delivery(sink, FakeClock())
    line.put(page("a"))
    line.put(page("b"))
    await line.run_once()
    assert (sink.tries, sink.got) == (2, ["b"])


async def test_a_line_that_is_full_drops_the_oldest_and_says_so() -> None:
    """The bound holds, and what went is named."""
    line = Delivery(FakeSink(), FakeClock())
    with capture_logs() as events:
        for at in range(WAITING_MAX + 2):
            line.put(page(f"p{at}"))
    dropped = [one["page"] for one in events if one["event"] == "notice_dropped"]
    assert dropped == ["p0", "p1"]


async def test_what_waits_at_the_end_is_delivered_or_named() -> None:
    """A process that stops gives its notices some seconds more."""
    clock = FakeClock()
    sink = FakeSink([PASSING])
    line = Delivery(sink, clock)
    line.put(page("a"))
    await line.drain(within_s=10.0)
    assert sink.got == ["a"]
    stuck = Delivery(FakeSink([PASSING] * 50), clock)
    stuck.put(page("b"))
    with capture_logs() as events:
        await stuck.drain(within_s=3.0)
    assert {"event": "notice_undelivered", "page": "b", "reason": "stopped", "sink": "fake",
            "log_level": "error"} in events  # fmt: skip
