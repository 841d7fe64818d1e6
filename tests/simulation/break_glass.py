"""The worst days: the table is restored from a backup, or an operator restores a zone by hand while
enactors run. Both end with `reconcile`, by the runbook's own code."""

import contextlib

from dnsplan.codec import unseal
from dnsplan.errors import DnsplanError, PlanDamaged
from dnsplan.formats.planfile import plan_file
from dnsplan.plan import ERA
from runbooks.reconciling.preparing import NothingToReconcile, Reckoning
from runbooks.reconciling.reconciling import Reconciling
from runbooks.reconciling.rules import Word as ReconcileWord
from runbooks.restoring.preparing import Preparing
from runbooks.restoring.restoring import Restoring
from runbooks.restoring.rules import Word
from tests.simulation.acts import Scene
from tests.simulation.cloud import FakeCloud
from tests.simulation.house import PACE, PLANNERS
from tests.simulation.processes import RUNNING, Process
from tests.simulation.workload import wish_of

# Several fence checks.
SEEN_WITHIN_S = 90


async def table_restored(scene: Scene) -> None:
    """The table is set back to a backup of a minute ago, under another id."""
    cloud, label = scene.house.cloud, scene.zone.label
    item = cloud.table.items.get(label)
    if item is None or item.applied == 0:  # where nothing ever stood, nothing can be reconciled
        return
    backup = cloud.copied()
    await scene.later(10.0, 60.0)
    if scene.is_damaged:
        return
    scene.say("table restored to the past")
    cloud.answer_with(backup)
    scene.house.judge.lost_history(label)
    await scene.later(5.0, 40.0)
    process = scene.operator()
    process.start(reconcile(scene, process))


async def table_set_back_unseen(scene: Scene) -> None:
    """An engine without table ids is set back while no planner lives: only the fence can tell."""
    house, cloud, label = scene.house, scene.house.cloud, scene.zone.label
    item = cloud.table.items.get(label)
    if not isinstance(cloud, FakeCloud) or item is None or item.applied == 0:
        return
    backup = cloud.copied(under=cloud.table.id)
    await scene.later(20.0, 60.0)
    if scene.is_damaged or cloud.table.items[label].applied == item.applied:
        return
    house.away.update(PLANNERS)
    for name in PLANNERS:
        house.processes[name].kill()
    scene.say("table set back unseen")
    original = cloud.answer_with(backup)
    for _ in range(SEEN_WITHIN_S):
        await scene.later(1.0, 1.0)
        if cloud.table.items[label].ahead is not None:
            house.judge.lost_history(label)
            break
    else:  # no enactor lived to see it; a planner that came now could not know
        cloud.answer_with(original)
    house.away.clear()
    for name in PLANNERS:
        house.start(name)
    await scene.later(20.0, 30.0)
    process = scene.operator()
    process.start(reconcile(scene, process))


async def operator_restores(scene: Scene) -> None:
    """Bring a plan back with Route 53 alone, the newest or an older one, while others go on."""
    bodies = scene.house.cloud.archive.bodies
    if not bodies or scene.is_damaged or scene.lost_fence is not None:
        return
    chosen = scene.chance.choice(sorted(bodies, key=lambda one: (one.generation, one.digest)))
    try:
        scene.restoring = plan_file(unseal(bodies[chosen]), chosen.digest)
    except PlanDamaged:
        return  # nobody has a file of what cannot be read

    async def trying() -> None:
        try:
            await restore(scene, process)
        except DnsplanError:
            return

    process = scene.operator()
    process.start(trying())


async def restore(scene: Scene, process: Process) -> None:
    """The same file again finishes what was begun."""
    house, stated = scene.house, scene.restoring
    assert stated is not None
    outside, word = house.controls(process), Word(above=_highest_seen(scene))
    ports = outside.records, outside.clock, outside.jitter
    preparing = Preparing(*ports, pace=PACE)
    prepared = await preparing.prepare(scene.zone, stated, word, operator=process.name, tell=_quiet)
    house.judge.vouched(process.name, prepared.target.plan)
    restoring = Restoring(*ports, pace=PACE, tell=_quiet)
    done = await restoring.restore(prepared, word, operator=process.name)
    house.judge.restored(scene.zone.label, stated.content, map(str, done.held))
    scene.restoring, scene.restored = None, stated
    scene.say("zone restored by hand")


def _highest_seen(scene: Scene) -> int:
    """Numbers that operators were told; a failover may have lost every other trace of them."""
    issued = scene.house.judge.books[scene.zone.label].issued
    return max((one for one in issued if one >= ERA), default=0)


async def reconcile(scene: Scene, process: Process) -> None:
    """Let the zone's history go on, if anything keeps it; by the operator's own release."""
    token = RUNNING.set(process)
    try:
        await _reconcile(scene, process)
    finally:
        RUNNING.reset(token)


async def _reconcile(scene: Scene, process: Process) -> None:
    house, label = scene.house, scene.zone.label
    outside, person = house.controls(process), house.person(process)
    wish = wish_of(house.intents[PLANNERS[0]][label], label)
    try:
        prepared = await Reckoning(outside, person).prepare(
            scene.zone, wish, ReconcileWord(above=_highest_seen(scene)), None, _quiet
        )
        house.judge.vouched(process.name, prepared.plan)
        await Reconciling(outside, person).reconcile(prepared, _quiet)
    except NothingToReconcile:
        return
    except DnsplanError as error:
        scene.restoring = scene.restoring or scene.restored
        if "run dns-runbook restore" in str(error) and scene.restoring is not None:
            # A failover took all of it away again.
            with contextlib.suppress(DnsplanError):
                await restore(scene, process)
        await scene.later(2.0, 5.0)
        return
    scene.say("zone reconciled")


def is_in_doubt(scene: Scene) -> bool:
    """Whether planners and enactors hold until somebody reconciles."""
    table = scene.house.cloud.table
    item = table.items.get(scene.zone.label)
    if item is None:
        return False
    if item.ahead is not None or item.incarnation != table.id:
        return True
    return is_forged(scene) or is_of_newer_release(scene)


def is_of_newer_release(scene: Scene) -> bool:
    """Whether the newest plan is one that nobody reads any more: a release was taken back."""
    item, house = scene.house.cloud.table.items.get(scene.zone.label), scene.house
    if item is None or scene.upgrading:
        return False
    return house.judge.schema_of(item.head_id) > house.operators_schema


def is_forged(scene: Scene) -> bool:
    """Whether the newest plan is one that nobody of ours made."""
    item = scene.house.cloud.table.items.get(scene.zone.label)
    return item is not None and item.head_digest in scene.house.judge.books[scene.zone.label].forged


def _quiet(_: str) -> None:
    """Nobody reads an operator's progress here."""
