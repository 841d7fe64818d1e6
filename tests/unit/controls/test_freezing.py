"""P9: once freeze has returned, nothing that a planner fed lands, not even what is in flight."""

import pytest

from dnsplan.fence import FenceRecord, NoFence
from dnsplan.outcomes import Refused
from dnsplan.plan import Generation
from enactor.rules.outcomes import Applied, Held, HoldRule, Unknown
from runbooks.controls.freezing import Freezing, HalfFrozen, NotFrozen, NothingToFreeze
from runbooks.controls.outside import Operator, Outside
from tests.fakes.audit import FakeAudit
from tests.fakes.clock import SeededJitter
from tests.fakes.table import TableFault
from tests.fakes.world import World, a
from tests.fakes.zone_records import Fault

OLD, NEW = a("www.example.com", "192.0.2.1"), a("www.example.com", "192.0.2.2")


def controls(world: World, seed: int = 100) -> tuple[Freezing, FakeAudit]:
    """Ann's hand on the world."""
    audit = FakeAudit()
    outside = Outside(
        table=world.table,
        archive=world.archive,
        records=world.route53,
        audit=audit,
        clock=world.clock,
        jitter=SeededJitter(seed),
    )
    return Freezing(outside, Operator("ann", "drill")), audit


def quiet(_line: str) -> None:
    """No terminal."""


async def settled_world() -> World:
    """A zone that holds plan 1."""
    world = World()
    await world.publish(OLD)
    cycle = world.az()
    await world.enact(cycle)
    await world.settle(cycle)
    return world


async def fence_of(world: World) -> FenceRecord:
    """What the zone's fence says."""
    found = await world.route53.read_fence(world.zone)
    assert not isinstance(found, NoFence)
    return found.record


async def test_a_batch_held_at_the_door_is_refused_after_freeze() -> None:
    """The claim passed before the freeze; the moved fence refuses what it claimed."""
    world = await settled_world()
    await world.publish(NEW)
    world.route53.submit_faults.append(Fault.HOLD)
    assert isinstance(await world.enact(world.az("az2")), Unknown)
    freezing, audit = controls(world)
    freeze_id = await freezing.freeze(world.zone, quiet)
    assert isinstance(world.route53.land(*world.route53.held[0]), Refused)
    assert world.route53.content(world.zone) == (OLD,)
    held = await world.enact(world.az("az3"))
    assert isinstance(held, Held)
    assert held.rule is HoldRule.FROZEN
    assert (await world.item()).frozen == (await fence_of(world)).frozen == freeze_id
    assert [(row.action, row.by) for row in audit.rows] == [("freeze", "ann")]


async def test_freeze_changes_neither_position_nor_records() -> None:
    """Same generation and step under a new nonce."""
    world = await settled_world()
    before = await fence_of(world)
    await controls(world)[0].freeze(world.zone, quiet)
    after = await fence_of(world)
    assert (after.token, after.digest, after.steps) == (before.token, before.digest, before.steps)
    assert after.nonce != before.nonce
    assert world.route53.content(world.zone) == (OLD,)


async def test_freezing_a_frozen_zone_moves_the_fence_again() -> None:
    """F9d: a second freeze has a change of its own to wait for, and keeps the first one's id."""
    world = await settled_world()
    first = await controls(world, 1)[0].freeze(world.zone, quiet)
    nonce = (await fence_of(world)).nonce
    second = await controls(world, 2)[0].freeze(world.zone, quiet)
    assert first == second
    assert (await fence_of(world)).nonce != nonce


async def test_freeze_returns_only_in_sync() -> None:
    """It waits for its own change, and tells meanwhile."""
    world = await settled_world()
    world.route53.settings.insync_after_s = 40.0
    told: list[str] = []
    began_s = world.clock.elapsed_s()
    await controls(world)[0].freeze(world.zone, told.append)
    assert world.clock.elapsed_s() - began_s >= 40.0
    assert any("not yet on all name servers" in line for line in told)


async def test_freeze_without_route53_says_what_is_not_excluded() -> None:
    """Frozen in the table: nothing new is claimed; in-flight batches may land, and it says so."""
    world = await settled_world()
    world.route53.read_failures = 1
    freezing, audit = controls(world)
    with pytest.raises(HalfFrozen, match="in-flight batches are not excluded"):
        await freezing.freeze(world.zone, quiet)
    assert (await world.item()).frozen is not None
    assert [row.action for row in audit.rows] == ["freeze_in_table_only"]
    await freezing.freeze(world.zone, quiet)
    assert (await fence_of(world)).frozen == (await world.item()).frozen


async def test_freeze_makes_a_fence_where_there_is_none() -> None:
    """A first batch in flight is refused: the fence that it would create is there."""
    world = World()
    await world.publish(OLD)
    world.route53.submit_faults.append(Fault.HOLD)
    await world.enact(world.az("az1"))
    freezing, _ = controls(world)
    freeze_id = await freezing.freeze(world.zone, quiet)
    assert isinstance(world.route53.land(*world.route53.held[0]), Refused)
    assert world.route53.content(world.zone) == ()
    assert (await fence_of(world)).generation == 0
    await freezing.thaw(world.zone, freeze_id, quiet)
    assert await world.enact(world.az("az1")) == Applied(Generation(1), 1, 0, confirmed=False)
    assert world.route53.content(world.zone) == (OLD,)


async def test_a_fence_made_by_a_freeze_takes_over_nothing() -> None:
    """P6: records that stood before still need adoption after a freeze and a thaw."""
    world = World()
    foreign = a("www.example.com", "203.0.113.1")
    world.route53.edit(world.zone, ("CREATE", foreign))
    await world.publish(OLD)
    freezing, _ = controls(world)
    await freezing.thaw(world.zone, await freezing.freeze(world.zone, quiet), quiet)
    held = await world.enact(world.az("az1"))
    assert isinstance(held, Held)
    assert held.rule is HoldRule.FENCE_MISSING
    assert world.route53.content(world.zone) == (foreign,)


async def test_thaw_names_the_freeze_that_it_ends() -> None:
    """F9c: a late duplicate of an earlier thaw thaws nothing."""
    world = await settled_world()
    freezing, _ = controls(world)
    first = await freezing.freeze(world.zone, quiet)
    await freezing.thaw(world.zone, first, quiet)
    second = await freezing.freeze(world.zone, quiet)
    assert second != first
    with pytest.raises(NotFrozen, match=second):
        await freezing.thaw(world.zone, first, quiet)
    assert (await world.item()).frozen == (await fence_of(world)).frozen == second
    await freezing.thaw(world.zone, second, quiet)
    assert (await world.item()).frozen is None
    assert (await fence_of(world)).frozen is None


async def test_a_thaw_that_stopped_half_way_is_finished_by_running_it_again() -> None:
    """The fence is thawed first, so a crash leaves the zone frozen in the table."""
    world = await settled_world()
    freezing, _ = controls(world)
    freeze_id = await freezing.freeze(world.zone, quiet)
    world.table.write_faults.append(TableFault.LOSE_REQUEST)
    with pytest.raises(NotFrozen, match="got no answer"):
        await freezing.thaw(world.zone, freeze_id, quiet)
    assert (await fence_of(world)).frozen is None
    held = await world.enact(world.az())
    assert isinstance(held, Held)
    await freezing.thaw(world.zone, freeze_id, quiet)
    assert (await world.item()).frozen is None


async def test_a_lost_reply_of_the_fence_move_is_settled_by_reading() -> None:
    """P11: it landed; the fence is moved once more, to have a change to wait for."""
    world = await settled_world()
    world.route53.submit_faults.append(Fault.LOSE_REPLY)
    freeze_id = await controls(world)[0].freeze(world.zone, quiet)
    assert (await fence_of(world)).frozen == freeze_id


async def test_freeze_races_an_enactor_and_wins() -> None:
    """A batch that lands between reading and moving the fence costs an attempt, no more."""
    world = await settled_world()
    await world.publish(NEW)
    world.route53.submit_faults.append(Fault.HOLD)
    await world.enact(world.az("az2"))

    def land_first() -> None:
        world.route53.before_submit = None
        world.route53.land(*world.route53.held.pop())

    world.route53.before_submit = land_first
    freeze_id = await controls(world)[0].freeze(world.zone, quiet)
    fence = await fence_of(world)
    assert (fence.generation, fence.frozen) == (2, freeze_id)


async def test_a_zone_without_a_plan_cannot_be_frozen() -> None:
    """There is nothing that could be sent to it, and it says so."""
    with pytest.raises(NothingToFreeze):
        await controls(World())[0].freeze(World().zone, quiet)
