"""An export shows the newest plan that is applied, or the one that was asked for by number."""

import pytest
from msgspec import structs

from dnsplan.codec import seal
from dnsplan.errors import DnsplanError, PlanMissing
from dnsplan.plan import Generation
from planner.publishing import row_of
from runbooks.controls.outside import Mistaken, Refused
from runbooks.exporting.reading import Exported, read_plan
from tests.fakes.world import World, a

ONE, TWO, THREE = (a("www.example.com", f"192.0.2.{n}") for n in (1, 2, 3))


async def asked(world: World, generation: int | None = None) -> Exported:
    """What is exported."""
    return await read_plan(world.table, world.archive, world.label, generation)


async def two_of_three_applied() -> World:
    """Three plans, of which the first two were applied."""
    world = World()
    cycle = world.az()
    for content in (ONE, TWO):
        await world.publish(content)
        await world.enact(cycle)
        await world.settle(cycle)
    await world.publish(THREE)
    return world


async def test_the_newest_applied_plan() -> None:
    """Without a number it is what stands in the zone, not what is only published."""
    world = await two_of_three_applied()
    exported = await asked(world)
    assert (exported.plan.generation, exported.plan.content) == (2, (TWO,))
    assert exported.file.digest == await world.digest_at(2)
    assert exported.zone_id == world.zone.zone_id


@pytest.mark.parametrize(("generation", "content"), [(1, ONE), (2, TWO), (3, THREE)])
async def test_by_number(generation: int, content: object) -> None:
    """Any generation whose body is kept, the newest published one too."""
    world = await two_of_three_applied()
    assert (await asked(world, generation)).plan.content == (content,)


@pytest.mark.parametrize("generation", [0, -1, 4])
async def test_a_number_that_never_was(generation: int) -> None:
    """A number outside what was published is a mistake that names what there is."""
    world = await two_of_three_applied()
    with pytest.raises(Mistaken, match="shop has generations 1 to 3"):
        await asked(world, generation)


async def test_a_buried_plan() -> None:
    """A plan that cleanup took is refused."""
    world = await two_of_three_applied()
    row = (await world.archive.rows("shop"))[0]
    await world.archive.bury(row, by="cleanup", now_s=9)
    with pytest.raises(Refused, match="the body of shop 1 was deleted by cleanup: pick another"):
        await asked(world, 1)


async def test_two_bodies_of_one_number() -> None:
    """Which of two was published cannot be known from rows, so neither is shown; of the applied
    one the generation item knows the digest."""
    world = await two_of_three_applied()
    for generation in (1, 2):
        plan = structs.replace((await asked(world, generation)).plan, reason="lost the race")
        sealed = seal(plan)
        await world.archive.store(sealed, row_of(plan, sealed))
    with pytest.raises(Refused, match="2 bodies of shop 1, one of them was published"):
        await asked(world, 1)
    assert (await asked(world, 2)).plan.reason == "test"


async def test_before_anything_is_applied() -> None:
    """Nothing is known to stand in the zone: the newest plan must be asked for by number."""
    world = World()
    with pytest.raises(Refused, match="shop has no plan yet"):
        await asked(world)
    await world.publish(ONE)
    with pytest.raises(Refused, match="--generation 1 exports"):
        await asked(world)
    assert (await asked(world, 1)).plan.generation == Generation(1)


async def test_what_cannot_be_read() -> None:
    """A body that is gone, or an archive that does not answer, is said; nothing is made up."""
    world = await two_of_three_applied()
    world.archive.bodies.clear()
    with pytest.raises(PlanMissing):
        await asked(world)
    world.archive.reachable = False
    with pytest.raises(DnsplanError):
        await asked(world)
