"""Reads every source of the pools at its own pace, and keeps what is known of their targets.

Planning takes a snapshot and never waits for a read, except that a name that answers nothing yet
waits a while for the first one. What a source says of its targets' health counts as observations.
Nothing here decides who is gone; see `roll`.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from dnsplan.ports import Clock, Jitter
from planner.membership import BALANCER_INTERVAL_S, Feed, FeedKey
from planner.ports import Source
from planner.rules.health import NEVER_SEEN, Hysteresis, Observation, TargetHealth, observed
from planner.rules.pools import TargetKey
from planner.rules.roll import NOT_READ, Listing, Roll, heard
from planner.tending import Tending

# A name that answers nothing yet waits so long for a source that cannot be read, and the zone's
# first plan with it; then the zone goes on without that name.
FIRST_READ_S = 60.0

FIRST_DELAY_S_MAX = 0.2
JITTER_SHARE = 0.1

# A load balancer counts checks in a row itself before it calls a target healthy or not; the second
# look only keeps one odd answer from counting.
TOLD_RULE = Hysteresis(rise=1, fall=2, gap_s=5 * BALANCER_INTERVAL_S)


@dataclass(slots=True)
class _Reading:
    """A feed's source, since when it is read, and what is known."""

    feed: Feed
    source: Source
    since_s: float
    roll: Roll = NOT_READ


class Sourcing:
    """The rolls of all sources. Invariant: one read of a source is under way at a time."""

    def __init__(
        self,
        feeds: Sequence[Feed],
        opening: Callable[[Feed], Source],
        *,
        clock: Clock,
        jitter: Jitter,
    ) -> None:
        """Begin with nothing read; `opening` makes a source without asking it."""
        self._opening = opening
        self._clock = clock
        self._jitter = jitter
        self._readings: dict[FeedKey, _Reading] = {}
        self._states: dict[TargetKey, TargetHealth] = {}
        self._tending: Tending[FeedKey, Feed] = Tending(self._follow, {})
        self.read_from(feeds)

    def read_from(self, feeds: Sequence[Feed]) -> None:
        """Read these from now on; what is known of those that stay is kept."""
        wanted = {feed.key: feed for feed in feeds}
        if wanted == self._tending.items:
            return
        before = self._readings
        self._readings = {key: self._reading(feed, before.get(key)) for key, feed in wanted.items()}
        self._tending.tell(wanted)

    def rolls(self) -> Mapping[FeedKey, Roll]:
        """What is known up to now."""
        now_s = self._clock.elapsed_s()
        return {
            key: replace(one.roll, is_awaited=not one.roll.is_read and _is_new(one, now_s))
            for key, one in self._readings.items()
        }

    def states(self) -> Mapping[TargetKey, TargetHealth]:
        """What sources say of their targets' health, counted as observations."""
        return dict(self._states)

    async def run(self) -> None:
        """Read every source again and again until cancelled."""
        await self._tending.run()

    async def read_once(self) -> None:
        """Read every source once, for a command that ends."""
        async with asyncio.TaskGroup() as group:
            for reading in self._readings.values():
                group.create_task(self._read(reading))

    def _reading(self, feed: Feed, before: _Reading | None) -> _Reading:
        if before is None:
            return _Reading(feed, self._opening(feed), self._clock.elapsed_s())
        if before.feed == feed:
            return before
        source = before.source if before.feed.what == feed.what else self._opening(feed)
        return _Reading(feed, source, before.since_s, before.roll)

    async def _follow(self, feed: Feed) -> None:
        await self._clock.sleep(self._jitter.uniform(0.0, FIRST_DELAY_S_MAX))
        reading = self._readings.get(feed.key)
        while reading is not None:  # None: it was given up while this waited
            began_s = self._clock.elapsed_s()
            await self._read(reading)
            spread_s = JITTER_SHARE * feed.interval_s
            due_s = feed.interval_s + self._jitter.uniform(-spread_s, spread_s)
            await self._clock.sleep(max(0.0, began_s + due_s - self._clock.elapsed_s()))

    async def _read(self, reading: _Reading) -> None:
        listing = await reading.source.read()
        now_s, feed = self._clock.elapsed_s(), reading.feed
        reading.roll = heard(reading.roll, listing, hold_s=feed.hold_s, now_s=now_s)
        self._count(feed.pool, listing, now_s)

    def _count(self, pool: str, listing: Listing, now_s: float) -> None:
        for found in listing.targets:
            if found.healthy is not None:
                key = (pool, found.id)
                seen = Observation(now_s, healthy=found.healthy, detail=found.detail)
                before = self._states.get(key, NEVER_SEEN)
                self._states[key] = observed(before, seen, TOLD_RULE)


def _is_new(reading: _Reading, now_s: float) -> bool:
    return now_s - reading.since_s < FIRST_READ_S
