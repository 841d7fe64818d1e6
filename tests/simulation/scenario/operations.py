"""Steps of operators, by the runbook's own code."""

from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from dnsplan.codec import seal
from dnsplan.formats.planfile import PlanFile
from dnsplan.generation import GenerationItem
from dnsplan.outcomes import SubmitOutcome
from dnsplan.plan import Generation, sorted_content
from dnsplan.ports import Zone
from dnsplan.records import RecordSet
from enactor.ports import ZoneRecords
from enactor.rules.packing import ChangeBatch
from runbooks.adopting import preparing as adopting
from runbooks.adopting.taking_over import TakingOver
from runbooks.controls.freezing import Freezing
from runbooks.controls.froze import Frozen
from runbooks.controls.outside import OpenZones, Operator
from runbooks.controls.pinning import Pinning
from runbooks.controls.rolling_back import RollingBack
from runbooks.restoring.hand import ToldRecords
from runbooks.restoring.preparing import Preparing
from runbooks.restoring.restoring import Restoring
from runbooks.restoring.rules import Word, restore_at
from runbooks.retiring.retiring import Asked, Retiring
from tests.simulation.house import PACE
from tests.simulation.scenario import words
from tests.simulation.scenario.cast import controls_of, wish_of
from tests.simulation.scenario.contents import record_sets
from tests.simulation.scenario.language import Places, sentence
from tests.simulation.scenario.stage import Mistaken, Stage
from tests.simulation.seen import mark_of
from tests.simulation.workload import LIMITS


@sentence("{operator} freezes")
async def freezes(stage: Stage, places: Places) -> None:
    """`dns-runbook freeze`. Once it has returned, the judge lets no enactor's batch land."""
    name = places["operator"]

    async def freeze() -> str:
        outside = controls_of(stage, name)
        freezing = Freezing(outside, _person(name), _quiet)
        zones = _zones(outside.records, stage.zone)
        (ended,) = await freezing.freeze([stage.zone.label], zones)
        if isinstance(ended, Frozen):
            stage.freezes.append(ended.freeze_id)
            stage.judge.books[stage.zone.label].frozen = True
        return words.froze(ended)

    await stage.act(name, freeze)


@sentence("{operator} thaws")
async def thaws(stage: Stage, places: Places) -> None:
    """`dns-runbook thaw` of the freeze that stands, as `status` names it."""
    item = stage.cloud.table.items.get(stage.zone.label)
    mark = mark_of(stage.judge.hosted(stage.zone.label))
    in_fence = None if mark is None else mark.frozen
    freeze_id = (None if item is None else item.frozen) or in_fence
    if freeze_id is None:
        raise Mistaken("nothing is frozen")
    await stage.act(places["operator"], _thaw(stage, places["operator"], freeze_id))


@sentence("{operator} thaws freeze {n}")
async def thaws_one(stage: Stage, places: Places) -> None:
    """`dns-runbook thaw` of the first freeze of this scenario, the second, and so on."""
    freeze_id = stage.freezes[int(places["n"]) - 1]
    await stage.act(places["operator"], _thaw(stage, places["operator"], freeze_id))


@sentence("{operator} pins {n}")
async def pins(stage: Stage, places: Places) -> None:
    """`dns-runbook pin`."""
    name, generation = places["operator"], Generation(int(places["n"]))

    async def pin() -> str:
        await Pinning(controls_of(stage, name), _person(name)).pin(stage.zone, generation)
        return f"pinned to {generation}"

    await stage.act(name, pin)


@sentence("{operator} unpins")
async def unpins(stage: Stage, places: Places) -> None:
    """`dns-runbook unpin`."""
    name = places["operator"]

    async def unpin() -> str:
        was = await Pinning(controls_of(stage, name), _person(name)).unpin(stage.zone)
        return f"no longer pinned to {was.pin}"

    await stage.act(name, unpin)


@sentence("{operator} rolls back to {n}")
async def rolls_back(stage: Stage, places: Places) -> None:
    """`dns-runbook rollback`."""
    name = places["operator"]
    await stage.act(name, _roll_back(stage, name, int(places["n"]), pinned=False))


@sentence("{operator} rolls back to {n} and pins it")
async def rolls_back_pinned(stage: Stage, places: Places) -> None:
    """`dns-runbook rollback --pin`."""
    name = places["operator"]
    await stage.act(name, _roll_back(stage, name, int(places["n"]), pinned=True))


@sentence("{operator} adopts")
async def adopts(stage: Stage, places: Places) -> None:
    """`dns-runbook adopt`, with the config that planner1 has read."""
    name = places["operator"]

    async def adopt() -> str:
        outside, person = controls_of(stage, name), _person(name)
        prepared = await adopting.Preparing(outside, person).prepare(
            stage.zone, wish_of(stage, "planner1"), _quiet
        )
        adopted = await TakingOver(outside, person).take_over(prepared, _quiet)
        number = "nothing" if adopted.plan is None else f"plan {adopted.plan.generation}"
        return f"adopted the zone as it stands, as {number}"

    await stage.act(name, adopt)


@sentence("{operator} retires {name}")
async def retires(stage: Stage, places: Places) -> None:
    """`dns-runbook retire`, with the config that planner1 has read."""
    name = places["operator"]

    async def retire() -> str:
        retiring = Retiring(controls_of(stage, name), _person(name))
        asked = Asked(places["name"], None)
        prepared = await retiring.prepare(stage.zone, asked, wish_of(stage, "planner1"), LIMITS)
        plan_id = await retiring.publish(prepared)
        return f"{places['name']} ends with plan {plan_id.generation}"

    await stage.act(name, retire)


@sentence("{operator} restores {content}")
async def restores(stage: Stage, places: Places) -> None:
    """`dns-runbook restore` of a plan file that states these record sets and says, as exported,
    that it comes from plan 1."""
    name, label = places["operator"], stage.zone.label
    content = sorted_content(record_sets(places["content"], stage.zone))
    file = PlanFile(
        label=label,
        zone=stage.zone.name,
        owner=stage.cloud.table.items[label].owner,
        generation=Generation(1),
        digest="",
        author=name,
        reason="rehearsal",
        content=content,
    )

    async def restore() -> str:
        outside = controls_of(stage, name)
        records = _Foreseen(outside.records, _quiet, stage=stage, content=content)
        ports = (records, outside.clock, outside.jitter)
        preparing = Preparing(*ports, pace=PACE)
        prepared = await preparing.prepare(stage.zone, file, Word(), operator=name, tell=_quiet)
        restoring = Restoring(*ports, pace=PACE, tell=_quiet)
        done = await restoring.restore(prepared, Word(), operator=name)
        return f"restored as {done.fence.generation}, in sync"

    await stage.act(name, restore)


@dataclass(slots=True, kw_only=True)
class _Foreseen(ToldRecords):
    """Lets the judge know, before it is sent, what an operator's word makes a plan past head."""

    stage: Stage
    content: tuple[RecordSet, ...]

    async def submit(self, zone: Zone, batch: ChangeBatch) -> SubmitOutcome:
        """Send a batch once."""
        plan = restore_at(batch.fence, zone.label, zone.name, self.content)
        book = self.stage.judge.books[zone.label]
        stands = mark_of(self.stage.judge.hosted(zone.label))
        if plan is not None and (stands is None or stands.generation != plan.generation):
            self.stage.judge.stored(seal(plan))
            book.issued[plan.generation] = batch.fence.digest
            book.managed |= {str(one.name) for one in plan.content}
        return await ToldRecords.submit(self, zone, batch)


@dataclass(frozen=True, slots=True)
class _Zones:
    """`runbooks.controls.outside.ZoneSide` over the one zone."""

    records: ZoneRecords
    zone: Zone

    async def zone_of(self, _item: GenerationItem) -> Zone:
        """The one zone."""
        return self.zone


def _zones(records: ZoneRecords, zone: Zone) -> OpenZones:
    @asynccontextmanager
    async def opened() -> AsyncIterator[_Zones]:
        yield _Zones(records, zone)

    return opened


def _thaw(stage: Stage, name: str, freeze_id: str) -> Callable[[], Coroutine[Any, Any, str]]:
    async def thaw() -> str:
        outside = controls_of(stage, name)
        stage.judge.books[stage.zone.label].frozen = False
        await Freezing(outside, _person(name), _quiet).thaw(stage.zone, freeze_id, outside.records)
        return "thawed"

    return thaw


def _roll_back(
    stage: Stage, name: str, generation: int, *, pinned: bool
) -> Callable[[], Coroutine[Any, Any, str]]:
    async def roll_back() -> str:
        rolling = RollingBack(controls_of(stage, name), _person(name))
        prepared = await rolling.prepare(stage.zone, Generation(generation), LIMITS, ())
        plan_id = await rolling.publish(prepared, pinned=pinned)
        return f"published the content of plan {generation} as plan {plan_id.generation}"

    return roll_back


def _person(name: str) -> Operator:
    return Operator(name, "rehearsal")


def _quiet(_: str) -> None:
    """Nobody reads an operator's progress here."""
