"""The fence counts held names and the note that names them is lost: nobody else's record is taken
for ours, and what is surely ours goes on."""

import pytest

from dnsplan.plan import Generation
from dnsplan.records import RecordSet
from enactor.rules.drift import FOREIGN
from enactor.rules.outcomes import Applied
from tests.fakes.world import World, a
from tests.unit.enactor.test_audit import audited
from tests.unit.enactor.test_cycle import applied_once, fence_of

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
