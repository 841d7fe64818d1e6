"""What befalls a world from outside: people who edit, targets that die, AWS that loses things.

Each act is one small coroutine, named as people would say it. What it breaks is whole again when it
ends. Operators have a file of their own.
"""

from collections.abc import Callable, Coroutine
from dataclasses import dataclass, replace
from random import Random
from typing import Any, TypeAlias

from dnsplan.codec import Envelope
from dnsplan.formats.planfile import PlanFile
from dnsplan.ports import Zone
from planner.rules.probing import Bad, NotAsked
from sandbox.route53.model import Change, StoredRecordSet
from sandbox.route53.refusals import Refusal
from tests.simulation.house import AZS, PLANNERS, House
from tests.simulation.processes import Process
from tests.simulation.seen import FENCE, Mark, mark_of
from tests.simulation.small_batches import OLD
from tests.simulation.workload import address_of, next_intent

OTHERS = "f" * 32


@dataclass(slots=True)
class Scene:
    """What acts act upon."""

    house: House
    chance: Random
    zone: Zone
    operators: int = 0
    lost_fence: StoredRecordSet | None = None
    is_damaged: bool = False
    upgrading: bool = False
    restoring: PlanFile | None = None
    restored: PlanFile | None = None

    def say(self, what: str) -> None:
        """Make it part of the run, and count it."""
        self.house.wire.landed[what] += 1
        self.house.wire.note("world", what)

    async def later(self, low_s: float, high_s: float) -> None:
        """Let some time pass for the act itself."""
        loop = self.house.loop
        waiting = loop.create_future()
        loop.call_later(self.chance.uniform(low_s, high_s), waiting.set_result, None)
        await waiting

    def operator(self) -> Process:
        """Somebody new at a keyboard."""
        self.operators += 1
        return self.house.operator(self.operators)


Act: TypeAlias = Callable[[Scene], Coroutine[Any, Any, None]]


async def new_config(scene: Scene) -> None:
    """A new version reaches one planner, and the other a while later."""
    house, label = scene.house, scene.zone.label
    newest = max((house.intents[one][label] for one in PLANNERS), key=lambda one: one.version)
    fresh = next_intent(newest, scene.chance)
    scene.say("new config")
    first = scene.chance.randrange(2)
    for name in (PLANNERS[first], PLANNERS[1 - first]):
        if house.intents[name][label].version < fresh.version:
            house.intents[name] = {**house.intents[name], label: fresh}
            house.restart(name)
        await scene.later(0.0, 20.0)


async def targets_die(scene: Scene) -> None:
    """Some targets stop answering, and come back."""
    intent = scene.house.intents[PLANNERS[0]][scene.zone.label]
    every = [one for pool in intent.pools.values() for one in pool.targets]
    count = scene.chance.choice((1, 1, 2, len(every)))
    dead = {address_of(one) for one in scene.chance.sample(every, min(count, len(every)))}
    scene.say("all targets lost" if count >= len(every) else "targets die")
    scene.house.cloud.targets.sick |= dead
    await scene.later(15.0, 90.0)
    scene.house.cloud.targets.sick -= dead


async def target_flaps(scene: Scene) -> None:
    """One target comes and goes."""
    intent = scene.house.intents[PLANNERS[0]][scene.zone.label]
    one = address_of(scene.chance.choice(intent.pools["api"].targets))
    scene.say("target flaps")
    for _ in range(scene.chance.randint(3, 8)):
        scene.house.cloud.targets.sick ^= {one}
        await scene.later(2.0, 15.0)
    scene.house.cloud.targets.sick.discard(one)


async def planner_loses_network(scene: Scene) -> None:
    """One planner sees every target dead, or can ask none."""
    name = scene.chance.choice(PLANNERS)
    scene.say("planner loses its network")
    answer = scene.chance.choice((Bad("no route"), NotAsked("too many open files")))
    scene.house.cloud.targets.blind[name] = answer
    await scene.later(10.0, 80.0)
    scene.house.cloud.targets.blind.pop(name, None)


async def planner_cut_off(scene: Scene) -> None:
    """One planner cannot reach one target, which is well."""
    cut = scene.house.cloud.targets.cut
    if cut:
        return
    name = scene.chance.choice(PLANNERS)
    intent = scene.house.intents[name][scene.zone.label]
    pool = intent.pools[scene.chance.choice(sorted(intent.pools))]
    scene.say("planner cut off from a target")
    cut[name] = frozenset({address_of(scene.chance.choice(pool.targets))})
    await scene.later(30.0, 80.0)
    del cut[name]


async def person_edits(scene: Scene) -> None:
    """Somebody changes a managed name by hand."""
    if (stored := _some_record(scene)) is not None and stored.alias is None and stored.values:
        changed = replace(stored, ttl=(stored.ttl or 0) + 7)
        scene.say("person edits a name")
        edit(scene, Change("UPSERT", changed))


async def person_deletes(scene: Scene) -> None:
    """Somebody deletes a managed record set by hand."""
    if (stored := _some_record(scene)) is not None:
        scene.say("person deletes a name")
        edit(scene, Change("DELETE", stored))


async def person_edits_own(scene: Scene) -> None:
    """Somebody changes a name that nobody manages."""
    name = f"legacy{scene.chance.randint(1, 3)}.{scene.zone.name}"
    value = f"203.0.113.{scene.chance.randint(1, 254)}"
    scene.say("person edits an unmanaged name")
    edit(scene, Change("UPSERT", StoredRecordSet(name, "A", ttl=300, values=(value,))))


async def fence_deleted(scene: Scene) -> None:
    """Somebody deletes the fence; it is put back as it was, later."""
    await fence_replaced(scene, "fence deleted", None)


async def fence_damaged(scene: Scene) -> None:
    """Somebody writes something else into the fence."""
    await fence_replaced(scene, "fence damaged", ('"hello"',))


async def fence_foreign(scene: Scene) -> None:
    """Another system's fence stands in the zone for a while."""
    value = (
        '"dnsplan/1 generation=5 step=1/1 base=4 held=0"'
        f' "owner={OTHERS} writer=x nonce={"e" * 16} digest={"d" * 64}"'
    )
    await fence_replaced(scene, "foreign fence", (value,))


async def failover(scene: Scene) -> None:
    """Route 53 loses accepted changes that are not in sync yet."""
    route53, zone = scene.house.cloud.route53, scene.zone
    account = route53.account
    recent = account._recent.get(zone.zone_id, ())
    pending = 0
    for change in reversed(recent):
        if account.insync(change):
            break
        pending += 1
    if pending and scene.lost_fence is None:  # else a person would put back what is not true
        scene.say("failover loses changes")
        account.forget_last(zone.zone_id, scene.chance.randint(1, pending))
        scene.house.judge.failed_over(zone.label)


async def table_away(scene: Scene) -> None:
    """The table cannot be reached."""
    scene.say("table unreachable")
    scene.house.wire.down_until_s["table"] = scene.house.loop.time() + scene.chance.uniform(5, 60)


async def route53_away(scene: Scene) -> None:
    """The control API cannot be reached."""
    scene.say("control API unreachable")
    scene.house.wire.down_until_s["route53"] = scene.house.loop.time() + scene.chance.uniform(5, 60)


async def plan_damaged(scene: Scene) -> None:
    """The newest body cannot be read for a while."""
    archive = scene.house.cloud.archive
    item = scene.house.cloud.table.items.get(scene.zone.label)
    if item is None or item.head_id not in archive.bodies or scene.is_damaged:
        return
    scene.is_damaged = True
    scene.say("plan body unreadable")
    plan_id = item.head_id
    body = archive.bodies.pop(plan_id)
    if scene.chance.random() < 0.5:
        archive.bodies[plan_id] = Envelope(plan_id, body.body[:-1] + b" ")
    await scene.later(5.0, 60.0)
    buried = archive.kept[plan_id].deleted_s is not None
    archive.bodies.pop(plan_id, None)
    if not buried:
        archive.bodies[plan_id] = body
    scene.is_damaged = False


async def process_pauses(scene: Scene) -> None:
    """A process stands still between two instructions."""
    process = scene.house.processes[scene.chance.choice((*AZS, *PLANNERS, "cleanup"))]
    scene.say("process pauses")
    process.pause(scene.chance.choice((5.0, 40.0, 200.0)))


async def process_killed(scene: Scene) -> None:
    """A process is killed and comes back."""
    name = scene.chance.choice((*AZS, *PLANNERS, "cleanup"))
    scene.say("process killed")
    scene.house.processes[name].kill()
    await scene.later(1.0, 40.0)
    scene.house.start(name)


async def clock_jumps(scene: Scene) -> None:
    """An enactor's or cleanup's wall clock is wrong by up to an hour."""
    process = scene.house.processes[scene.chance.choice((*AZS, "cleanup"))]
    scene.say("clock jumps")
    process.skew_s += scene.chance.choice((-3_600.0, -5.0, 5.0, 3_600.0))


async def upgrade(scene: Scene) -> None:
    """One enactor runs another version of the packing."""
    name = scene.chance.choice(AZS)
    scene.say("rolling upgrade")
    process = scene.house.processes[name]
    process.packing = "new" if process.packing == OLD else OLD
    scene.house.restart(name)


def _some_record(scene: Scene) -> StoredRecordSet | None:
    """A record set that the newest plan manages and that stands."""
    judge, label = scene.house.judge, scene.zone.label
    managed = judge.books[label].managed
    there = [one for one in judge.hosted(label).records() if one.name in managed]
    return scene.chance.choice(there) if there else None


def edit(scene: Scene, *changes: Change) -> None:
    """An unfenced batch of somebody else's; Route 53 may refuse it as anybody's."""
    account = scene.house.cloud.route53.account
    try:
        account.submit(scene.zone.zone_id, changes)
    except Refusal:
        return
    scene.house.judge.edited(scene.zone.label, [change.record.name for change in changes])


async def fence_replaced(scene: Scene, what: str, values: tuple[str, ...] | None) -> None:
    """Take the fence away, or put something in its place; then put it back as it was."""
    judge, label = scene.house.judge, scene.zone.label
    name = f"{FENCE}.{scene.zone.name}"
    stood = judge.hosted(label).sets_at(name).get(("TXT", ""))
    if stood is None or mark_of(judge.hosted(label)) is None or scene.lost_fence is not None:
        return
    scene.say(what)
    scene.lost_fence = stood
    if values is None:
        edit(scene, Change("DELETE", stood))
    else:
        edit(scene, Change("UPSERT", replace(stood, values=values)))
    await scene.later(5.0, 50.0)
    if scene.chance.random() < 0.5:  # else an operator sees to it when the faults are over
        put_back(scene)


def put_back(scene: Scene) -> None:
    """Put a lost fence back as it stood, unless one of ours stands there."""
    judge, stood = scene.house.judge, scene.lost_fence
    hosted = judge.hosted(scene.zone.label)
    mark, now = mark_of(hosted), hosted.sets_at(f"{FENCE}.{scene.zone.name}").get(("TXT", ""))
    if stood is None or now == stood or _is_of_a_plan(mark):
        scene.lost_fence = None
    elif mark is None or mark.frozen is None:
        edit(scene, Change("UPSERT", stood))  # refused while the zone is busy: `calm` tries again


def _is_of_a_plan(mark: Mark | None) -> bool:
    return mark is not None and mark.owner != OTHERS and mark.generation > 0


ACTS: tuple[Act, ...] = (
    targets_die,
    target_flaps,
    planner_loses_network,
    person_edits,
    person_deletes,
    person_edits_own,
    fence_deleted,
    fence_damaged,
    fence_foreign,
    failover,
    failover,
    table_away,
    route53_away,
    plan_damaged,
    process_pauses,
    process_killed,
    clock_jumps,
    upgrade,
)
