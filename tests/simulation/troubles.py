"""Rarer things that befall a world: a table's copy opened for the original, notes that are lost, a
failover against what we assume, AZs gone for minutes, and a planner whose plans must be refused.

Each is for a guard that the everyday acts seldom reach. What it breaks is whole again at its end.
"""

from collections.abc import Mapping
from dataclasses import replace

from msgspec import structs

from dnsplan.codec import Envelope, seal, unseal
from dnsplan.names import parse_name
from dnsplan.plan import next_generation
from planner.publishing import row_of
from planner.rules.probing import Bad, NotAsked
from sandbox.route53.model import Change, StoredRecordSet
from tests.simulation.acts import Scene, edit, fence_replaced
from tests.simulation.break_glass import reconcile
from tests.simulation.house import AZS, PLANNERS
from tests.simulation.operators import operator_freezes
from tests.simulation.seen import FENCE, mark_of
from tests.simulation.workload import HOSTS, Intent, Stated

# How often a config is set right that loses a name as often.
SEEN_THROUGH_MAX = 20

# A host that every version of the config states, and the alias that points at it.
ALWAYS_STATED, ITS_ALIAS = "h0", "alias"


async def table_copied(scene: Scene) -> None:
    """For a while an older copy of the table answers under its name; then the original again."""
    cloud = scene.house.cloud
    if scene.is_damaged or scene.zone.label not in cloud.table.items:
        return
    scene.is_damaged = True
    copy = cloud.copied()
    await scene.later(10.0, 60.0)
    scene.say("a copy of the table answers")
    original = cloud.answer_with(copy)
    await scene.later(10.0, 50.0)
    cloud.answer_with(original)
    scene.is_damaged = False


async def notes_lost(scene: Scene) -> None:
    """The notes of held names are gone for good."""
    scene.say("notes of held names lost")
    scene.house.cloud.exceptions.rows.clear()


async def dead_link(scene: Scene) -> None:
    """A config leads a name that answers to a text that people made, and is set right later.

    Whoever led it there sees it through: a config that loses the name before it is planned anew
    leaves it as it was last planned, which is nowhere, and the name is rightly held for good.
    """
    house, label = scene.house, scene.zone.label
    text = f"text.{scene.zone.name}"
    newest = _newest(scene)
    free = newest.stated.keys() - set(newest.aliases.values())
    host = scene.chance.choice(sorted(one for one in free if newest.stated[one].type == "A"))
    if not house.judge.is_answering(label, f"{host}.{scene.zone.name}", "A"):
        return  # it may lead anywhere, and back again
    edit(scene, Change("UPSERT", StoredRecordSet(text, "TXT", ttl=300, values=('"text"',))))
    scene.say("config leads a name nowhere")
    right = newest.stated[host]
    _state(scene, {host: Stated((text,), "CNAME")})
    await scene.later(20.0, 40.0)
    for _ in range(SEEN_THROUGH_MAX):
        _state(scene, {host: right})
        await scene.later(20.0, 40.0)
        if not _leads(scene, host, text):
            return


def _newest(scene: Scene) -> Intent:
    versions = (scene.house.intents[one][scene.zone.label] for one in PLANNERS)
    return max(versions, key=lambda one: one.version)


def _state(scene: Scene, stated: Mapping[str, Stated]) -> None:
    """Both planners have the newest config with these names stated so."""
    house, now = scene.house, _newest(scene)
    fresh = replace(now, version=now.version + 1, stated={**now.stated, **stated})
    for name in PLANNERS:
        house.intents[name] = {**house.intents[name], scene.zone.label: fresh}
        house.restart(name)


def _leads(scene: Scene, host: str, target: str) -> bool:
    """Whether the newest plan leads a host there, as far as it can be read."""
    cloud = scene.house.cloud
    item = cloud.table.items.get(scene.zone.label)
    if item is None or item.head_id not in cloud.archive.bodies:
        return True
    name = parse_name(f"{host}.{scene.zone.name}")
    content = unseal(cloud.archive.bodies[item.head_id]).content
    return any(one.name == name and target in one.values for one in content)


async def link_moves(scene: Scene) -> None:
    """A name that answers becomes a CNAME of one that comes with the same version.

    Hosts change too, so that the two, first and last by name, do not fit one batch.
    """
    version = _newest(scene).version
    link, target = f"a{version}", f"z{version}"
    scene.say("config moves a link")
    _state(scene, {link: Stated(("198.51.100.1",))})
    await scene.later(15.0, 30.0)
    hosts = {one: Stated((f"198.51.100.{2 + at}",)) for at, one in enumerate(("h0", "h1", "h2"))}
    leads = Stated((f"{target}.{scene.zone.name}",), "CNAME")
    _state(scene, {link: leads, target: Stated(("198.51.100.9",)), **hosts})
    await scene.later(15.0, 30.0)


async def name_taken(scene: Scene) -> None:
    """Somebody makes a record at a name that the config may have next."""
    versions = [one[scene.zone.label].version for one in scene.house.intents.values()]
    name = f"h{HOSTS + max(versions) + scene.chance.randint(0, 1)}.{scene.zone.name}"
    scene.say("person takes a name")
    edit(scene, Change("UPSERT", StoredRecordSet(name, "A", ttl=300, values=("203.0.113.9",))))


async def rewound(scene: Scene) -> None:
    """Route 53 loses its last change, though it was in sync, against what we assume.

    Not one that its plan made from a plan below the floor already: what that had ended would stand
    again, and nothing that is kept would say whose it is. Nor while a cleanup is at work: it may
    have read the fence that is lost, and raise the floor by it.
    """
    judge, zone = scene.house.judge, scene.zone
    mark = mark_of(judge.hosted(zone.label))
    item = scene.house.cloud.table.items.get(zone.label)
    if mark is None or item is None or scene.lost_fence is not None:
        return
    if item.floor <= mark.base and not scene.house.cleaning:
        scene.say("failover loses a change in sync")
        scene.house.cloud.route53.account.forget_last(zone.zone_id, 1)
        judge.failed_over(zone.label)


async def azs_away(scene: Scene) -> None:
    """No enactor lives for a minute or two, while planners go on."""
    scene.say("all enactors away")
    for az in AZS:
        scene.house.processes[az].kill()
    await scene.later(60.0, 110.0)
    for az in AZS:
        scene.house.restart(az)


async def body_altered(scene: Scene) -> None:
    """One digit of the newest body is another one for a while; it can still be decoded."""
    archive, item = scene.house.cloud.archive, scene.house.cloud.table.items.get(scene.zone.label)
    if item is None or item.head_id not in archive.bodies or scene.is_damaged:
        return
    scene.is_damaged = True
    scene.say("plan body altered")
    plan_id = item.head_id
    body = archive.bodies[plan_id]
    other = body.body.replace(b'"198.51.100.', b'"198.51.101.')
    archive.bodies[plan_id] = Envelope(plan_id, other)
    await scene.later(5.0, 60.0)
    if plan_id in archive.bodies:
        archive.bodies[plan_id] = body
    scene.is_damaged = False


async def careless_plan(scene: Scene) -> None:
    """A planner without guardrails publishes a plan that leaves out a name.

    The config states the name, so that the next good plan has it again.
    """
    cloud, label = scene.house.cloud, scene.zone.label
    item = cloud.table.items.get(label)
    if item is None or item.head_id not in cloud.archive.bodies:
        return
    newest = unseal(cloud.archive.bodies[item.head_id])
    gone = {parse_name(f"{one}.{scene.zone.name}") for one in (ALWAYS_STATED, ITS_ALIAS)}
    if item.pin is not None or not gone <= {one.name for one in newest.content}:
        return
    plan = structs.replace(
        newest,
        generation=next_generation(item.head),
        base=item.head,
        created_s=newest.created_s + 1,
        author="careless",
        content=tuple(one for one in newest.content if one.name not in gone),
    )
    sealed = seal(plan)
    scene.say("a careless plan is published")
    scene.house.judge.stored(sealed)
    scene.house.judge.imposed(label, sealed.plan_id)
    cloud.archive.bodies[sealed.plan_id] = sealed
    cloud.archive.kept[sealed.plan_id] = row_of(plan, sealed)
    cloud.table.items[label] = structs.replace(
        item, head=plan.generation, head_digest=sealed.plan_id.digest
    )


async def lone_planner_blind(scene: Scene) -> None:
    """While the other stands still, one planner loses its network again and again."""
    away, alone = scene.chance.sample(PLANNERS, k=2)
    scene.say("planner alone loses its network")
    scene.house.processes[away].pause(400.0)
    await scene.later(60.0, 80.0)
    for _ in range(5):
        scene.house.cloud.targets.blind[alone] = Bad("no route")
        await scene.later(20.0, 40.0)
        scene.house.cloud.targets.blind.pop(alone, None)
        await scene.later(10.0, 30.0)


async def networks_come_and_go(scene: Scene) -> None:
    """Both planners lose their networks again and again, and get them back one after the other."""
    blind = scene.house.cloud.targets.blind
    scene.say("planners lose their networks")
    for _ in range(8):
        for name in scene.chance.sample(PLANNERS, k=2):
            blind[name] = scene.chance.choice((Bad("no route"), NotAsked("too many open files")))
            await scene.later(5.0, 20.0)
        for name in scene.chance.sample(PLANNERS, k=2):
            blind.pop(name, None)
            await scene.later(5.0, 20.0)


async def freeze_forgotten(scene: Scene) -> None:
    """The table is set back to before a freeze, and somebody damages the fence: nobody tells of it
    any more. Then an operator reconciles."""
    cloud, label, judge = scene.house.cloud, scene.zone.label, scene.house.judge
    item = cloud.table.items.get(label)
    if scene.is_damaged or item is None or item.applied == 0 or item.frozen is not None:
        return
    backup = cloud.copied()
    await operator_freezes(scene)
    await scene.later(8.0, 12.0)
    if not judge.books[label].frozen:
        return
    scene.say("table restored to before the freeze")
    cloud.answer_with(backup)
    judge.lost_history(label)
    name = f"{FENCE}.{scene.zone.name}"
    stood = judge.hosted(label).sets_at(name)[("TXT", "")]
    edit(scene, Change("UPSERT", replace(stood, values=('"not a fence"',))))
    process = scene.operator()
    process.start(reconcile(scene, process))


async def freeze_overslept(scene: Scene) -> None:
    """An enactor stands still over a zone's first plan. Another one applies it, an operator freezes
    the zone, and somebody deletes the fence that says so; then it wakes."""
    house, label = scene.house, scene.zone.label
    items, judge = house.cloud.table.items, house.judge
    for _ in range(SEEN_THROUGH_MAX * 100):
        if label in items and items[label].claimed > 0:
            break
        await scene.later(0.02, 0.04)
    house.processes[scene.chance.choice(AZS)].pause(scene.chance.uniform(20.0, 60.0))
    for _ in range(SEEN_THROUGH_MAX):
        if mark_of(judge.hosted(label)) is not None:
            break
        await scene.later(0.5, 1.0)
    else:
        return  # no plan's name would stand in the way of a batch that was on its way
    await operator_freezes(scene)
    await scene.later(4.0, 12.0)
    if judge.books[label].frozen:
        await fence_replaced(scene, "fence deleted", None)
