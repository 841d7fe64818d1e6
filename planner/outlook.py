"""What the planner wants and sees at this moment: config, sources and probes put together.

It brings members that sources name to the watch and to the wishes, and takes up another config at
once. It asks nobody and decides nothing.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from planner.membership import FeedKey
from planner.rules.candidate import ZoneWish
from planner.rules.health import Sight
from planner.rules.probe_rate import ProbeRate, probe_rate
from planner.rules.roll import Roll
from planner.rules.waves import Waves
from planner.settings import PlannerSettings, reseated
from planner.sourcing import Sourcing
from planner.watch import Watch


class Outlook:
    """Wishes and sight. Invariant: every member that is probed is looked at by the watch."""

    def __init__(self, wanted: PlannerSettings, watch: Watch, sourcing: Sourcing) -> None:
        """Watch and sourcing were made for the same config."""
        self._wanted = wanted
        self._seated = wanted
        self._rolls: Mapping[FeedKey, Roll] = {}
        self._watch = watch
        self._sourcing = sourcing
        # The prober is made once, and keeps the pace of that time.
        self._probes_per_s_max = wanted.probes_per_s_max

    @property
    def probing(self) -> ProbeRate:
        """How many probes a second all members ask for, and how many may be made."""
        return probe_rate(self._seated.watched, allowed_per_s=self._probes_per_s_max)

    @property
    def rolls(self) -> Mapping[FeedKey, Roll]:
        """What the sources had shown when `wishes` was asked for."""
        return self._rolls

    @property
    def waves(self) -> Waves | None:
        """How a changed config goes out."""
        return self._wanted.waves

    @property
    def left_out(self) -> Sequence[str]:
        """Targets of sources that are no members, with the reason."""
        return self._seated.left_out

    def take(self, wanted: PlannerSettings) -> None:
        """Go on by another config."""
        self._wanted = wanted
        self._sourcing.read_from(wanted.feeds)
        self._seat(self._sourcing.rolls())

    def wishes(self) -> tuple[ZoneWish, ...]:
        """What every zone should hold, with the members known now."""
        rolls = self._sourcing.rolls()
        if rolls != self._rolls:
            self._seat(rolls)
        return self._seated.wishes

    def sight(self) -> Sight:
        """What was seen up to now."""
        seen = self._watch.sight()
        told = self._sourcing.states()
        return replace(seen, states={**told, **seen.states}) if told else seen

    async def look(self, *, pause_s: float, tell: Callable[[str], object]) -> Sight:
        """Read every source once and probe every member until its phase is decided, for a command
        that ends."""
        if self._wanted.feeds:
            tell(f"reading {len(self._wanted.feeds)} sources\n")
            await self._sourcing.read_once()
        self.wishes()
        rounds = self._seated.rounds_to_know
        tell(f"probing {len(self._seated.watched)} targets in {rounds} rounds\n")
        await self._watch.look(rounds=rounds, pause_s=pause_s)
        return self.sight()

    async def run(self) -> None:
        """Probe and read until cancelled."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self._watch.run())
            group.create_task(self._sourcing.run())

    def _seat(self, rolls: Mapping[FeedKey, Roll]) -> None:
        self._rolls = rolls
        self._seated = reseated(self._wanted, rolls)
        self._watch.look_at(self._seated.watched)
