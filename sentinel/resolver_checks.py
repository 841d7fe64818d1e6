"""Looks at public zones by way of the resolvers that the config states, beside their own servers.

Only names that their own servers answer are looked at, and counted only once they have answered for
longer than a cache may remember otherwise. The resolvers are others' machines: each gets a bounded
number of questions a second, however many names there are. Who tells is `zone_checks`.
"""

import asyncio
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from dnsplan.notices import Cause
from dnsplan.ports import Clock
from dnsplan.records import Unit
from sentinel.ports import NameServer
from sentinel.resolver_looks import ResolverLooker
from sentinel.rules.pace import Pace
from sentinel.rules.resolving import (
    Doubt,
    Made,
    Words,
    after_words,
    kept_s,
    majority,
    unresolved,
)
from sentinel.rules.watched import Expected, NameKey, WatchedName

# Questions that each resolver gets a second in quiet times. Public resolvers take hundreds from an
# address; a page of its own about a name of thousands may wait for its turn.
QUESTIONS_PER_S = 5.0
# Zones looked at in one pass, and names in doubt that are looked at anew with each of a zone's
# turns: more would say nothing else of the zone.
ZONES_AT_ONCE_MAX = 10
DOUBTS_MAX = 3

LookedUnit = tuple[WatchedName, Expected]


@dataclass(frozen=True, slots=True)
class ResolvedZone:
    """A zone to look at, and by which resolvers."""

    label: str
    units: tuple[LookedUnit, ...]
    resolvers: tuple[NameServer, ...]


@dataclass(frozen=True, slots=True)
class OwnWord:
    """What is known of a name from its zone's own servers."""

    is_well: Callable[[NameKey], bool]
    # For how long they have answered without denying it.
    steady_s: Callable[[NameKey], float]
    negative_ttl_s: Callable[[str], int | None]


@dataclass(slots=True)
class _State:
    due_s: float
    turn_s: float
    next: int = 0
    is_round: bool = False  # every unit has had its turn
    # Those whose answers say nothing yet: caches may remember what was before.
    unjudged: set[Unit] = field(default_factory=set)
    doubts: dict[Unit, Doubt] = field(default_factory=dict)
    words: dict[Unit, Words] = field(default_factory=dict)


class ResolverChecks:
    """What resolvers make of zones, and what of it needs a person."""

    def __init__(
        self,
        zones: Sequence[ResolvedZone],
        looker: ResolverLooker,
        own: OwnWord,
        clock: Clock,
        pace: Pace,
    ) -> None:
        """Nothing was looked at yet; the first looks fill one turn."""
        self._zones, self._looker, self._own, self._clock = tuple(zones), looker, own, clock
        self._confirm_s = pace.page_within_s / 3
        self._again_s = pace.interval_s
        self._every_s = max(pace.page_within_s / 3, len(zones) / QUESTIONS_PER_S)
        self._units_each = max(1, math.floor(QUESTIONS_PER_S * self._every_s / max(1, len(zones))))
        step_s = self._every_s / max(1, len(zones))
        now_s = clock.elapsed_s()
        self._states = {
            one.label: _State(now_s + at * step_s, now_s) for at, one in enumerate(zones)
        }

    async def run_once(self) -> None:
        """Look at the zones whose turn it is."""
        now_s = self._clock.elapsed_s()
        waiting = [one for one in self._zones if self._states[one.label].due_s <= now_s]
        due = sorted(waiting, key=lambda one: self._states[one.label].due_s)
        async with asyncio.TaskGroup() as group:
            for zone in due[:ZONES_AT_ONCE_MAX]:
                group.create_task(self._look(zone, self._states[zone.label]))

    def standing(self) -> Iterator[Cause]:
        """What is confirmed now."""
        for label, state in self._states.items():
            yield from unresolved(label, state.doubts)

    def in_doubt(self) -> frozenset[str]:
        """Zones with a name that most resolvers found empty, confirmed or not."""
        return frozenset(label for label, state in self._states.items() if state.doubts)

    def is_unsure(self, cause: Cause) -> bool:
        """Whether a page of a former process can be neither confirmed nor ended yet."""
        state = self._states.get(cause.label)
        return state is not None and (not state.is_round or bool(state.unjudged))

    def words(self) -> Mapping[str, Mapping[Unit, Words]]:
        """What every resolver said last, by zone."""
        return {label: state.words for label, state in self._states.items()}

    async def _look(self, zone: ResolvedZone, state: _State) -> None:
        is_turn = state.turn_s <= self._clock.elapsed_s()
        nexts = zone.units[state.next : state.next + self._units_each] if is_turn else ()
        units = self._asked(zone, state, nexts)
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(self._looker.words(*unit, zone.resolvers)) for unit in units]
        now_s = self._clock.elapsed_s()
        for (watched, expected), task in zip(units, tasks, strict=True):
            self._take(state, watched, expected.type, task.result())
        state.next += len(nexts)
        if state.next >= len(zone.units):
            state.next, state.is_round = 0, True
        if is_turn:
            state.turn_s = now_s + self._every_s
        state.due_s = min(state.turn_s, now_s + self._again_s) if state.doubts else state.turn_s

    def _asked(
        self, zone: ResolvedZone, state: _State, nexts: Sequence[LookedUnit]
    ) -> list[LookedUnit]:
        """The next units of the zone, and those in doubt, as far as their own servers answer."""
        doubted = [one for one in zone.units if (one[0].name, one[1].type) in state.doubts]
        asked = {(one[0].name, one[1].type): one for one in (*doubted[:DOUBTS_MAX], *nexts)}
        return [one for one in asked.values() if self._own.is_well(one[0].key)]

    def _take(self, state: _State, watched: WatchedName, kind: str, words: Words) -> None:
        """An empty answer that a cache may hold is shown, and makes no doubt."""
        unit = (watched.name, kind)
        state.words[unit] = words
        doubt = state.doubts.get(unit)
        if not self._own.is_well(watched.key):  # it stopped answering while resolvers were asked
            return
        is_told = doubt is not None and doubt.is_confirmed
        if not is_told and not self._counts(watched):
            # What came up in the moment before its own servers were seen to deny it goes as well.
            state.doubts.pop(unit, None)
            is_answered = majority(words) is Made.ANSWERED
            (state.unjudged.discard if is_answered else state.unjudged.add)(unit)
            return
        state.unjudged.discard(unit)
        now_s = self._clock.elapsed_s()
        after = after_words(doubt, words, confirm_s=self._confirm_s, now_s=now_s)
        state.doubts.pop(unit, None)
        if after is not None:
            state.doubts[unit] = after

    def _counts(self, watched: WatchedName) -> bool:
        """Whether its own servers have answered for longer than caches remember."""
        limit_s = kept_s(self._own.negative_ttl_s(watched.label))
        return limit_s is not None and self._own.steady_s(watched.key) > limit_s


@dataclass(frozen=True, slots=True)
class ResolverGlance:
    """One look by way of resolvers, made twice where it finds something, for somebody who asks."""

    zones: Sequence[ResolvedZone]
    looker: ResolverLooker
    clock: Clock
    pause_s: float

    async def run(self, is_well: Callable[[NameKey], bool]) -> tuple[Cause, ...]:
        """What most resolvers find empty now, in the zones' order; caches are not waited out."""
        return tuple([cause for zone in self.zones for cause in await self._look(zone, is_well)])

    async def _look(
        self, zone: ResolvedZone, is_well: Callable[[NameKey], bool]
    ) -> Sequence[Cause]:
        units = [one for one in zone.units if is_well(one[0].key)]
        empty = await self._empty(zone, units)
        if empty:
            await self.clock.sleep(self.pause_s)
            again = [one for one in units if (one[0].name, one[1].type) in empty]
            empty = await self._empty(zone, again)
        return [*unresolved(zone.label, empty)]

    async def _empty(self, zone: ResolvedZone, units: Sequence[LookedUnit]) -> dict[Unit, Doubt]:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(self.looker.words(*unit, zone.resolvers)) for unit in units]
        found: dict[Unit, Doubt] = {}
        for (watched, expected), task in zip(units, tasks, strict=True):
            doubt = after_words(None, task.result(), confirm_s=0.0, now_s=0.0)
            if doubt is not None:
                found[watched.name, expected.type] = Doubt(
                    0.0, doubt.made, doubt.words, is_confirmed=True
                )
        return found
