"""Who may write the table and has no key publishes a plan of his own; operators undo it.

He writes body, row and head as a planner would. Until somebody reconciles, nobody plans or enacts
in that zone, and what stood there stands.
"""

from dataclasses import replace

from msgspec import structs

from dnsplan.codec import Envelope, contents, seal
from dnsplan.fence import parse_fence, to_record_set
from dnsplan.names import parse_name
from dnsplan.plan import Plan, PlanId, next_generation
from dnsplan.records import RecordSet
from dnsplan.signing import signed
from planner.publishing import row_of
from sandbox.route53.model import Change
from tests.simulation import keys
from tests.simulation.acts import Scene, edit
from tests.simulation.break_glass import is_forged, is_in_doubt, reconcile
from tests.simulation.seen import FENCE, mark_of

HIS_ADDRESS = "203.0.113.66"


async def plan_forged(scene: Scene) -> None:
    """A plan that leads a name to a stranger's address becomes the newest."""
    if _forge(scene) is not None:
        await _undone(scene)


async def plan_named(scene: Scene) -> None:
    """The same by who may move the fence as well: it names his plan, half done."""
    plan_id = _forge(scene)
    if plan_id is None:
        return
    hosted = scene.house.judge.hosted(scene.zone.label)
    stood = hosted.sets_at(f"{FENCE}.{scene.zone.name}").get(("TXT", ""))
    if stood is not None and mark_of(hosted) is not None:
        fence = structs.replace(
            parse_fence(stood.values[0]),
            generation=plan_id.generation,
            digest=plan_id.digest,
            base=plan_id.generation - 1,
            step=1,
            steps=2,
            nonce="his",
        )
        values = to_record_set(fence, parse_name(scene.zone.name)).values
        edit(scene, Change("UPSERT", replace(stood, values=values)))
    await _undone(scene)


async def _undone(scene: Scene) -> None:
    await scene.later(15.0, 60.0)
    if is_forged(scene):
        process = scene.operator()
        process.start(reconcile(scene, process))


def _forge(scene: Scene) -> PlanId | None:
    """His plan becomes the newest; None where there is nothing that he could begin from."""
    cloud, label = scene.house.cloud, scene.zone.label
    item = cloud.table.items.get(label)
    if item is None or item.head_id not in cloud.archive.bodies or scene.is_damaged:
        return None
    if item.applied == 0 or is_in_doubt(scene):  # where nothing stood, nothing can be reconciled
        return None
    newest = cloud.archive.bodies[item.head_id]
    plan = _his(contents(newest))
    if plan is None:
        return None
    forged = _vouched_for(scene, seal(plan), newest)
    scene.say("a plan is forged")
    scene.house.judge.forged(label, forged.plan_id)
    cloud.archive.bodies[forged.plan_id] = forged
    cloud.archive.kept[forged.plan_id] = structs.replace(row_of(plan, forged), key_id=forged.key_id)
    cloud.table.items[label] = structs.replace(
        item, head=plan.generation, head_digest=forged.plan_id.digest
    )
    return forged.plan_id


def _his(newest: Plan) -> Plan | None:
    """The newest plan's next, with one name led elsewhere; None where none is simply stated."""
    by_pools = {one.name for one in newest.ledger}
    simple = [one for one in newest.content if one.name not in by_pools and _is_simple(one)]
    if not simple:
        return None
    chosen = simple[0]
    led = structs.replace(chosen, values=(HIS_ADDRESS,))
    return structs.replace(
        newest,
        generation=next_generation(newest.generation),
        base=newest.generation,
        created_s=newest.created_s + 1,
        content=tuple(led if one is chosen else one for one in newest.content),
    )


def _is_simple(one: RecordSet) -> bool:
    return one.type == "A" and one.set_id is None and one.alias is None


def _vouched_for(scene: Scene, forged: Envelope, newest: Envelope) -> Envelope:
    """By nobody, by a key that is not listed, by the newest plan's signature, or by a listed key
    that never made it."""
    match scene.chance.randrange(4):
        case 0:
            return forged
        case 1:
            return signed(forged, keys.STRANGER)
        case 2:
            return structs.replace(forged, key_id=newest.key_id, signature=newest.signature)
        case _:
            his = signed(forged, keys.STRANGER)
            return structs.replace(his, key_id=keys.PLANNER.key_id)
