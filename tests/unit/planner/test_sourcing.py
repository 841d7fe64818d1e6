"""Reading sources side by side, and taking up another set of them while running."""

import asyncio
from collections import Counter
from collections.abc import Callable

import structlog

from dnsplan.runtime.config.source_shape import Source as StatedSource
from planner.membership import Feed
from planner.reporting import SourceLog
from planner.rules.health import Phase
from planner.rules.roll import NOT_READ, Found, Listing, heard
from planner.sourcing import FIRST_READ_S, Sourcing
from planner.tending import Tending
from tests.fakes.clock import FakeClock, SeededJitter

WELL = Found(
    id="lb", address="192.0.2.1", alias=None, types=("A",), capacity=3, healthy=True, detail="3"
)
SICK = Found(
    id="lb", address="192.0.2.1", alias=None, types=("A",), capacity=1, healthy=False, detail="0"
)


class Told:
    """A source that says what it was told to say."""

    def __init__(self, listing: Listing) -> None:
        """Say this until told otherwise."""
        self.listing = listing
        self.reads = 0

    async def read(self) -> Listing:
        """Say it."""
        self.reads += 1
        return self.listing


def feed(words: str = "one", *, interval_s: float = 10.0) -> Feed:
    """A source of the pool `web`."""
    return Feed("web", words, StatedSource(), interval_s, hold_s=60.0)


async def turns() -> None:
    """Let every task come as far as it can."""
    for _ in range(50):
        await asyncio.sleep(0)


async def test_a_read_s_word_on_health_counts_as_a_look() -> None:
    """Two bad looks in a row are believed, as one good is."""
    told, clock = Told(Listing((WELL,))), FakeClock()
    sourcing = Sourcing([feed()], lambda _: told, clock=clock, jitter=SeededJitter())
    phases = []
    for listing in (Listing((WELL,)), Listing((SICK,)), Listing((SICK,))):
        told.listing = listing
        await sourcing.read_once()
        phases.append(sourcing.states()[("web", "lb")].phase)
        clock.advance(15.0)
    assert phases == [Phase.HEALTHY, Phase.HEALTHY, Phase.UNHEALTHY]


async def test_a_first_read_is_awaited_for_a_bounded_time() -> None:
    """A source that cannot be read does not hold a new zone up for ever."""
    told, clock = Told(Listing((), "not there")), FakeClock()
    sourcing = Sourcing([feed()], lambda _: told, clock=clock, jitter=SeededJitter())
    await sourcing.read_once()
    before = sourcing.rolls()[feed().key]
    clock.advance(FIRST_READ_S)
    after = sourcing.rolls()[feed().key]
    assert (before.is_awaited, after.is_awaited, after.problem) == (True, False, "not there")


async def test_what_stays_stated_keeps_what_is_known() -> None:
    """Another pace is no reason to forget anybody; another source begins anew."""
    told = Told(Listing((WELL,)))
    sourcing = Sourcing([feed()], lambda _: told, clock=FakeClock(), jitter=SeededJitter())
    await sourcing.read_once()
    sourcing.read_from([feed(interval_s=99.0), feed("two")])
    rolls = sourcing.rolls()
    assert {key: [one.id for one in roll.found] for key, roll in rolls.items()} == {
        ("web", "one"): ["lb"],
        ("web", "two"): [],
    }


class Loops:
    """Loops that note that they began and that they ended."""

    def __init__(self) -> None:
        """Nobody runs."""
        self.running: Counter[str] = Counter()
        self.began: list[str] = []

    async def follow(self, item: str) -> None:
        """Run until ended."""
        self.began.append(item)
        self.running[item] += 1
        try:
            await asyncio.Event().wait()
        finally:
            self.running[item] -= 1


async def test_loops_follow_what_is_wanted() -> None:
    """New ones start, unwanted ones end, changed ones start again, the others are left alone."""
    loops = Loops()
    tending: Tending[str, str] = Tending(loops.follow, {"a": "a1", "b": "b1", "c": "c1"})
    running = asyncio.create_task(tending.run())
    await turns()
    tending.tell({"b": "b2", "c": "c1", "d": "d1"})
    await turns()
    there = sorted(+loops.running)
    running.cancel()
    await asyncio.wait([running])
    assert there == ["b2", "c1", "d1"]
    assert loops.began == ["a1", "b1", "c1", "b2", "d1"]
    assert not +loops.running


async def test_a_source_is_read_again_and_again() -> None:
    """At its own pace, until it is no longer stated."""
    told = Told(Listing((WELL,)))
    clock = SleepingClock(sleeps=6)
    sourcing = Sourcing([feed()], lambda _: told, clock=clock, jitter=SeededJitter())
    running = asyncio.create_task(sourcing.run())
    await turns()
    reads = told.reads
    sourcing.read_from([])
    clock.wake()
    await turns()
    running.cancel()
    await asyncio.wait([running])
    assert (reads, told.reads, sourcing.rolls()) == (6, 6, {})


class SleepingClock(FakeClock):
    """A clock that passes so many sleeps, and keeps the next until woken."""

    def __init__(self, *, sleeps: int) -> None:
        """Nobody sleeps yet."""
        super().__init__()
        self.left = sleeps
        self.woken = asyncio.Event()
        self.wake: Callable[[], None] = self.woken.set

    async def sleep(self, seconds: float) -> None:
        """Pass the time, or wait."""
        if self.left == 0:
            await self.woken.wait()
        self.left -= 1
        await super().sleep(seconds)
        await asyncio.sleep(0)


def test_a_source_s_trouble_is_said_when_it_changes_and_each_minute() -> None:
    """And that it is over; a source that was never asked has none."""
    clock = FakeClock()
    log = SourceLog(clock)
    key = ("web", "file x")
    good = heard(NOT_READ, Listing((WELL,)), hold_s=60.0, now_s=0.0)
    bad = heard(good, Listing((), "cut off"), hold_s=60.0, now_s=5.0)
    with structlog.testing.capture_logs() as said:
        for roll, wait_s in ((NOT_READ, 0), (good, 5), (bad, 5), (bad, 30), (bad, 31), (good, 5)):
            clock.advance(wait_s)
            log.tell({key: roll}, ())
        log.tell({key: good}, ("sources[0]: target a is in the pool already",))
        log.tell({key: good}, ("sources[0]: target a is in the pool already",))
    assert [(one["event"], one.get("reason"), one["targets"]) for one in said] == [
        ("source_incomplete", "cut off", 1),
        ("source_incomplete", "cut off", 1),
        ("source_complete", None, 1),
        ("targets_left_out", None, ["sources[0]: target a is in the pool already"]),
    ]
