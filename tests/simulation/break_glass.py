"""The worst days: the table is restored from a backup, or an operator restores a zone by hand while
enactors run. Both end with `reconcile`, by the runbook's own code."""

from dnsplan.codec import unseal
from dnsplan.errors import DnsplanError
from dnsplan.formats.planfile import plan_file
from runbooks.controls.outside import Operator
from runbooks.reconciling.preparing import NothingToReconcile, Reckoning
from runbooks.reconciling.reconciling import Reconciling
from runbooks.reconciling.rules import Word as ReconcileWord
from runbooks.restoring.preparing import Preparing
from runbooks.restoring.restoring import Restoring
from runbooks.restoring.rules import Word
from tests.simulation.acts import Scene
from tests.simulation.cloud import FakeCloud
from tests.simulation.house import PACE, PLANNERS
from tests.simulation.workload import wish_of


async def table_restored(scene: Scene) -> None:
    """The table is set back to a backup of a minute ago, under another id."""
    cloud, label = scene.house.cloud, scene.zone.label
    if not isinstance(cloud, FakeCloud) or label not in cloud.table.items:
        return
    items = cloud.table.snapshot()
    bodies, kept = dict(cloud.archive.bodies), dict(cloud.archive.kept)
    await scene.later(10.0, 60.0)
    if scene.is_damaged:
        return
    scene.say("table restored to the past")
    cloud.table.restore(items, incarnation=f"{cloud.table.id}'")
    cloud.archive.bodies, cloud.archive.kept = bodies, kept
    cloud.exceptions.rows.clear()
    await scene.later(5.0, 40.0)
    await reconcile(scene)


async def operator_restores(scene: Scene) -> None:
    """Bring a plan back with Route 53 alone, while everybody else goes on."""
    house, label = scene.house, scene.zone.label
    process = scene.operator()
    outside = house.controls(process)
    item = house.cloud.table.items.get(label)
    body = None if item is None else house.cloud.archive.bodies.get(item.head_id)
    if body is None or scene.is_damaged or scene.lost_fence is not None:
        return
    plan = unseal(body)
    stated = plan_file(plan, body.plan_id.digest)
    known = {"pace": PACE}

    async def work() -> None:
        preparing = Preparing(outside.records, outside.clock, outside.jitter, **known)
        prepared = await preparing.prepare(
            scene.zone, stated, Word(), operator=process.name, tell=_quiet
        )
        house.judge.vouched(prepared.target.plan)
        restoring = Restoring(outside.records, outside.clock, outside.jitter, **known, tell=_quiet)
        await restoring.restore(prepared, Word(), operator=process.name)
        scene.say("zone restored by hand")

    async def trying() -> None:
        try:
            await work()
        except DnsplanError:
            return

    process.start(trying())


async def reconcile(scene: Scene) -> None:
    """Let the zone's history go on, if anything keeps it."""
    house, label = scene.house, scene.zone.label
    process = scene.operator()
    outside, person = house.controls(process), Operator(process.name, "rehearsal")
    wish = wish_of(house.intents[PLANNERS[0]][label], label)
    try:
        prepared = await Reckoning(outside, person).prepare(
            scene.zone, wish, ReconcileWord(), None, _quiet
        )
        house.judge.vouched(prepared.plan)
        await Reconciling(outside, person).reconcile(prepared, _quiet)
    except NothingToReconcile:
        return
    except DnsplanError:
        await scene.later(2.0, 5.0)
        return
    scene.say("zone reconciled")


def is_in_doubt(scene: Scene) -> bool:
    """Whether planners and enactors hold until somebody reconciles."""
    cloud = scene.house.cloud
    item = cloud.table.items.get(scene.zone.label)
    is_copy = isinstance(cloud, FakeCloud) and item and item.incarnation != cloud.table.id
    return item is not None and (item.ahead is not None or bool(is_copy))


def _quiet(_: str) -> None:
    """Nobody reads an operator's progress here."""
