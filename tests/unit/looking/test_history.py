"""The past of a zone: each plan with what it changed, and nothing made up where content is gone."""

import pytest
from msgspec import structs

from dnsplan.codec import seal, unseal
from dnsplan.names import parse_name
from dnsplan.plan import Generation, Plan
from dnsplan.runtime.status.model import Unread
from dnsplan.trace import trace_of
from planner.publishing import row_of
from runbooks.controls.outside import Refused
from runbooks.history.past import Past, read_past
from runbooks.history.show import history_facts, history_lines
from runbooks.looking.line import line_of
from tests.fakes.world import World, a
from tests.unit.looking.hands import APEX, applied, eyes_on

WWW, TWO = a("www.example.com", "192.0.2.1"), a("www.example.com", "192.0.2.2")
API, MAIL = a("api.example.com", "192.0.2.3"), a("mail.example.com", "192.0.2.4")


async def past(world: World, name: str | None = None, limit: int = 20) -> Past:
    """The world's past."""
    wanted = None if name is None else parse_name(name)
    return await read_past(eyes_on(world), "shop", APEX, name=wanted, limit=limit)


async def three_plans() -> World:
    """www; then www moved and api came; then mail came and api ended. The second is applied."""
    world = World()
    await world.publish(WWW)
    await world.publish(TWO, API)
    await applied(world)
    await world.publish(TWO, MAIL)
    return world


async def test_each_plan_says_what_it_added_ended_and_changed() -> None:
    """The newest first, with what stands where."""
    world = await three_plans()
    lines = list(history_lines("shop", await past(world), name=None))
    three, two, one = [trace_of(await world.digest_at(number)) for number in (3, 2, 1)]
    stands = "[live, applied, last known good]"
    assert lines == [
        f"shop 3 2025-10-09 08:53:24Z test +1 -1 ~0 [head] test; trace {three}",
        f"shop 2 2025-10-09 08:53:20Z test +1 -0 ~1 {stands} test; trace {two}",
        f"shop 1 2025-10-09 08:53:20Z test +1 -0 ~0 test; trace {one}",
    ]


async def test_with_a_name_only_what_changed_it() -> None:
    """The records before and after, and how far was looked."""
    lines = list(
        history_lines("shop", await past(await three_plans(), "www.example.com"), name=WWW.name)
    )
    assert [line for line in lines if " - " in line or " + " in line] == [
        "shop - www.example.com. A 192.0.2.1 ttl 60",
        "shop + www.example.com. A 192.0.2.2 ttl 60",
        "shop + www.example.com. A 192.0.2.1 ttl 60",
    ]
    assert [line.split()[1] for line in lines] == ["2", "-", "+", "1", "+"]
    none = await past(await three_plans(), "x.example.com")
    assert list(history_lines("shop", none, name=parse_name("x.example.com"))) == [
        "shop 3 plans looked at, none changed x.example.com."
    ]


async def test_the_limit_says_how_many_are_left() -> None:
    """Nothing is dropped in silence."""
    found = await past(await three_plans(), limit=1)
    assert [one.row.plan_id.generation for one in found.entries] == [3]
    assert list(history_lines("shop", found, name=None))[-1] == (
        "shop 2 older plans not looked at; --limit shows more"
    )


async def test_a_buried_plan_stays_in_the_list_and_its_changes_are_unknown() -> None:
    """A tombstone tells who and why; what nobody can read is no change and no lack of one."""
    world = await three_plans()
    first = (await world.archive.rows("shop"))[0]
    await world.archive.bury(first, by="cleanup", now_s=9)
    lines = list(history_lines("shop", await past(world), name=None))
    assert lines[1].startswith("shop 2 ")
    assert "+? -? ~?" in lines[1]
    assert lines[2].startswith("shop 1 2025-10-09 08:53:20Z test +? -? ~? [buried]")
    assert "shop generation 1: changes unknown: its content was deleted by cleanup" in lines
    facts = history_facts("shop", await past(world))
    assert facts["plans"][2]["added"] is None  # type: ignore[index]  # JSON has no types


async def test_of_two_bodies_of_one_number_the_published_one_is_shown() -> None:
    """A publisher that lost leaves a body; the item says whose number it is."""
    world = await three_plans()
    await rival(world, 3)
    found = await past(world)
    item = await world.item()
    assert found.entries[0].row.plan_id == item.head_id
    assert found.entries[0].marks == ("head",)


async def test_where_nothing_says_which_body_was_published_nothing_is_guessed() -> None:
    """Generation 1 is neither head, pinned nor applied."""
    world = await three_plans()
    await rival(world, 1)
    found = await past(world)
    assert found.entries[2].marks == ("one of 2 bodies",)
    assert "2 bodies of 1, one of them was published" in str(found.entries[2].changes)


async def test_what_was_stored_above_head_was_never_published() -> None:
    """The body of a publisher that crashed before head moved is no part of the line."""
    world = await three_plans()
    await rival(world, 3, number=4)
    rows = await world.archive.rows("shop")
    assert [one.generation for one in line_of(await world.item(), rows)] == [3, 2, 1]


async def test_without_route_53_the_plans_are_shown_all_the_same() -> None:
    """Only what is live is not known, and that is said."""
    world = await three_plans()
    world.route53.read_failures = 1
    found = await past(world)
    assert isinstance(found.live, Unread)
    lines = list(history_lines("shop", found, name=None))
    assert len(lines) == 4
    assert lines[-1].startswith("shop what is live is not known: shop: the fence could not be read")


async def test_a_zone_without_a_plan_is_refused_with_what_makes_one() -> None:
    """There is no past yet."""
    with pytest.raises(Refused, match="dns-planner plan shop"):
        await past(World())


async def rival(world: World, generation: int, *, number: int | None = None) -> None:
    """Store another body of a number, as a publisher does that loses or crashes."""
    digest = await world.digest_at(generation)
    plan: Plan = unseal(await world.archive.load(world.plan_id(generation, digest)))
    other = structs.replace(plan, author="other", generation=Generation(number or generation))
    envelope = seal(other)
    await world.archive.store(envelope, row_of(other, envelope))
