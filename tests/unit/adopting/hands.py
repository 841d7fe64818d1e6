"""An operator's hands on a world: adopt it, look at it, plan it on."""

from dnsplan.codec import unseal
from dnsplan.fence import FenceRecord, NoFence, fence_name
from dnsplan.plan import Plan
from dnsplan.ports import Zone
from dnsplan.records import RecordSet
from planner.cycle import PlanCycle, TableView
from planner.rules.candidate import ZoneWish
from planner.rules.health import Sight
from planner.rules.outcomes import PlanOutcome
from runbooks.adopting.preparing import Prepared, Preparing
from runbooks.adopting.taking_over import Adopted, TakingOver
from runbooks.controls.outside import Operator, Outside
from tests.fakes.audit import FakeAudit
from tests.fakes.clock import SeededJitter
from tests.fakes.world import Stage, World
from tests.unit.planner.cases import wish


def outside(stage: Stage, *, seed: int = 200, audit: FakeAudit | None = None) -> Outside:
    """The operator's ports on any stage."""
    return Outside(
        table=stage.table,
        archive=stage.archive,
        records=stage.records,
        audit=audit or FakeAudit(),
        clock=stage.clock,
        jitter=SeededJitter(seed),
    )


def quiet(_line: str) -> None:
    """No terminal."""


def names(*record_sets: RecordSet) -> ZoneWish:
    """A config that states exactly these record sets."""
    return wish(records=record_sets)


async def prepared(
    stage: Stage, asked: ZoneWish, *, zone: Zone | None = None, seed: int = 200
) -> Prepared:
    """What adopting would write."""
    hand = Preparing(outside(stage, seed=seed), Operator("ann", "moving in"))
    return await hand.prepare(zone or stage.zone, asked, quiet)


async def adopt(
    stage: Stage,
    asked: ZoneWish,
    *,
    zone: Zone | None = None,
    seed: int = 200,
    audit: FakeAudit | None = None,
) -> Adopted:
    """Prepare and take over in one go, as --yes does."""
    ready = await prepared(stage, asked, zone=zone, seed=seed)
    hand = TakingOver(outside(stage, seed=seed + 1000, audit=audit), Operator("ann", "moving in"))
    return await hand.take_over(ready, quiet)


async def planned(stage: Stage, asked: ZoneWish, *, seed: int = 300) -> PlanOutcome:
    """One pass of a planner that publishes."""
    cycle = PlanCycle(
        table=stage.table,
        archive=stage.archive,
        clock=stage.clock,
        jitter=SeededJitter(seed),
        author="planner",
        plans_per_min_max=100,
    )
    items = await stage.table.read([stage.label])
    view = TableView(await stage.table.incarnation(), items, zones_behind=0)
    report = await cycle.run_once(asked, view, Sight({}, 0.0, 0.0), may_write=True)
    return report.outcome


async def newest(stage: Stage) -> Plan:
    """The plan at head."""
    return unseal(await stage.archive.load((await stage.item()).head_id))


async def fence_of(stage: Stage, zone: Zone | None = None) -> FenceRecord | None:
    """What the zone's fence says, if it stands."""
    found = await stage.records.read_fence(zone or stage.zone)
    return None if isinstance(found, NoFence) else found.record


def stand(world: World, *record_sets: RecordSet, zone: Zone | None = None) -> None:
    """A foreign hand creates these."""
    world.route53.edit(zone or world.zone, *(("CREATE", one) for one in record_sets))


async def settled(*record_sets: RecordSet) -> World:
    """A zone that holds plan 1 of these."""
    world = World()
    await world.publish(*record_sets)
    cycle = world.az()
    await world.enact(cycle)
    await world.settle(cycle)
    return world


async def lose_fence(world: World) -> None:
    """A human deletes the fence record."""
    (fence,) = world.route53.standing(world.zone, fence_name(world.zone.name))
    world.route53.edit(world.zone, ("DELETE", fence))
