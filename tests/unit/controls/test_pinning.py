"""What undoes an unpin is taken as it is printed."""

from runbooks.controls.outside import Operator, Outside
from runbooks.controls.pinning import Pinning, undo_of_unpin
from runbooks.controls.rolling_back import RollingBack
from tests.fakes.audit import FakeAudit
from tests.fakes.clock import SeededJitter
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
