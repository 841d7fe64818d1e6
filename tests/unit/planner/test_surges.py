"""What piles up, in a second or in an outage, comes out as few plans, the newest state first."""

from collections.abc import Sequence

import pytest
from msgspec import structs

from dnsplan.names import parse_name
from dnsplan.velocity import VelocityLimit
from planner.cycle import PlanCycle
from planner.rules.candidate import ZoneWish
from planner.rules.health import Sight
from planner.rules.outcomes import Held, Published
from tests.unit.planner.cases import a, healthy, member, pool, sick, sight, wish
from tests.unit.planner.world import GOOD, World

PLANS_A_MIN = 6
OUTAGE_S = 1_800

# A thousand targets of a hundred names; velocity lets them all go but one a name, so that only the
# pace is left to hold back.
NAMES, TARGETS = 100, 10
LOOSE = VelocityLimit(min_targets=1, max_removed_share=1.0, window_s=300)
MANY = wish(
    *(
        pool(
            *(member(f"n{name}t{at}", answer=f"10.0.{name}.{at + 1}") for at in range(TARGETS)),
            name=parse_name(f"n{name}.example.com."),
            limit=LOOSE,
            panic_threshold=0.0,
        )
        for name in range(NAMES)
    )
)
# One target of each name stays well, whatever befalls the others.
FICKLE = [f"n{name}t{at}" for at in range(1, TARGETS) for name in range(NAMES)]
STEADY = [f"n{name}t0" for name in range(NAMES)]


def with_sick(count: int) -> Sight:
    """So many of them are sick."""
    states = {("web", one): healthy() for one in STEADY}
    for at, one in enumerate(FICKLE):
        states["web", one] = sick() if at < count else healthy()
    return Sight(states, 0.0, 100.0)


def enact(world: World) -> None:
    """The newest plan is applied."""
    world.table.items["shop"] = structs.replace(world.item, applied=world.item.head)


async def went(world: World, cycle: PlanCycle, view: Sight, zone: ZoneWish) -> bool:
    """One pass: whether it published."""
    (report,) = await world.planner(zone, cycle=cycle).run_once(view, may_write=True)
    return isinstance(report.outcome, Published)


async def test_a_thousand_health_changes_in_a_second_are_a_few_plans() -> None:
    """Seen bit by bit by two planners that plan as fast as they can; the rest is one plan more, a
    minute later, of what is true then."""
    world = World()
    cycles = [world.cycle(plans_per_min_max=PLANS_A_MIN) for _ in range(2)]
    for cycle in cycles:
        await went(world, cycle, with_sick(0), MANY)
    enact(world)
    world.clock.advance(60)
    published = 0
    for turn in range(10):
        changed = len(FICKLE) * (turn + 1) // 10
        published += await went(world, cycles[turn % 2], with_sick(changed), MANY)
        world.clock.advance(0.1)
    assert published == PLANS_A_MIN
    world.clock.advance(60)
    assert await went(world, cycles[0], with_sick(len(FICKLE)), MANY)
    assert len((await world.head()).content) == len(STEADY)
    assert not await went(world, cycles[0], with_sick(len(FICKLE)), MANY)


async def surge(world: World, cycle: PlanCycle, first: int, seconds: int) -> list[int]:
    """One change and one pass a second: when plans went, as seconds from the beginning."""
    times = []
    for second in range(seconds):
        if await went(world, cycle, GOOD, stating(first + second)):
            times.append(second)
        world.clock.advance(1)
    return times


def stating(number: int) -> ZoneWish:
    """One record, whose value tells the number."""
    return wish(records=(a("x.example.com.", f"10.0.{number // 250}.{number % 250 + 1}"),))


def in_any_minute(times: Sequence[int]) -> int:
    """The most plans of any minute."""
    return max(sum(at <= one < at + 60 for one in times) for at in times)


@pytest.mark.parametrize("lost", ["table", "archive"])
async def test_after_an_outage_of_the_table_planning_goes_on_at_its_pace(lost: str) -> None:
    """Nothing was queued: the first plan states what is true then, and the pace is as ever."""
    world = World()
    cycle = world.cycle(plans_per_min_max=PLANS_A_MIN)
    assert await went(world, cycle, GOOD, stating(0))
    enact(world)
    (world.table if lost == "table" else world.archive).reachable = False
    for second in range(0, OUTAGE_S, 5):
        (report,) = await world.planner(stating(second), cycle=cycle).run_once(GOOD, may_write=True)
        assert isinstance(report.outcome, Held)
        world.clock.advance(5)
    (world.table if lost == "table" else world.archive).reachable = True
    assert world.item.head == 1
    times = await surge(world, cycle, 5_000, 150)
    assert (times[0], in_any_minute(times)) == (0, PLANS_A_MIN)
    assert world.item.head == 1 + len(times)


async def test_after_an_outage_of_route_53_planning_goes_on_at_its_pace() -> None:
    """While nothing is applied the pace falls to one a minute; then it is as ever, and no more."""
    world = World()
    cycle = world.cycle(plans_per_min_max=PLANS_A_MIN)
    during = await surge(world, cycle, 0, OUTAGE_S)
    assert in_any_minute(during[-10:]) == 1
    assert len(during) < OUTAGE_S / 60 + 20
    enact(world)
    times = await surge(world, cycle, 5_000, 60)
    assert PLANS_A_MIN - 1 <= len(times) <= PLANS_A_MIN
    assert in_any_minute([at - OUTAGE_S for at in during] + times) <= PLANS_A_MIN


async def test_after_an_outage_of_probes_planning_goes_on_at_its_pace() -> None:
    """What was not seen changes nothing. What turned meanwhile is seen bit by bit, as rows of looks
    become whole, and comes out as few plans."""
    world = World()
    cycle = world.cycle(plans_per_min_max=PLANS_A_MIN)
    assert await went(world, cycle, with_sick(0), MANY)
    enact(world)
    blind = sight()
    for _ in range(3):
        world.clock.advance(OUTAGE_S / 3)
        assert not await went(world, cycle, blind, MANY)
    published = 0
    for second in range(10):
        published += await went(world, cycle, with_sick(80 * (second + 1)), MANY)
        world.clock.advance(1)
    assert published == PLANS_A_MIN
