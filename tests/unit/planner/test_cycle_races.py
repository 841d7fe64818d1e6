"""Two planners, crashes and lost answers: one plan wins, and nothing is ever sent again."""

import pytest

from dnsplan.plan import Generation
from planner.rules.outcomes import (
    Overtaken,
    PlanOutcome,
    Published,
    Unchanged,
    Unsettled,
    Waiting,
)
from tests.fakes.table import TableFault
from tests.unit.planner.cases import a, pool, wish
from tests.unit.planner.world import B_DEAD, GOOD, WEB, StaleTable, World


@pytest.mark.parametrize("first", [0, 1])
async def test_of_two_planners_one_wins(first: int) -> None:
    """Two planners that read the same head publish one plan; the other drops everything."""
    world = World()
    await world.begin(7)
    seen = world.table.snapshot()
    wishes = [WEB, wish(pool("a", "b"))]
    outcomes: list[type[PlanOutcome]] = []
    for zone in (wishes[first], wishes[1 - first]):
        racer = world.planner(zone, table=StaleTable(world.table, seen))
        (report,) = await racer.run_once(B_DEAD, may_write=True)
        outcomes.append(type(report.outcome))
    assert outcomes == [Published, Overtaken]
    assert world.item.head == 8


async def test_two_first_planners_make_one_item() -> None:
    """Of two planners that find no item one makes it; the other comes to the same plan later."""
    world = World()
    blind = StaleTable(world.table, {})
    await world.once()
    (late,) = await world.planner(table=blind).run_once(GOOD, may_write=True)
    assert isinstance(late.outcome, Overtaken)
    report = await world.once()
    assert report.outcome == Unchanged(Generation(1))


async def test_a_crash_between_store_and_publish_blocks_nobody() -> None:
    """A body without a head is an orphan: the next planner publishes the same number again."""
    world = World()
    await world.begin(7)
    world.table.write_faults.append(TableFault.LOSE_REQUEST)
    crashed = await world.once(B_DEAD)
    assert isinstance(crashed.outcome, Unsettled)
    orphans = len(world.archive.bodies)
    world.clock.advance(5)
    report = await world.once(B_DEAD)
    assert report.outcome == Published(world.item.head_id)
    assert (world.item.head, len(world.archive.bodies)) == (8, orphans + 1)


async def test_a_lost_answer_is_settled_by_reading() -> None:
    """A publish that took place without an answer is seen by the next pass, not sent again."""
    world = World()
    await world.begin(7)
    world.table.write_faults.append(TableFault.LOSE_REPLY)
    lost = await world.once(B_DEAD)
    assert isinstance(lost.outcome, Unsettled)
    assert world.item.head == 8
    writes = len(world.table.writes)
    report = await world.once(B_DEAD)
    assert report.outcome == Unchanged(Generation(8))
    assert len(world.table.writes) == writes


async def test_a_lost_creation_is_settled_by_reading() -> None:
    """An item made without an answer is used by the next pass; its owner stays."""
    world = World()
    world.table.write_faults.append(TableFault.LOSE_REPLY)
    assert isinstance((await world.once()).outcome, Unsettled)
    owner = world.item.owner
    report = await world.once()
    assert report.outcome == Published(world.item.head_id)
    assert world.item.owner == owner


async def test_a_burst_becomes_few_plans() -> None:
    """Beyond max_plans_per_min a change waits, and the plan after it is the newest state."""
    world = World()
    cycle = world.cycle(plans_per_min_max=2)
    outcomes = []
    for index in range(4):
        zone = wish(records=(a("x.example.com.", f"192.0.2.{index + 1}"),))
        planner = world.planner(zone, cycle=cycle)
        (report,) = await planner.run_once(GOOD, may_write=True)
        outcomes.append(type(report.outcome))
        world.clock.advance(1)
    assert outcomes == [Published, Published, Waiting, Waiting]
    world.clock.advance(60)
    await world.planner(zone, cycle=cycle).run_once(GOOD, may_write=True)
    assert (await world.head()).content == (a("x.example.com.", "192.0.2.4"),)
    assert world.item.head == 3


async def test_the_pace_is_the_zones_whoever_plans() -> None:
    """Three planners that take turns publish no more together than one alone would."""
    world = World()
    cycles = [world.cycle(plans_per_min_max=2) for _ in range(3)]
    outcomes = []
    for index in range(8):
        zone = wish(records=(a("x.example.com.", f"192.0.2.{index + 1}"),))
        for at in range(3):
            planner = world.planner(zone, cycle=cycles[(index + at) % 3])
            (report,) = await planner.run_once(GOOD, may_write=True)
            outcomes.append(type(report.outcome))
            world.clock.advance(1)
    assert [outcomes.count(kind) for kind in (Published, Unchanged, Waiting)] == [2, 4, 18]
