"""What differs between two contents: never more than the plan answers for, never half of a zone."""

import pytest
from msgspec import structs

from dnsplan.errors import ReadFailed
from dnsplan.fence import fence_name
from runbooks.controls.outside import Mistaken, Refused
from runbooks.history.comparing import Compared, compare
from runbooks.history.show import diff_facts, diff_text
from tests.fakes.world import World, a
from tests.unit.looking.hands import APEX, applied, eyes_on

WWW, TWO = a("www.example.com", "192.0.2.1"), a("www.example.com", "192.0.2.2")
API = a("api.example.com", "192.0.2.3")


async def compared(world: World, one: str, other: str) -> Compared:
    """A comparison."""
    return await compare(eyes_on(world), "shop", APEX, one, other)


async def two_plans() -> World:
    """The second is head, the first stands in the zone."""
    world = World()
    await world.publish(WWW)
    await applied(world)
    await world.publish(TWO, API)
    return world


async def test_a_minus_stands_in_the_first_a_plus_in_the_second() -> None:
    """By name, in order."""
    found = await compared(await two_plans(), "1", "2")
    assert [text.plain for text in diff_text(found)] == [
        "shop + api.example.com. A 192.0.2.3 ttl 60",
        "shop - www.example.com. A 192.0.2.1 ttl 60",
        "shop + www.example.com. A 192.0.2.2 ttl 60",
        "shop 2 names differ from generation 1 to generation 2",
    ]
    assert diff_facts(found)["a"] == "generation 1"


async def test_the_zone_as_it_stands_against_head() -> None:
    """What would still change; others' records are no difference, and the order of values none."""
    world = await two_plans()
    world.route53.edit(world.zone, ("CREATE", a("x.example.com", "192.0.2.9")))
    live = await compared(world, "live", "head")
    assert [one.name for one in live.changes] == ["api.example.com.", "www.example.com."]
    assert (live.a, live.b) == ("live", "generation 2")
    back = await compared(world, "1", "live")
    assert [text.plain for text in diff_text(back)] == ["shop generation 1 and live hold the same"]


async def test_drift_is_a_difference_from_the_plan_that_is_applied() -> None:
    """A foreign hand shows."""
    world = await two_plans()
    world.route53.edit(world.zone, ("UPSERT", a("www.example.com", "203.0.113.66")))
    found = await compared(world, "1", "live")
    assert [text.plain for text in diff_text(found)][:2] == [
        "shop - www.example.com. A 192.0.2.1 ttl 60",
        "shop + www.example.com. A 203.0.113.66 ttl 60",
    ]


async def test_a_zone_that_is_written_while_it_is_listed_is_not_shown_in_halves() -> None:
    """A listing counts between two equal fences; after three that do not, it says so."""
    world = await two_plans()

    def write() -> None:
        (fence,) = world.route53.standing(world.zone, fence_name(world.zone.name))
        moved = structs.replace(fence, values=(fence.values[0].replace("nonce=", "nonce=0"),))
        world.route53.edit(world.zone, ("DELETE", fence), ("CREATE", moved))

    world.route53.after_page = write
    with pytest.raises(ReadFailed, match="was written each time it was listed"):
        await compared(world, "live", "head")
    world.route53.after_page = None
    assert len((await compared(world, "live", "head")).changes) == 2


@pytest.mark.parametrize(
    ("one", "other", "error", "text"),
    [
        ("live", "live", Mistaken, "are the same"),
        ("newest", "head", Mistaken, "'newest' is no generation; allowed: a number, head, live"),
        ("9", "head", Mistaken, "there is no generation 9; shop has generations 1 to 2"),
    ],
)
async def test_what_cannot_be_compared(
    one: str, other: str, error: type[Exception], text: str
) -> None:
    """What was found and what is allowed."""
    with pytest.raises(error, match=text):
        await compared(await two_plans(), one, other)


async def test_without_a_plan_there_is_nothing_to_compare() -> None:
    """It names what makes one."""
    with pytest.raises(Refused, match="dns-planner plan shop"):
        await compared(World(), "live", "head")
