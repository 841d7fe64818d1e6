"""Goes through every state there is, breadth first, so that a counterexample is a shortest one.

A state is one number: the world's number and, above it, the node of each actor. A move of an actor
depends on the world and its own node alone, so moves are worked out once for each such pair, and
from then on a transition is an addition. Nothing is replayed and nothing is hashed but integers.
"""

import resource
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple, TypeAlias

from tests.simulation.explorer.histories import GONE
from tests.simulation.explorer.moves import Move, Moves
from tests.simulation.explorer.promises import Broken
from tests.simulation.explorer.worlds import World

WORLD_BITS = 28
NODE_BITS = 24
_WORLD = (1 << WORLD_BITS) - 1
_NODE = (1 << NODE_BITS) - 1


class Room(NamedTuple):
    """What a pair of world and node allows, as differences between states.

    `alone`: the actor's op is nobody else's business, so that only it need move.
    """

    alone: bool
    steps: tuple[int, ...]


Rooms: TypeAlias = dict[int, Room]


@dataclass(frozen=True, slots=True)
class Found:
    """A broken promise, and the moves that lead there: (actor's node or 0, move)."""

    broken: Broken
    trace: tuple[tuple[int, Move], ...]
    last: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What was explored. `ended` are the states in which every actor is gone."""

    states: int
    transitions: int
    ended: int
    depth: int
    worlds: int
    histories: int
    seconds: float
    peak_mb: int
    found: Found | None
    cut_short: bool


class _Stop(Exception):
    """A promise is broken in a move from this state."""

    def __init__(self, state: int, broken: Broken, node: int) -> None:
        super().__init__(str(broken))
        self.state, self.broken, self.node = state, broken, node


class Search:
    """One search; its tables are kept, so that finding a trace again is quick."""

    def __init__(self, moves: Moves, slots: int) -> None:
        """For so many actors."""
        self._moves = moves
        self._shifts = tuple(WORLD_BITS + NODE_BITS * slot for slot in range(slots))
        self._rooms: tuple[tuple[int, int, Rooms], ...] = tuple(
            (_WORLD | _NODE << shift, shift, {}) for shift in self._shifts
        )
        self._worlds: Rooms = {}

    def run(self, world: World, *, states_max: int) -> Report:
        """Explore from a world in which every actor is yet to begin."""
        began_s = time.process_time()
        start = self._start(world)
        seen = {start}
        frontier, depth, transitions, found = [start], 0, 0, None
        while frontier and len(seen) < states_max:
            following: list[int] = []
            try:
                transitions += self._deepen(frontier, seen, following)
            except _Stop as stop:
                found = self._traced(start, stop)
                break
            frontier = following
            depth += bool(following)
        return Report(
            states=len(seen),
            transitions=transitions,
            ended=sum(state <= _WORLD for state in seen),
            depth=depth,
            worlds=len(self._moves.worlds.values),
            histories=len(self._moves.histories.nodes),
            seconds=time.process_time() - began_s,
            peak_mb=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
            found=found,
            cut_short=bool(frontier) and found is None,
        )

    def _start(self, world: World) -> int:
        state = self._moves.arrive(world)
        for slot, shift in enumerate(self._shifts):
            state |= self._moves.histories.root(slot).node << shift
        return state

    def _deepen(self, frontier: Sequence[int], seen: set[int], following: list[int]) -> int:
        """One level; how many transitions it took."""
        count = 0
        known, add, keep = seen.__contains__, seen.add, following.append
        for state in frontier:
            for room in self._open(state):
                count += len(room.steps)
                for step in room.steps:
                    reached = state + step
                    if not known(reached):
                        add(reached)
                        keep(reached)
        return count

    def _open(self, state: int) -> list[Room]:
        """The rooms to go through from a state: all, or the one whose op is nobody's business."""
        rooms = []
        for mask, shift, known in self._rooms:
            room = known.get(state & mask)
            if room is None:
                room = known[state & mask] = self._actor_room(state, shift)
            if room.alone:
                return [room]
            if room.steps:
                rooms.append(room)
        room = self._worlds.get(state & _WORLD)
        if room is None:
            room = self._worlds[state & _WORLD] = self._world_room(state)
        if room.steps:
            rooms.append(room)
        return rooms

    def _actor_room(self, state: int, shift: int) -> Room:
        world, node = state & _WORLD, state >> shift & _NODE
        if node == GONE:
            return Room(alone=False, steps=())
        try:
            moves = list(self._moves.of_actor(world, node))
        except Broken as broken:
            raise _Stop(state, broken, node) from broken
        alone = self._moves.is_private(world, node)
        return Room(
            alone, tuple((one.world - world) + ((one.node - node) << shift) for one in moves)
        )

    def _world_room(self, state: int) -> Room:
        world = state & _WORLD
        try:
            steps = tuple(one.world - world for one in self._moves.of_world(world))
        except Broken as broken:
            raise _Stop(state, broken, GONE) from broken
        return Room(alone=False, steps=steps)

    def _traced(self, start: int, stop: _Stop) -> Found:
        """Search again up to the state that breaks a promise, this time noting who led where."""
        came_from = {start: start}
        frontier = [start]
        while stop.state not in came_from:
            following = []
            for state in frontier:
                for room in self._open_again(state):
                    for step in room.steps:
                        if state + step not in came_from:
                            came_from[state + step] = state
                            following.append(state + step)
            frontier = following
        path = [stop.state]
        while path[-1] != start:
            path.append(came_from[path[-1]])
        path.reverse()
        trace = tuple(self._move(*pair) for pair in pairwise(path))
        return Found(stop.broken, trace, (stop.state & _WORLD, stop.node))

    def _open_again(self, state: int) -> list[Room]:
        """Rooms that were opened before; the one that broke a promise is not gone through."""
        try:
            return self._open(state)
        except _Stop:
            return []

    def _move(self, before: int, after: int) -> tuple[int, Move]:
        """The move between two neighbouring states."""
        world = before & _WORLD
        for shift in self._shifts:
            node = before >> shift & _NODE
            for one in _unbroken(self._moves.of_actor(world, node)):
                step = (one.world - world) + ((one.node - node) << shift)
                if before + step == after:
                    return node, one
        for one in _unbroken(self._moves.of_world(world)):
            if before + (one.world - world) == after:
                return GONE, one
        raise AssertionError("no move leads from a state to its successor")


def _unbroken(moves: Iterator[Move]) -> Iterator[Move]:
    """Moves up to one that breaks a promise: what led to a state was none of those."""
    with suppress(Broken):
        yield from moves
