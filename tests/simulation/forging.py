"""Who may write the table and has no key publishes a plan of his own; operators undo it.

He writes body, row and head as a planner would. Until somebody reconciles, nobody plans or enacts
in that zone, and what stood there stands.
"""

from msgspec import structs

from dnsplan.codec import Envelope, contents, seal
from dnsplan.plan import Plan, next_generation
from dnsplan.records import RecordSet
from dnsplan.signing import signed
from planner.publishing import row_of
from tests.simulation import keys
from tests.simulation.acts import Scene
from tests.simulation.break_glass import is_forged, is_in_doubt, reconcile

HIS_ADDRESS = "203.0.113.66"


async def plan_forged(scene: Scene) -> None:
    """A plan that leads a name to a stranger's address becomes the newest."""
    cloud, label = scene.house.cloud, scene.zone.label
    item = cloud.table.items.get(label)
    if item is None or item.head_id not in cloud.archive.bodies or scene.is_damaged:
        return
    if item.applied == 0 or is_in_doubt(scene):  # where nothing stood, nothing can be reconciled
        return
    newest = cloud.archive.bodies[item.head_id]
    plan = _his(contents(newest))
    if plan is None:
        return
    forged = _vouched_for(scene, seal(plan), newest)
    scene.say("a plan is forged")
    scene.house.judge.forged(label, forged.plan_id)
    cloud.archive.bodies[forged.plan_id] = forged
    cloud.archive.kept[forged.plan_id] = structs.replace(row_of(plan, forged), key_id=forged.key_id)
    cloud.table.items[label] = structs.replace(
        item, head=plan.generation, head_digest=forged.plan_id.digest
    )
    await scene.later(15.0, 60.0)
    if is_forged(scene):
        process = scene.operator()
        process.start(reconcile(scene, process))


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
