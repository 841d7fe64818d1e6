"""Watches every probed target at its own pace, apart from planning, and tells what was seen.

Planning takes a snapshot and never waits for a probe. A probe that could not be made leaves the
target as it was. Nothing here decides who answers.
"""

import asyncio
import math
from collections.abc import Sequence
from typing import assert_never

from dnsplan.ports import Clock, Jitter
from planner.ports import Prober
from planner.rules.health import NEVER_SEEN, Asked, Observation, Sight, TargetHealth, observed
from planner.rules.pools import TargetKey
from planner.rules.probing import Bad, Good, NotAsked, Watched
from planner.tending import Tending

# The first look should be quick even where the interval is long.
FIRST_DELAY_S_MAX = 1.0

# A tenth either way keeps the probes of many planners and targets from falling into step.
JITTER_SHARE = 0.1


class Watch:
    """The states of all probed targets. Invariant: one probe of a target is under way at a time."""

    def __init__(
        self, targets: Sequence[Watched], prober: Prober, *, clock: Clock, jitter: Jitter
    ) -> None:
        """Begin with everything unknown."""
        self._tending = Tending(self._follow, _by_key(targets))
        self._prober = prober
        self._clock = clock
        self._jitter = jitter
        self._since_s = clock.elapsed_s()
        self._states: dict[TargetKey, TargetHealth] = {}
        # Since when those are asked that came later: a first look takes as long for them.
        self._came_s: dict[TargetKey, float] = {}

    def look_at(self, targets: Sequence[Watched]) -> None:
        """Look at these from now on. What was seen of one address says nothing of another, so a
        target that is asked otherwise now is unknown again."""
        wanted, before = _by_key(targets), self._tending.items
        if wanted == before:
            return
        self._states = {
            key: state
            for key, state in self._states.items()
            if key in wanted and key in before and wanted[key].probe == before[key].probe
        }
        now_s, came_s = self._clock.elapsed_s(), self._came_s
        new = (key for key in wanted if key not in before or wanted[key].probe != before[key].probe)
        kept = {key: at_s for key, at_s in came_s.items() if key in wanted}
        self._came_s = {**kept, **dict.fromkeys(new, now_s)}
        self._tending.tell(wanted)

    def sight(self) -> Sight:
        """What was seen up to now."""
        asked = {
            key: Asked(
                one.probe.address,
                one.hysteresis.gap_s,
                one.panic_threshold,
                self._came_s.get(key, -math.inf),
            )
            for key, one in self._tending.items.items()
        }
        return Sight(dict(self._states), self._since_s, self._clock.elapsed_s(), asked)

    async def run(self) -> None:
        """Probe every target again and again until cancelled."""
        await self._tending.run()

    async def look(self, *, rounds: int, pause_s: float) -> None:
        """Probe every target so many times, for a command that ends."""
        for turn in range(rounds):
            if turn:
                await self._clock.sleep(pause_s)
            async with asyncio.TaskGroup() as group:
                for target in self._tending.items.values():
                    group.create_task(self._ask(target))

    async def _follow(self, target: Watched) -> None:
        delay_s = min(target.interval_s, FIRST_DELAY_S_MAX)
        await self._clock.sleep(self._jitter.uniform(0.0, delay_s))
        while True:
            began_s = self._clock.elapsed_s()
            await self._ask(target)
            spread_s = JITTER_SHARE * target.interval_s
            due_s = target.interval_s + self._jitter.uniform(-spread_s, spread_s)
            await self._clock.sleep(max(0.0, began_s + due_s - self._clock.elapsed_s()))

    async def _ask(self, target: Watched) -> None:
        result = await self._prober.probe(target.probe)
        wanted = self._tending.items.get(target.key)
        if wanted is None or wanted.probe != target.probe:
            return  # it is asked otherwise since: this says nothing of what is asked now
        now_s = self._clock.elapsed_s()
        match result:
            case NotAsked():
                return
            case Good(detail):
                seen = Observation(now_s, healthy=True, detail=detail)
            case Bad(detail):
                seen = Observation(now_s, healthy=False, detail=detail)
            case _:
                assert_never(result)
        before = self._states.get(target.key, NEVER_SEEN)
        self._states[target.key] = observed(before, seen, target.hysteresis)


def _by_key(targets: Sequence[Watched]) -> dict[TargetKey, Watched]:
    return {one.key: one for one in targets}
