"""Two releases side by side: the newer one writes plans of a form that the older one cannot read.

What a process reads and writes hangs on its `schema`. The older ones must hold where they meet the
newer form, and all must go on when the upgrade is complete or taken back. An item or a fence of a
newer form is met for a while, and taken back.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, cast

from msgspec import structs

from dnsplan import codec
from dnsplan.plan import SCHEMA, Plan, PlanId
from tests.simulation.acts import Scene, fence_replaced
from tests.simulation.break_glass import is_of_newer_release, reconcile
from tests.simulation.cloud import FakeCloud
from tests.simulation.house import AZS, PLANNERS
from tests.simulation.processes import RUNNING

NEWER = SCHEMA + 1
_BEGINS, _AS_BEGUN = f"[{NEWER},".encode(), f"[{SCHEMA},".encode()


@contextmanager
def two_releases() -> Iterator[None]:
    """Within, each process reads and writes plans as its release does; who watches reads all."""
    patched = cast(Any, codec)  # one module stands for both releases
    real_encode, real_decode = codec.encode, patched._decode

    def encode(plan: Plan) -> bytes:
        process = RUNNING.get(None)
        newer = process is not None and process.schema == NEWER
        return real_encode(structs.replace(plan, schema=NEWER) if newer else plan)

    def decode(body: bytes, wanted: PlanId) -> Plan:
        process = RUNNING.get(None)
        reads = process is None or process.schema == NEWER
        if not reads or not body.startswith(_BEGINS):
            return cast(Plan, real_decode(body, wanted))
        plan = cast(Plan, real_decode(_AS_BEGUN + body.removeprefix(_BEGINS), wanted))
        return structs.replace(plan, schema=NEWER)

    patched.encode, patched._decode = encode, decode
    try:
        yield
    finally:
        patched.encode, patched._decode = real_encode, real_decode


async def release_rolls_out(scene: Scene) -> None:
    """One process after the other is upgraded; or some are, and then the former release is back.

    In half of the runs in the order of the page: what reads before what writes.
    """
    house, chance = scene.house, scene.chance
    if scene.upgrading or house.operators_schema == NEWER:
        return
    scene.upgrading = True
    readers, writers = chance.sample(AZS, k=len(AZS)), [*PLANNERS, "cleanup"]
    order = [*readers, *writers]
    if chance.random() < 0.5:
        chance.shuffle(order)
    count = len(order) if chance.random() < 0.6 else chance.randint(1, len(order))
    scene.say("a release rolls out")
    for name in order[:count]:
        await _install(scene, name, NEWER)
    if count == len(order):
        house.operators_schema = NEWER
    else:
        scene.say("a release is taken back")
        for name in reversed(order[:count]):
            await _install(scene, name, SCHEMA)
    scene.upgrading = False
    if is_of_newer_release(scene):
        process = scene.operator()
        process.start(reconcile(scene, process))


async def _install(scene: Scene, name: str, schema: int) -> None:
    scene.house.processes[name].schema = schema
    scene.house.restart(name)
    await scene.later(3.0, 12.0)


async def item_of_newer_release(scene: Scene) -> None:
    """The item is of a form that nobody here reads, until it is taken back."""
    cloud, label = scene.house.cloud, scene.zone.label
    if not isinstance(cloud, FakeCloud) or label in cloud.table.unreadable:
        return
    scene.say("item of a newer release")
    unreadable = cloud.table.unreadable
    unreadable[label] = f"the item gen#{label} has schema 2; this release reads 1"
    await scene.later(10.0, 50.0)
    del unreadable[label]


async def fence_of_newer_release(scene: Scene) -> None:
    """So is the fence."""
    await fence_replaced(scene, "fence of a newer release", ('"dnsplan/2 at=7/1/1"',))
