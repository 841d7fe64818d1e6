"""A config that reached one planner and not the others: a rollout half done, or an AZ left behind.

Whoever's config changed last is followed; nobody undoes it for having had another one all along.
"""

import pytest
from msgspec import structs

from dnsplan.plan import Generation, Waiver
from dnsplan.waivers import Offer, encoded
from planner.rules.outcomes import Published, Unchanged, Waiting
from planner.rules.waves import Waves
from tests.unit.planner.waves_world import WaveWorld, waves

OLDER = (
    "another planner publishes a by another config since generation 2, and this one's has not"
    " changed since: bring all planners the same; if this one's is right:"
    " dns-runbook waive a wave --because TEXT"
)


@pytest.mark.parametrize("how", [None, waves("a")], ids=["at once", "in waves"])
async def test_two_planners_of_two_configs_do_not_undo_each_other(how: Waves | None) -> None:
    """The zone goes over once, and the one that was left behind says so for as long as it is."""
    world = WaveWorld(labels=("a",))
    first, behind = await world.started(how), world.waver()
    await world.versions(behind, 1, how)
    for _ in range(100):
        await world.versions(first, 2, how)
        world.enact()
        world.clock.advance(30)
        reports = await world.versions(behind, 1, how)
        assert reports["a"].outcome == Waiting(OLDER)
        world.clock.advance(30)
    assert (await world.values(), len(world.turns)) == ({"a": "2"}, 1)
    reports = await world.versions(behind, 2, how)
    assert reports["a"].outcome == Unchanged(Generation(2))


async def test_a_planner_that_was_left_behind_takes_up_what_comes() -> None:
    """Another wording than it had is a change of its own; the first one's config is the older."""
    world = WaveWorld(labels=("a",))
    first, behind = await world.started(None), world.waver()
    await world.versions(behind, 1, None)
    await world.versions(first, 2, None)
    await world.versions(first, 2, None)
    assert isinstance((await world.versions(behind, 1, None))["a"].outcome, Waiting)
    assert isinstance((await world.versions(behind, 3, None))["a"].outcome, Published)
    assert isinstance((await world.versions(first, 2, None))["a"].outcome, Waiting)
    assert await world.values() == {"a": "3"}


async def test_a_planner_takes_back_what_it_took_up() -> None:
    """Back and forth, without a pass between: its own changes are never those of another."""
    world = WaveWorld(labels=("a",))
    planner = await world.started(None)
    for version in (2, 1, 2, 3, 1):
        reports = await world.versions(planner, version, None)
        assert isinstance(reports["a"].outcome, Published)
        assert await world.values() == {"a": str(version)}


async def test_an_operator_lets_the_one_left_behind_publish() -> None:
    """By the waiver of a wave; then the other one is behind."""
    world = WaveWorld(labels=("a",))
    first, behind = await world.started(None), world.waver()
    await world.versions(behind, 1, None)
    await world.versions(first, 2, None)
    await world.versions(first, 2, None)
    await world.versions(behind, 1, None)
    item = world.table.items["a"]
    waiver = Waiver("wave", "operator", "the new config is wrong", Generation(item.head + 1))
    offer = Offer(waiver, int(world.clock.now_s()) + 60)
    world.table.items["a"] = structs.replace(item, waivers=encoded([offer]))
    assert isinstance((await world.versions(behind, 1, None))["a"].outcome, Published)
    assert isinstance((await world.versions(first, 2, None))["a"].outcome, Waiting)
    assert await world.values() == {"a": "1"}
