"""Every interleaving of the real cycles within small bounds keeps every promise."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

import pytest

from dnsplan.fence import SeenFence
from dnsplan.generation import GenerationItem
from dnsplan.transitions import freeze, raise_floor, record_applied
from planner.rules.outcomes import HoldRule
from tests.simulation.explorer import cast
from tests.simulation.explorer.__main__ import HOLDS, main
from tests.simulation.explorer.bounds import Bound, Exploration, explored, named, two_names
from tests.simulation.explorer.cast import LABEL, ZONE, Actor, Script, enactor
from tests.simulation.explorer.memory import memory_of
from tests.simulation.explorer.promises import Mark, mark_in
from tests.simulation.explorer.script import Hands
from tests.simulation.explorer.trace import told
from tests.simulation.explorer.worlds import Faults, World

SMALL = sorted(named().keys() - {"ci", "wide"})


def story(exploration: Exploration) -> str:
    """The counterexample in words, or nothing."""
    found = exploration.report.found
    return "\n".join(told(found, exploration.moves)) if found is not None else ""


def marks_of(exploration: Exploration) -> Iterator[tuple[World, GenerationItem, Mark]]:
    """Every world that was reached, with its item and its fence."""
    moves = exploration.moves
    for world in moves.worlds.values:
        mark = mark_in(moves.doubles.zones.values[world.zone])
        if world.item is not None and mark is not None:
            yield world, world.item, mark


# What a bound must reach at least, or it proves nothing about what it is there for.
REACHED: Mapping[str, Callable[[World, GenerationItem, Mark], bool]] = {
    "audit": lambda world, item, _: bool(world.lost) and item.applied == 2,
    "cleanup": lambda _, item, mark: item.floor == 3 == mark.generation,
    "failover": lambda world, item, _: bool(world.lost) and item.applied == 2,
    "freeze": lambda world, _, mark: world.frozen and mark.frozen is not None and not mark.whole,
    "freeze-lost": lambda world, _, __: world.frozen and bool(world.lost),
    "good": lambda _, item, mark: item.applied == 2 > item.last_known_good and mark.held == 1,
    "held": lambda _, __, mark: mark.generation == 3 and mark.whole and mark.held == 1,
    "overtaken": lambda _, item, mark: item.applied == 3 == mark.generation,
    "pair": lambda world, _, mark: mark.generation == 3 and mark.whole and not world.faults.late,
    "pin": lambda _, item, mark: item.pin == 1 == mark.generation,
    "planners": lambda _, item, __: item.head == 5,
    "resume": lambda world, item, _: item.applied == 2 and not any(world.faults),
    "rewind": lambda world, item, mark: bool(world.lost) and mark.generation < item.applied,
    "rollback": lambda _, item, mark: item.pin == 3 == mark.generation and mark.whole,
}


@pytest.mark.parametrize("name", SMALL)
def test_every_promise_holds_in_every_state(name: str) -> None:
    """P1-P6, P9-P11 in every state of each small bound, none left out."""
    exploration = explored(named()[name])
    assert story(exploration) == ""
    assert not exploration.report.cut_short
    assert any(REACHED[name](*moment) for moment in marks_of(exploration))


@pytest.mark.simulation
@pytest.mark.timeout(600)
def test_two_enactors_cleanup_and_freeze_with_a_crash_and_a_late_write() -> None:
    """The bound that every change must pass: more than five million states, a minute of CPU."""
    exploration = explored(named()["ci"])
    assert story(exploration) == ""
    assert not exploration.report.cut_short
    assert exploration.report.states > 1_000_000


@pytest.mark.parametrize(
    ("name", "switch"),
    [
        ("failover", "forgotten_change_unknown"),
        ("freeze-lost", "forgotten_change_unknown"),
        ("pair", "identical_delete_create_accepted"),
        ("held", "list_order_matters"),
    ],
)
def test_what_is_not_known_of_route53_matters_to_no_promise(name: str, switch: str) -> None:
    """Both answers to an open question keep every promise."""
    bound = named()[name]
    flipped = {switch: not getattr(bound.switches, switch)}
    exploration = explored(replace(bound, switches=replace(bound.switches, **flipped)))
    assert story(exploration) == ""


def worlds_of(exploration: Exploration) -> set[object]:
    """What was reached, in values that two explorations share."""
    moves = exploration.moves
    return {
        (
            moves.doubles.zones.values[one.zone],
            one.item,
            moves.doubles.archives.values[one.archive],
            one.faults,
            one.frozen,
        )
        for one in moves.worlds.values
    }


def test_the_reductions_lose_no_world() -> None:
    """Merged histories and calls made alone reach exactly what every order of every call does."""
    bound = Bound(
        name="compared",
        about="",
        actors=(enactor("az1", passes=2), enactor("az2", passes=1), cast.cleanup(passes=1)),
        faults=Faults(late=1),
        plans=two_names(1, 4),
        standing=2,
    )
    whole, reduced = explored(bound, reduced=False), explored(bound)
    assert story(whole) == ""
    assert worlds_of(whole) == worlds_of(reduced)
    assert reduced.report.states < whole.report.states


def careless(name: str, script: Script, *, planner_fed: bool = False) -> Actor:
    """Somebody who leaves out one guard."""
    return Actor(name, script, planner_fed=planner_fed)


def promise_broken_by(actor: Actor, faults: Faults = Faults()) -> str:  # noqa: B008 - it is frozen
    """Let one careless actor loose beside a real enactor; the promise that is found broken."""
    bound = Bound(
        name="careless",
        about="",
        actors=(enactor("az1", passes=2), actor),
        faults=faults,
        plans=two_names(1, 4),
        standing=2,
    )
    exploration = explored(bound)
    found = exploration.report.found
    assert found is not None, f"{actor.name} went unnoticed"
    lines = told(found, exploration.moves)
    assert lines[0].startswith("  1. ")
    assert lines[-1].endswith(str(found.broken))
    return found.broken.promise


async def item_of(hands: Hands) -> GenerationItem:
    """The zone's item."""
    return (await hands.table.read((LABEL,)))[LABEL]


def test_a_freeze_that_moves_no_fence_is_found() -> None:
    """P9: a batch in flight lands after it."""

    async def script(hands: Hands) -> str:
        item = await item_of(hands)
        await hands.table.write(freeze(item, "id", nonce="n"))
        return cast.FROZEN

    assert promise_broken_by(careless("freezer", script)) == "P9"


def test_a_body_deleted_before_the_floor_is_raised_is_found() -> None:
    """P5: an enactor may still claim it."""

    async def script(hands: Hands) -> str:
        item = await item_of(hands)
        rows = await hands.archive.rows(LABEL)
        await hands.archive.bury(rows[0], by="x", now_s=1)
        await hands.table.write(raise_floor(item, rows[1].plan_id.generation, keep=0, nonce="n"))
        return "cleaned"

    assert promise_broken_by(replace(careless("cleaner", script), deletes=True)) == "P5"


def test_applied_written_on_sight_is_found() -> None:
    """P5: what is noted as applied may still be lost."""

    async def script(hands: Hands) -> str:
        item = await item_of(hands)
        seen = await hands.records.read_fence(ZONE)
        assert isinstance(seen, SeenFence)
        if seen.record.generation == item.head and seen.record.is_complete:
            text = seen.listed.values[0]
            await hands.table.write(
                record_applied(item, item.head, fence=text, good=True, nonce="n")
            )
        return "noted"

    assert promise_broken_by(careless("noter", script), Faults(failovers=1)) == "P5"


def test_a_batch_sent_again_after_no_answer_is_found() -> None:
    """P11: the fence is read first."""

    class Again:
        """Sends twice what gets no answer."""

        def __init__(self, hands: Hands) -> None:
            self._records = hands.records

        def __getattr__(self, name: str) -> object:
            return getattr(self._records, name)

        async def submit(self, zone: object, batch: object) -> object:
            call = self._records.submit
            first = await call(zone, batch)  # type: ignore[arg-type]  # passed on as it came
            again = type(first).__name__ == "Unknown"
            return await call(zone, batch) if again else first  # type: ignore[arg-type]  # likewise

    real = enactor("az2", passes=1)

    async def script(hands: Hands) -> str:
        hands.records = Again(hands)  # type: ignore[assignment]  # all but submit is the port's own
        return await real.script(hands)

    assert promise_broken_by(careless("az2", script, planner_fed=True), Faults(late=1)) == "P11"


def test_a_process_that_ends_is_found() -> None:
    """P10: what breaks an invariant of its own never converges."""

    async def script(hands: Hands) -> str:
        await item_of(hands)
        raise AssertionError("never")

    assert promise_broken_by(careless("ended", script)) == "P10"


def test_memory_leaves_nothing_out() -> None:
    """What cannot be compared is refused; ports and what can be computed again do not count."""
    hands, others = Hands("a", planner_fed=True), Hands("b", planner_fed=True)
    assert memory_of([hands.table, {"x": {1, 2}}]) == memory_of([others.table, {"x": {2, 1}}])
    assert memory_of({"x": HoldRule.FROZEN}) != memory_of({"x": None})
    assert memory_of([item_of]) == memory_of([item_of]) != memory_of([memory_of])
    with pytest.raises(TypeError):
        memory_of([lambda: hands])


def test_the_command_says_what_it_explored(capsys: pytest.CaptureFixture[str]) -> None:
    """Bound, figures and verdict, and exit code 0."""
    assert main(["--bound", "pin"]) == HOLDS
    shown = capsys.readouterr().out
    assert "actors: az1, az2, pin; faults: 1 crashes, 1 late" in shown
    assert "states" in shown
    assert shown.endswith("every promise holds in every state\n")
