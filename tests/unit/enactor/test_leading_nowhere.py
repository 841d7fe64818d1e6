"""A CNAME takes an answer's place only where it leads to one (P2): the zone is asked about targets
that no plan states."""

import pytest

from dnsplan.names import parse_name
from dnsplan.records import RecordSet
from tests.fakes.world import World, a, cname
from tests.unit.enactor.test_cycle import applied_once
from tests.unit.enactor.test_held_targets import held

HAD = a("www.example.com", "192.0.2.1")
LINK = cname("www.example.com", "t.example.com")


def made_by_hand(world: World, *records: RecordSet) -> None:
    """People's records, which no plan of ours states."""
    if records:
        world.route53.edit(world.zone, *(("CREATE", one) for one in records))


async def test_a_name_that_answers_is_not_led_to_nothing() -> None:
    """It keeps its records, is held with the reason, and its neighbours go on."""
    world = World()
    await applied_once(world, HAD)
    other = a("x.example.com", "192.0.2.7")
    await world.publish(LINK, other)
    (note,) = await held(world, world.az())
    assert note == (
        "www.example.com. held: would lead nowhere: nothing stands at t.example.com., and no plan"
        " states it"
    )
    assert set(world.route53.content(world.zone)) == {HAD, other}


@pytest.mark.parametrize(
    "standing",
    [
        a("t.example.com", "192.0.2.3"),
        cname("t.example.com", "elsewhere.example.net"),
        a("*.example.com", "192.0.2.3"),
    ],
    ids=["values", "another link", "a wildcard"],
)
async def test_what_people_made_is_an_answer(standing: RecordSet) -> None:
    """The name may stand unmanaged; then the change is made."""
    world = World()
    await applied_once(world, HAD)
    made_by_hand(world, standing)
    await world.publish(LINK)
    assert await held(world, world.az()) == ()
    assert LINK in world.route53.content(world.zone)


async def test_what_comes_to_stand_later_ends_the_hold() -> None:
    """It is judged again with every plan."""
    world = World()
    await applied_once(world, HAD)
    await world.publish(LINK)
    assert len(await held(world, world.az())) == 1
    made_by_hand(world, a("t.example.com", "192.0.2.3"))
    await world.publish(LINK, a("x.example.com", "192.0.2.7"))
    assert await held(world, world.az()) == ()
    assert LINK in world.route53.content(world.zone)


async def test_a_name_below_a_delegation_may_have_an_answer() -> None:
    """What stands there, no listing of this zone tells."""
    world = World()
    await applied_once(world, HAD)
    made_by_hand(world, RecordSet(parse_name("t.example.com"), "NS", 60, ("ns.example.net.",)))
    link = cname("www.example.com", "www.t.example.com")
    await world.publish(link)
    assert await held(world, world.az()) == ()
    assert link in world.route53.content(world.zone)


TEXT = RecordSet(parse_name("t.example.com"), "TXT", 60, ('"text"',))


async def held_with(stated: list[RecordSet], by_hand: list[RecordSet]) -> tuple[str, ...]:
    """What is said of a plan that makes `www` a CNAME to `t`; its address stays, if anything."""
    world = World()
    await applied_once(world, HAD, *(one for one in stated if one.name != LINK.name))
    made_by_hand(world, *by_hand)
    await world.publish(LINK, *stated)
    notes = await held(world, world.az())
    assert (HAD in world.route53.content(world.zone)) == bool(notes)
    return notes


@pytest.mark.parametrize(
    ("stated", "by_hand", "why"),
    [
        ([TEXT], [], "t.example.com. has no address, only TXT"),
        (
            [],
            [RecordSet(TEXT.name, "CNAME", 60, ("gone.example.com.",))],
            "nothing stands at gone.example.com., and no plan states it",
        ),
        (
            [cname("t.example.com", "u.example.com")],
            [cname("u.example.com", "gone.example.com")],
            "nothing stands at gone.example.com., and no plan states it",
        ),
        (
            [],
            [cname("t.example.com", "www.example.com")],
            "back to itself: www.example.com. to t.example.com. to www.example.com.",
        ),
        (
            [],
            [cname("t.example.com", "u.example.com"), cname("u.example.com", "t.example.com")],
            (
                "back to itself: www.example.com. to t.example.com. to u.example.com."
                " to t.example.com."
            ),
        ),
        (
            [],
            [RecordSet(parse_name("*.example.com"), "TXT", 60, ('"text"',))],
            "t.example.com. has no address, only TXT",
        ),
    ],
    ids=[
        "a stated text",
        "a dead link",
        "two links",
        "a circle",
        "a circle further on",
        "a wildcard of text",
    ],
)
async def test_the_whole_way_is_followed(
    stated: list[RecordSet], by_hand: list[RecordSet], why: str
) -> None:
    """However many names lie between, and whoever made them."""
    assert await held_with(stated, by_hand) == (
        f"www.example.com. held: would lead nowhere: {why}",
    )


async def test_a_long_way_to_an_answer_is_one() -> None:
    """Managed and unmanaged names may lead to one another."""
    chain = [cname("t.example.com", "u.example.com"), cname("v.example.com", "elsewhere.net")]
    assert await held_with([chain[0]], [cname("u.example.com", "v.example.com"), chain[1]]) == ()


async def test_a_record_of_another_kind_is_no_answer() -> None:
    """A name that only has a text does not answer for addresses."""
    world = World()
    await applied_once(world, HAD)
    made_by_hand(world, RecordSet(parse_name("t.example.com"), "TXT", 60, ('"text"',)))
    await world.publish(LINK)
    assert len(await held(world, world.az())) == 1
    assert HAD in world.route53.content(world.zone)


async def test_a_wildcard_answers_for_nothing_below_a_name_that_exists() -> None:
    """`u` keeps `*` from `t.u`: a CNAME to it would lead nowhere."""
    world = World()
    await applied_once(world, HAD)
    made_by_hand(world, a("*.example.com", "192.0.2.3"), a("u.example.com", "192.0.2.4"))
    await world.publish(cname("www.example.com", "t.u.example.com"))
    assert len(await held(world, world.az())) == 1
    assert HAD in world.route53.content(world.zone)


@pytest.mark.parametrize("by_hand", [True, False])
@pytest.mark.parametrize("below", ["x.t.example.com", "x.y.t.example.com"])
async def test_a_wildcard_answers_for_no_name_that_has_names_below_it(
    below: str, by_hand: bool
) -> None:
    """`x.t` makes `t` exist, without an answer, whoever states it."""
    world = World()
    await applied_once(world, HAD)
    text = RecordSet(parse_name(below), "TXT", 60, ('"text"',))
    made_by_hand(world, a("*.example.com", "192.0.2.3"), *((text,) if by_hand else ()))
    await world.publish(LINK, *(() if by_hand else (text,)))
    (note,) = await held(world, world.az())
    assert note.startswith("www.example.com. held: would lead nowhere: nothing stands at t.")
    assert HAD in world.route53.content(world.zone)
