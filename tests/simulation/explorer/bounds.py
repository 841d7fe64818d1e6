"""What is explored: who acts, what may go wrong, and how the zone stands when it begins.

A bound shrinks plans and passes, never interleavings. Each small bound is there for certain
guards; `ci` is what every change must pass; `wide` and the command line's own are by hand.
"""

import asyncio
from collections.abc import Coroutine, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, TypeVar
from unittest.mock import patch

from dnsplan.records import RecordSet
from enactor.rules import packing
from sandbox.route53.model import StoredRecordSet
from sandbox.route53.switches import Switches
from tests.simulation.explorer import cast
from tests.simulation.explorer.cast import Actor, answer, enactor
from tests.simulation.explorer.convergence import Alone, Convergence
from tests.simulation.explorer.moves import Moves
from tests.simulation.explorer.search import Report, Search
from tests.simulation.explorer.worlds import Doubles, Faults, World

T = TypeVar("T")

# One changed name and the fence pair: a delete and a create each.
ELEMENTS_MAX = 4

STATES_MAX = 60_000_000

FIRST, SECOND, OTHERS = "api", "www", "mail"
MANAGED = frozenset(f"{name}.example.com." for name in (FIRST, SECOND))
STRANGER = StoredRecordSet(f"{OTHERS}.example.com.", "A", ttl=60, values=("198.51.100.7",))


@dataclass(frozen=True, slots=True, kw_only=True)
class Bound:
    """Of `plans` the first `standing` were applied, the others published since."""

    name: str
    about: str
    actors: tuple[Actor, ...]
    faults: Faults
    plans: tuple[tuple[RecordSet, ...], ...]
    standing: int = 1
    restarts: bool = False
    switches: Switches = field(default_factory=Switches)


def two_names(first: int, last: int) -> tuple[tuple[RecordSet, ...], ...]:
    """Plans that each change both names, and so take two batches."""
    return tuple((answer(FIRST, n), answer(SECOND, n)) for n in range(first, last))


def later(after: int, *, name: str = "planner", by: int = 10) -> Actor:
    """A planner that publishes once more and changes the first name only.

    It leaves alone what the plan before it changes last, so that whether that plan is whole
    matters to it.
    """
    return cast.publisher(name, (answer(FIRST, after + by), answer(SECOND, after)))


def named() -> Mapping[str, Bound]:
    """The bounds by name."""
    bounds = (*_of_enactors(), *_of_operators(), *_of_all())
    return {one.name: one for one in bounds}


def _of_enactors() -> tuple[Bound, ...]:
    once, twice = _enactors(passes=1), _enactors(passes=2)
    held = (*two_names(1, 2), (*two_names(2, 3)[0], answer(OTHERS, 2)))
    still_held = cast.publisher("planner", (answer(FIRST, 12), answer(SECOND, 2), held[1][2]))
    return (
        Bound(
            name="pair",
            about="two enactors, the head half done by one, a newer plan published meanwhile",
            actors=(*once, later(2)),
            faults=Faults(crashes=1, late=1),
            plans=two_names(1, 3),
        ),
        Bound(
            name="resume",
            about="plans left half done and finished by whoever comes next",
            actors=twice,
            faults=Faults(crashes=1, late=1, unread=1),
            plans=two_names(1, 3),
            restarts=True,
        ),
        Bound(
            name="failover",
            about="accepted changes lost while they are applied, confirmed and cleaned up behind",
            actors=(*_enactors(passes=3)[:1], cast.cleanup(passes=1)),
            faults=Faults(failovers=1, slow=1, late=1),
            plans=two_names(1, 3),
        ),
        Bound(
            name="overtaken",
            about="one confirms a plan while another confirms the plan after it",
            actors=(*twice, later(2)),
            faults=Faults(),
            plans=two_names(1, 3),
        ),
        Bound(
            name="rewind",
            about="Route 53 loses changes that were in sync, against what we assume",
            actors=(*_enactors(passes=3)[:1], later(2)),
            faults=Faults(rewinds=1, failovers=1),
            plans=two_names(1, 3),
        ),
        Bound(
            name="good",
            about="a plan with a held name is applied but not good; cleanup keeps the good one",
            actors=(twice[0], cast.cleanup(passes=1)),
            faults=Faults(crashes=1, late=1),
            plans=held,
        ),
        Bound(
            name="held",
            about="a name is others', is held back, and stays so under the plan after",
            actors=(*once, still_held),
            faults=Faults(crashes=1, late=1),
            plans=held,
        ),
        Bound(
            name="audit",
            about="one looks for drift while another moves the zone on and changes are lost",
            actors=(
                enactor("az1", passes=2, audits=True),
                enactor("az2", passes=2),
                later(1),
            ),
            faults=Faults(failovers=1),
            plans=two_names(1, 2),
        ),
    )


def _of_operators() -> tuple[Bound, ...]:
    once, twice = _enactors(passes=1), _enactors(passes=2)
    return (
        Bound(
            name="freeze",
            about="a freeze while a batch is in flight and another enactor is at work",
            actors=(*once, cast.freezer()),
            faults=Faults(late=1, crashes=1),
            plans=two_names(1, 3),
        ),
        Bound(
            name="freeze-lost",
            about="Route 53 loses accepted changes around a freeze, one enactor at work",
            actors=(once[0], cast.freezer()),
            faults=Faults(late=1, failovers=1, slow=1),
            plans=two_names(1, 3),
        ),
        Bound(
            name="rollback",
            about="an operator rolls back and pins while enactors go forward",
            actors=(*once, cast.rollback(1, pinned=True)),
            faults=Faults(crashes=1, late=1),
            plans=two_names(1, 3),
        ),
        Bound(
            name="pin",
            about="an operator pins the plan that stands while enactors go to the next",
            actors=(*once, cast.pinner(1)),
            faults=Faults(crashes=1, late=1),
            plans=two_names(1, 3),
        ),
        Bound(
            name="planners",
            about="two planners and a rollback want the same number",
            actors=(
                once[0],
                later(2),
                later(2, name="planner2", by=20),
                cast.rollback(1, pinned=False),
            ),
            faults=Faults(late=1),
            plans=two_names(1, 3),
        ),
        Bound(
            name="cleanup",
            about="bodies deleted while two enactors need them",
            actors=(*twice, cast.cleanup(passes=1)),
            faults=Faults(crashes=1),
            plans=two_names(1, 4),
            standing=2,
        ),
    )


def _of_all() -> tuple[Bound, ...]:
    once, twice = _enactors(passes=1), _enactors(passes=2)
    return (
        Bound(
            name="ci",
            about="two enactors, cleanup and a freeze, with a crash and a late write",
            actors=(*once, cast.cleanup(passes=1), cast.freezer()),
            faults=Faults(crashes=1, late=1),
            plans=two_names(1, 4),
            standing=2,
        ),
        Bound(
            name="wide",
            about="as ci, and one enactor goes on to confirm what was applied",
            actors=(twice[0], once[1], cast.cleanup(passes=1), cast.freezer()),
            faults=Faults(crashes=1, late=1),
            plans=two_names(1, 4),
            standing=2,
        ),
    )


def _enactors(*, passes: int) -> tuple[Actor, Actor]:
    return enactor("az1", passes=passes), enactor("az2", passes=passes)


@contextmanager
def small_and_alone() -> Iterator[None]:
    """A batch takes one changed name, so that two names are two batches.

    No event loop runs here: what a command does for all its zones at once it does for the one.
    """
    with (
        patch.object(packing, "ELEMENTS_MAX", ELEMENTS_MAX),
        patch.object(asyncio, "gather", _one_by_one),
    ):
        yield


async def _one_by_one(*asked: Coroutine[Any, Any, T]) -> list[T]:
    return [await one for one in asked]


@dataclass(frozen=True, slots=True)
class Exploration:
    """A report, and what is needed to tell a trace or to compare two explorations."""

    report: Report
    moves: Moves
    converged: int


def explored(bound: Bound, *, states_max: int = STATES_MAX, reduced: bool = True) -> Exploration:
    """Explore a bound whole; Broken when even the way to its first world breaks a promise."""
    with small_and_alone():
        doubles = Doubles(bound.switches)
        converges = Convergence(doubles)
        moves = Moves(
            bound.actors,
            doubles,
            MANAGED,
            converges.check,
            restarts=bound.restarts,
            in_sync_lasts=not bound.faults.rewinds,
            reduced=reduced,
        )
        world = first_world(bound, doubles)
        report = Search(moves, len(bound.actors)).run(world, states_max=states_max)
        return Exploration(report, moves, converges.judged)


def first_world(bound: Bound, doubles: Doubles) -> World:
    """Publish and apply by the product's own hand, one actor after another."""
    alone = Alone(doubles)
    world = doubles.empty(STRANGER)
    for index, content in enumerate(bound.plans):
        world = alone.perform(world, cast.publisher(f"setup{index}", content))
        if index < bound.standing:
            world = alone.perform(world, enactor(f"before{index}", passes=4))
    deleters = sum(one.deletes for one in bound.actors)
    return world._replace(faults=bound.faults, deleters=deleters)
