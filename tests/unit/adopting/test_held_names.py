"""A zone that is adopted holds names back where others' records stand; adopting takes them over."""

import pytest
from msgspec import structs

from dnsplan.fence import to_record_set
from enactor.rules.outcomes import Applied, InSync
from planner.rules.outcomes import Published
from runbooks.adopting.preparing import NothingToAdopt
from runbooks.controls.outside import Refused
from tests.fakes.world import World, a
from tests.unit.adopting.hands import adopt, fence_of, names, newest, planned, stand

WWW, API = a("www.example.com", "192.0.2.1"), a("api.example.com", "192.0.2.2")
THEIRS = a("api.example.com", "192.0.2.99")


async def with_a_name_of_others() -> World:
    """Plan 2 states a name that people made since plan 1: it is held back."""
    world = World()
    await world.publish(WWW)
    cycle = world.az()
    await world.enact(cycle)
    await world.settle(cycle)
    stand(world, THEIRS)
    await world.publish(WWW, API)
    outcome = await world.enact(cycle)
    assert isinstance(outcome, Applied)
    assert outcome.held == 1
    assert "api.example.com." in outcome.notes[0]
    await world.settle(cycle)
    return world


async def test_a_name_of_others_is_taken_over_and_then_changed() -> None:
    """The plan from what stands explains their records, so the next one may change them."""
    world = await with_a_name_of_others()
    await adopt(world, names(WWW, API))
    plan, fence = await newest(world), await fence_of(world)
    assert (plan.generation, set(plan.content)) == (3, {WWW, THEIRS})
    assert fence is not None
    assert (fence.generation, fence.held, fence.is_complete) == (3, 0, True)
    assert set(world.route53.content(world.zone)) == {WWW, THEIRS}
    assert isinstance(await planned(world, names(WWW, API)), Published)
    cycle = world.az()
    await world.enact(cycle)
    await world.settle(cycle)
    assert set(world.route53.content(world.zone)) == {WWW, API}
    assert isinstance(await world.enact(world.az()), InSync)
    assert (await world.item()).last_known_good == 4


async def test_while_enactors_are_at_work_it_waits() -> None:
    """What stands is about to change: the refusal says what to wait for."""
    world = await with_a_name_of_others()
    await world.publish(a("www.example.com", "192.0.2.3"), API)
    with pytest.raises(Refused, match="from generation 2 to 3 in shop; wait until"):
        await adopt(world, names(WWW, API))


async def test_an_unfinished_plan_is_the_enactors() -> None:
    """A step is missing: they go on by themselves."""
    world = await with_a_name_of_others()
    fence, zone = await fence_of(world), world.zone.name
    assert fence is not None
    half = structs.replace(fence, steps=2, nonce="half")
    moved = (("DELETE", to_record_set(fence, zone)), ("CREATE", to_record_set(half, zone)))
    world.route53.edit(world.zone, *moved)
    with pytest.raises(NothingToAdopt, match="step 1/2"):
        await adopt(world, names(WWW, API))


@pytest.mark.parametrize("steps", [1, 2], ids=["whole", "half done"])
async def test_where_the_fences_plan_cannot_be_read_what_stands_is_taken_over(steps: int) -> None:
    """Nobody knows any more what was ours; the operator says so, under the next number."""
    world = World()
    await world.publish(WWW, API)
    cycle = world.az()
    await world.enact(cycle)
    await world.settle(cycle)
    lost = (await world.item()).head_id
    fence, zone = await fence_of(world), world.zone.name
    assert fence is not None
    half = structs.replace(fence, steps=steps, nonce="half")
    moved = (("DELETE", to_record_set(fence, zone)), ("CREATE", to_record_set(half, zone)))
    world.route53.edit(world.zone, *moved)
    await world.publish(a("www.example.com", "192.0.2.3"), API)
    with pytest.raises(NothingToAdopt):
        await adopt(world, names(WWW, API))
    del world.archive.bodies[lost]
    await adopt(world, names(a("www.example.com", "192.0.2.3"), API))
    plan, now = await newest(world), await fence_of(world)
    assert (plan.generation, set(plan.content)) == (3, {WWW, API})
    assert now is not None
    assert (now.generation, now.is_complete) == (3, True)
