"""Who is asked has seen which records will answer otherwise, and what will not happen."""

from msgspec import structs

from dnsplan.plan import NO_GENERATION, Generation
from runbooks.controls.consequences import aim, standing_facts, step_lines, step_to, waiting_line
from runbooks.looking.line import Gone
from tests.fakes.world import World, a

ONE, TWO = a("www.example.com", "192.0.2.1"), a("www.example.com", "192.0.2.2")


async def three_published() -> World:
    """Plan 1 stands, 2 and 3 are published."""
    world = World()
    await world.publish(ONE)
    cycle = world.az()
    await world.enact(cycle)
    await world.settle(cycle)
    await world.publish(TWO)
    await world.publish(ONE, a("new.example.com", "192.0.2.3"))
    return world


async def shown(world: World, then: int, **fields: object) -> list[str]:
    """What a pin to a generation would show."""
    item, aimed = structs.replace(await world.item(), **fields), Generation(then)
    step = await step_to(world.archive, item, aimed)
    return [*step_lines(item, aimed, step), *waiting_line(item, aimed)]


async def test_a_pin_shows_the_records_that_it_holds_to_and_what_waits() -> None:
    """Before and after, as a rollback does."""
    world = await three_published()
    waits = "shop: 3 is the newest, what is above {} waits until unpin"
    assert await shown(world, 1) == [
        "shop: generation 1 stands and stays, no record changes",
        waits.format(1),
    ]
    assert await shown(world, 2, frozen="abc") == [
        "shop: generation 1 stands, enactors go on to 2 once abc is thawed: changes 1 name",
        "  - www.example.com. A 192.0.2.1 ttl 60",
        "  + www.example.com. A 192.0.2.2 ttl 60",
        waits.format(2),
    ]
    assert await shown(world, 3, applied=NO_GENERATION) == [
        "shop: no generation stands yet, enactors go on to 3: changes 2 names",
        "  + new.example.com. A 192.0.2.3 ttl 60",
        "  + www.example.com. A 192.0.2.1 ttl 60",
    ]


async def test_content_that_cannot_be_read_is_said_and_stops_nobody() -> None:
    """A pin is a word in the table; it must not need a plan's body."""
    world = await three_published()
    world.archive.reachable = False
    assert await shown(world, 3) == [
        (
            "shop: generation 1 stands, enactors go on to 3; what changes is not known: the archive"
            " cannot be reached"
        )
    ]
    facts = standing_facts(await world.item(), Gone("away"))
    assert (facts["changes"], facts["applied"], facts["written"]) == (None, 1, False)


async def test_enactors_work_to_a_pin_where_there_is_one() -> None:
    """So a freeze or thaw says what waits below it, not head."""
    item = await (await three_published()).item()
    assert (aim(item), aim(structs.replace(item, pin=Generation(2)))) == (3, 2)
