"""A changed config that goes beyond a zone's bounds waits for an operator; health never does."""

from dataclasses import replace

from msgspec import structs

from dnsplan.bounds import NAMES_CHANGED, Bounds
from dnsplan.plan import Generation, Waiver
from dnsplan.waivers import Offer, encoded
from planner.cycle import ZoneReport
from planner.rules.candidate import ZoneWish
from planner.rules.health import Sight
from planner.rules.outcomes import Published, Refused, Unchanged
from planner.show.words import plan_words
from tests.unit.planner.cases import a, healthy, pool, sick, sight
from tests.unit.planner.waves_world import worded
from tests.unit.planner.world import World

POOL = pool("a", "b", "c", "d")
GOOD = sight(a=healthy(), b=healthy(), c=healthy(), d=healthy())
B_DEAD = sight(a=healthy(), b=sick(), c=healthy(), d=healthy())


def zone(version: int, names: int = 3) -> ZoneWish:
    """A pool's name beside records whose value is the wording's number; two names may change."""
    records = [a(f"x{number}.example.com.", f"192.0.2.{version}") for number in range(names)]
    made = worded("shop", f"c{version}", POOL, records=records)
    return replace(made, limits=replace(made.limits, bounds=Bounds(names_changed_max=2)))


async def begun() -> World:
    """Generation 1, whose four names are more than may change later."""
    world = World()
    report = await world.once(GOOD, zone(1))
    assert isinstance(report.outcome, Published)
    world.clock.advance(1000)
    return world


async def answers(world: World) -> set[str]:
    """What the newest plan answers."""
    return {value for one in (await world.head()).content for value in one.values}


async def test_too_many_names_are_refused_with_number_limit_and_command() -> None:
    """Nothing is published, and what to type is said."""
    world = await begun()
    report = await world.once(GOOD, zone(2))
    assert isinstance(report.outcome, Refused)
    (violation,) = report.outcome.violations
    assert str(violation) == (
        "names_changed: example.com. in shop: 3 names would change, x0.example.com.,"
        " x1.example.com., x2.example.com.; limit: 2, max_names_changed"
    )
    command = "to let it pass once: dns-runbook waive shop names_changed --because TEXT"
    assert command in plan_words(report.outcome)
    assert world.item.head == 1


async def test_a_refused_change_keeps_no_dead_target_in() -> None:
    """The evacuation goes at once, the change stays out, and the report says both."""
    world = await begun()
    report = await world.once(B_DEAD, zone(2))
    assert isinstance(report.outcome, Published)
    assert report.waits.startswith("refused: names_changed: example.com. in shop: 3 names")
    assert "dns-runbook waive shop names_changed" in report.waits
    assert len(await answers(world) & {f"192.0.2.{n}" for n in (1, 2)}) == 1
    assert isinstance((await world.once(B_DEAD, zone(2))).outcome, Refused)
    assert await looks(world, B_DEAD) == Unchanged(Generation(2))


async def looks(world: World, view: Sight) -> object:
    """What the old wording has to say now."""
    report: ZoneReport = await world.once(view, zone(1))
    return report.outcome


async def test_a_waiver_lets_the_change_go_once() -> None:
    """The next one is bounded again."""
    world = await begun()
    waiver = Waiver(NAMES_CHANGED, "ann", "a new address plan", Generation(2))
    offer = encoded([Offer(waiver, int(world.clock.now_s()) + 600)])
    world.table.items["shop"] = structs.replace(world.item, waivers=offer)
    assert isinstance((await world.once(GOOD, zone(2))).outcome, Published)
    assert "192.0.2.2" in await answers(world)
    assert isinstance((await world.once(GOOD, zone(3))).outcome, Refused)
