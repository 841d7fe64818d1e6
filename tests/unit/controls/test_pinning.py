"""What undoes an unpin is taken as it is printed."""

import pytest

from dnsplan.plan import Generation
from runbooks.controls.outside import Operator, Outside, Refused
from runbooks.controls.pinning import NotPinned, Pinning, PinRefused, undo_of_unpin
from runbooks.controls.rolling_back import RollingBack
from tests.fakes.audit import FakeAudit
from tests.fakes.clock import SeededJitter
from tests.fakes.table import TableFault
from tests.fakes.world import LIMITS, World, a

ANN = Operator("ann", "drill")
ONE, TWO = a("www.example.com", "192.0.2.1"), a("www.example.com", "192.0.2.2")


def outside(world: World) -> Outside:
    """The ports of the controls."""
    return Outside(
        table=world.table,
        archive=world.archive,
        records=world.route53,
        audit=FakeAudit(),
        clock=world.clock,
        jitter=SeededJitter(7),
    )


async def test_a_pin_at_head_comes_back_by_a_pin() -> None:
    """A rollback to head itself would be refused."""
    world = World()
    plan = await world.publish(ONE)
    hand = Pinning(outside(world), ANN)
    await hand.pin(world.zone, plan.generation)
    assert undo_of_unpin(await hand.unpin(world.zone)) == "dns-runbook pin shop 1"
    await hand.pin(world.zone, plan.generation)
    assert (await world.item()).pin == 1


async def test_a_pin_below_head_comes_back_by_a_rollback() -> None:
    """Enactors have gone on meanwhile, so a pin to it would be refused."""
    world = World()
    plan = await world.publish(ONE)
    hand = Pinning(outside(world), ANN)
    await hand.pin(world.zone, plan.generation)
    await world.publish(TWO)
    was = await hand.unpin(world.zone)
    assert undo_of_unpin(was) == "dns-runbook rollback shop 1 --pin"
    await world.enact(world.az())
    rolling = RollingBack(outside(world), ANN)
    prepared = await rolling.prepare(world.zone, plan.generation, LIMITS, ())
    await rolling.publish(prepared, pinned=True)
    assert (await world.item()).pin == 3


async def test_a_script_pins_and_unpins_only_what_it_looked_at() -> None:
    """Another generation than it expects is refused, and nothing is written."""
    world = World()
    plan = await world.publish(ONE)
    hand = Pinning(outside(world), ANN)
    with pytest.raises(Refused, match="is at generation 1, not 7; nothing was changed"):
        await hand.pin(world.zone, plan.generation, expected=7)
    assert (await world.item()).pin is None
    await hand.pin(world.zone, plan.generation, expected=1)
    with pytest.raises(Refused, match="not 7"):
        await hand.unpin(world.zone, expected=7)
    assert (await world.item()).pin == 1


async def test_what_the_zone_does_not_allow_is_refused() -> None:
    """Exit code 3, unlike a write without an answer: no such plan, applied already, not pinned."""
    world = World()
    old = await world.publish(ONE)
    new = await world.publish(TWO)
    cycle = world.az()
    await world.enact(cycle)
    await world.settle(cycle)
    hand = Pinning(outside(world), ANN)
    with pytest.raises(PinRefused, match=r"no body of shop 7; plans that can be pinned: 2$"):
        await hand.pin(world.zone, Generation(7))
    with pytest.raises(PinRefused, match="dns-runbook rollback shop GENERATION"):
        await hand.pin(world.zone, old.generation)
    with pytest.raises(PinRefused, match="not pinned"):
        await hand.unpin(world.zone)
    world.table.write_faults.append(TableFault.LOSE_REQUEST)
    with pytest.raises(NotPinned, match="got no answer"):
        await hand.pin(world.zone, new.generation)


async def test_what_became_impossible_meanwhile_is_refused() -> None:
    """What an operator was shown may be over when they have typed; then the table's word counts."""
    world = World()
    old = await world.publish(ONE)
    hand = Pinning(outside(world), ANN)
    seen = await hand.pinnable(world.zone, old.generation)
    await world.publish(TWO)
    cycle = world.az()
    await world.enact(cycle)
    await world.settle(cycle)
    with pytest.raises(PinRefused, match="above 1; older content comes back by"):
        await hand.pin_to(*seen)
    assert (await world.item()).pin is None
