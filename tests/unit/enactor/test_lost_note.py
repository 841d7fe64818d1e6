"""The fence counts held names and the note that names them is lost: nobody else's record is taken
for ours, and what is surely ours goes on."""

import pytest

from dnsplan.plan import Generation, Retirement
from dnsplan.records import RecordSet
from enactor.rules.drift import FOREIGN
from enactor.rules.outcomes import Applied, Held, HoldRule
from tests.fakes.world import World, a, cname
from tests.unit.controls.test_freezing import Hand
from tests.unit.enactor.test_audit import audited
from tests.unit.enactor.test_cycle import applied_once, fence_of
from tests.unit.enactor.test_held_targets import held as names_held

WWW = a("www.example.com", "192.0.2.1")
OURS = a("new.example.com", "192.0.2.2")
THEIRS = a("new.example.com", "203.0.113.66")


async def held_and_forgotten(world: World) -> None:
    """A stranger's record keeps a name out of plan 2, and the note of it is lost."""
    await applied_once(world, WWW)
    world.route53.edit(world.zone, ("CREATE", THEIRS))
    await world.publish(WWW, OURS)
    cycle = world.az()
    outcome = await world.enact(cycle)
    assert isinstance(outcome, Applied)
    assert outcome.held == 1
    await world.settle(cycle)
    world.exceptions.rows.clear()


@pytest.mark.parametrize("at_new", [OURS, a("new.example.com", "192.0.2.3")], ids=["same", "new"])
async def test_a_later_plan_does_not_take_a_strangers_record_for_drift(at_new: RecordSet) -> None:
    """P6: a plan that counts held names explains exactly what stands as it says, and no more."""
    world = World()
    await held_and_forgotten(world)
    changed = a("www.example.com", "192.0.2.9")
    await world.publish(changed, at_new)
    outcome = await world.enact(world.az())
    assert outcome == Applied(Generation(3), 1, 1, confirmed=False)
    assert isinstance(outcome, Applied)
    assert outcome.notes == (f"new.example.com. held: {FOREIGN}",)
    assert set(world.route53.content(world.zone)) == {changed, THEIRS}


async def test_an_audit_does_not_either_and_notes_the_name_again() -> None:
    """The note is written anew with the fence, once; then the zone is quiet."""
    world = World()
    await held_and_forgotten(world)
    cycle = world.az()
    assert isinstance(await audited(world, cycle), Applied)
    assert set(world.route53.content(world.zone)) == {WWW, THEIRS}
    assert (await fence_of(world)).held == 1
    await world.settle(cycle)
    submits = world.route53.requests["submit"]
    await audited(world, cycle)
    assert world.route53.requests["submit"] == submits


async def test_an_emptied_name_is_filled_all_the_same() -> None:
    """Where nothing stands nobody's record can be lost."""
    world = World()
    await held_and_forgotten(world)
    world.route53.edit(world.zone, ("DELETE", WWW))
    outcome = await audited(world, world.az())
    assert isinstance(outcome, Applied)
    assert outcome.held == 1
    assert set(world.route53.content(world.zone)) == {WWW, THEIRS}


async def test_a_freeze_and_a_thaw_lose_no_note() -> None:
    """P10: it is found under a fence that was moved by hand, any number of times; else what the
    name kept is explained by no plan that is known, and the name is held for good."""
    world = World()
    await world.publish(WWW)
    await world.enact(world.az())
    await world.publish(cname("www.example.com", "nowhere.example.com"))
    outcome = await world.enact(world.az())
    assert isinstance(outcome, Applied)
    assert outcome.held == 1  # and it dies before it notes the plan as applied
    for seed in (1, 2):
        hand = Hand(world, seed)
        await hand.thaw(await hand.freeze())
    after = a("www.example.com", "192.0.2.9")
    await world.publish(after)
    assert await names_held(world, world.az()) == ()
    assert world.route53.content(world.zone) == (after,)


@pytest.mark.parametrize(
    "after",
    [(a("www.example.com", "192.0.2.9"),), (cname("www.example.com", "new.example.com"),), ()],
    ids=["values", "a link", "it ends"],
)
async def test_what_a_forgotten_name_keeps_of_an_older_plan_is_ours(
    after: tuple[RecordSet, ...],
) -> None:
    """P10: it was held since its plan led it nowhere. What it kept is of the plan before."""
    world = World()
    await applied_once(world, WWW)
    await world.publish(cname("www.example.com", "nowhere.example.com"))
    assert len(await names_held(world, world.az())) == 1
    world.exceptions.rows.clear()
    retired = () if after else (Retirement(WWW.name, None, 3, "ann"),)
    await world.publish(*after, OURS, retired=retired)
    assert await names_held(world, world.az()) == ()
    assert set(world.route53.content(world.zone)) == {*after, OURS}


async def given_up_and_wanted_again(world: World) -> None:
    """Plan 2 ends a name of plan 1; others make the very record, and keep plan 3 out; the note of
    that is lost, and plan 4 wants the name as well."""
    await applied_once(world, WWW, OURS)
    retired = Retirement(OURS.name, None, 2, "ann")
    await world.publish(WWW, retired=(retired,))
    await names_held(world, world.az())
    assert world.route53.content(world.zone) == (WWW,)
    world.route53.edit(world.zone, ("CREATE", OURS))
    await world.publish(WWW, a("new.example.com", "192.0.2.3"))
    assert await names_held(world, world.az()) == (f"new.example.com. held: {FOREIGN}",)
    world.exceptions.rows.clear()
    await world.publish(WWW, a("new.example.com", "192.0.2.4"))


async def test_what_stands_since_a_name_had_ended_is_a_strangers() -> None:
    """P6: though a plan from before stated the very same."""
    world = World()
    await given_up_and_wanted_again(world)
    assert await names_held(world, world.az()) == (f"new.example.com. held: {FOREIGN}",)
    assert set(world.route53.content(world.zone)) == {WWW, OURS}


async def test_nothing_is_concluded_past_a_plan_that_cannot_be_read() -> None:
    """It may be the one that ended the name: the zone is held, and adopting is named."""
    world = World()
    await given_up_and_wanted_again(world)
    ended = next(one for one in world.archive.bodies if one.generation == 2)
    del world.archive.bodies[ended]
    outcome = await world.enact(world.az())
    assert isinstance(outcome, Held)
    assert (outcome.rule, "adopt shop" in outcome.text) == (HoldRule.PLAN_UNUSABLE, True)
    assert set(world.route53.content(world.zone)) == {WWW, OURS}
