"""Operators at the worst moment: they freeze, pin and roll back by the runbook's own code, and put
everything back in order when the faults are over."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

from dnsplan.errors import DnsplanError
from dnsplan.generation import GenerationItem
from dnsplan.plan import Generation
from dnsplan.ports import Zone
from enactor.ports import ZoneRecords
from runbooks.adopting.preparing import Preparing
from runbooks.adopting.taking_over import TakingOver
from runbooks.controls.freezing import Freezing
from runbooks.controls.froze import Frozen
from runbooks.controls.outside import OpenZones
from runbooks.controls.pinning import Pinning
from runbooks.controls.rolling_back import RollingBack
from runbooks.retiring.retiring import Asked, Retiring
from tests.simulation.acts import OTHERS, Act, Scene, put_back
from tests.simulation.break_glass import is_in_doubt, operator_restores, reconcile, restore
from tests.simulation.house import PLANNERS
from tests.simulation.seen import Mark, mark_of
from tests.simulation.workload import LIMITS, wish_of

TRIES = 4


async def operator_freezes(scene: Scene) -> None:
    """Freeze, look around, thaw."""
    house, label = scene.house, scene.zone.label
    process = scene.operator()
    outside, book = house.controls(process), house.judge.books[label]
    freezing = Freezing(outside, house.person(process), _quiet)

    async def work() -> None:
        (ended,) = await freezing.freeze([label], _zones(outside.records, scene.zone))
        if not isinstance(ended, Frozen) or house.loop.time() > house.wire.calm_at_s:
            return
        book.frozen = ended.freeze_id not in book.thawed
        scene.say("zone frozen")
        await process.wait(scene.chance.uniform(5.0, 60.0))
        book.frozen = False
        book.thawed.add(ended.freeze_id)
        for _ in range(TRIES):
            try:
                await freezing.thaw(scene.zone, ended.freeze_id, outside.records)
            except DnsplanError:
                await process.wait(5.0)
            else:
                return

    process.start(_trying(work))


async def operator_pins(scene: Scene) -> None:
    """Pin the newest plan, look around, unpin."""
    process = scene.operator()
    pinning = Pinning(scene.house.controls(process), scene.house.person(process))

    async def work() -> None:
        item = scene.house.cloud.table.items[scene.zone.label]
        await pinning.pin(scene.zone, item.head)
        scene.say("zone pinned")
        await process.wait(scene.chance.uniform(5.0, 60.0))
        await pinning.unpin(scene.zone)

    process.start(_trying(work))


async def operator_rolls_back(scene: Scene) -> None:
    """Bring older content back as a new generation."""
    process = scene.operator()
    rolling = RollingBack(scene.house.controls(process), scene.house.person(process))

    async def work() -> None:
        item = scene.house.cloud.table.items[scene.zone.label]
        older = Generation(max(item.floor, item.head - 1))
        waived = ("velocity",) if scene.chance.random() < 0.5 else ()
        prepared = await rolling.prepare(scene.zone, older, LIMITS, waived)
        await rolling.publish(prepared, pinned=scene.chance.random() < 0.3)
        scene.say("rolled back")

    process.start(_trying(work))


async def operator_retires(scene: Scene) -> None:
    """End a name that the config states no more."""
    house, label = scene.house, scene.zone.label
    process = scene.operator()
    retiring = Retiring(house.controls(process), house.person(process))

    async def work() -> None:
        intent = house.intents[PLANNERS[0]][label]
        managed = sorted(house.judge.books[label].managed - set(map(str, intent.names())))
        if not managed:
            return
        asked = Asked(scene.chance.choice(managed), None)
        prepared = await retiring.prepare(scene.zone, asked, wish_of(intent, label), LIMITS)
        await retiring.publish(prepared)
        scene.say("name retired")

    process.start(_trying(work))


async def adopt(scene: Scene) -> None:
    """Take the zone over as it stands, after its fence was lost."""
    house, label = scene.house, scene.zone.label
    process = scene.operator()
    outside = house.controls(process)
    wish = wish_of(house.intents[PLANNERS[0]][label], label)
    prepared = await Preparing(outside, house.person(process)).prepare(scene.zone, wish, _quiet)
    await TakingOver(outside, house.person(process)).take_over(prepared, _quiet)
    scene.say("zone adopted")
    scene.lost_fence = None


async def calm(scene: Scene) -> None:
    """When the faults are over: end freezes and pins, one after the other."""
    house, label = scene.house, scene.zone.label
    house.judge.books[label].frozen = False
    for _ in range(60):
        item = house.cloud.table.items.get(label)
        mark = mark_of(house.judge.hosted(label))
        is_ours = mark is not None and mark.owner != OTHERS
        process = scene.operator()
        outside = house.controls(process)
        in_table = item.frozen if item is not None else None
        freeze_id = in_table or (mark.frozen if mark is not None else None)
        try:
            if item is not None and item.pin is not None:
                await Pinning(outside, house.person(process)).unpin(scene.zone)
            elif freeze_id is not None and (is_ours or scene.lost_fence is None):
                freezing = Freezing(outside, house.person(process), _quiet)
                await freezing.thaw(scene.zone, freeze_id, outside.records)
            elif scene.lost_fence is not None:
                await _make_fenced(scene, mark)
            elif scene.restoring is not None and mark is not None and mark.step < mark.steps:
                await restore(scene, process)  # a restore that stopped half-way
            elif is_in_doubt(scene):
                await reconcile(scene, process)
            else:
                return
        except DnsplanError:
            await scene.later(3.0, 6.0)


async def _make_fenced(scene: Scene, mark: Mark | None) -> None:
    """A lost fence is put back as it stood, or the zone is adopted."""
    item = scene.house.cloud.table.items.get(scene.zone.label)
    is_free = item is not None and item.frozen is None
    if is_free and (mark is None or mark.owner != OTHERS) and scene.chance.random() < 0.5:
        await adopt(scene)
    else:
        put_back(scene)
        await scene.later(1.0, 2.0)


@dataclass(frozen=True, slots=True)
class _Zones:
    """`runbooks.controls.outside.ZoneSide` over a zone that is known."""

    records: ZoneRecords
    zone: Zone

    async def zone_of(self, _item: GenerationItem, /) -> Zone:
        """The one zone."""
        return self.zone


def _zones(records: ZoneRecords, zone: Zone) -> OpenZones:
    @asynccontextmanager
    async def opened() -> AsyncIterator[_Zones]:
        yield _Zones(records, zone)

    return opened


def _quiet(_: str) -> None:
    """Nobody reads an operator's progress here."""


async def _trying(work: Callable[[], Awaitable[None]]) -> None:
    """An operator's command may be refused; then it is not tried again."""
    try:
        await work()
    except (DnsplanError, KeyError):
        return


OPERATIONS: tuple[Act, ...] = (
    operator_freezes,
    operator_pins,
    operator_rolls_back,
    operator_retires,
    operator_restores,
)
