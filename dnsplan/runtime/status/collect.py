"""Read what the status object shows, each part once; a part that fails is named and shown as null.

Only reads, and never more at once than `READS_AT_ONCE`. Nothing is decided here: what the facts
mean is `shape`'s and `verdict`'s.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias, TypeVar

from msgspec import Struct

from dnsplan.codec import unseal
from dnsplan.errors import DnsplanError, ItemUnreadable
from dnsplan.fence import FenceRecord, NoFence, SeenFence
from dnsplan.generation import GenerationItem
from dnsplan.names import Name, parse_name
from dnsplan.plan import Plan, PlanId
from dnsplan.ports import (
    Clock,
    FenceReader,
    GenerationTable,
    PlanArchive,
    Presence,
    PresenceBoard,
    Zone,
)
from dnsplan.records import Unit, unit_of
from dnsplan.runtime.config.derived import desired_static, pool_units
from dnsplan.runtime.config.schema import Settings
from dnsplan.runtime.status.model import Report, Status, Unread
from dnsplan.runtime.status.shape import (
    HeldNames,
    ZoneFacts,
    applied_id,
    drift_of,
    notes_of,
    unlisted_of,
    unread_of,
    waits_of,
    zone_status,
)

# A person waits for the answer, and the daemons share the same account's request rate.
READS_AT_ONCE = 8

# Bodies are immutable, so a view that refreshes keeps them; a thousand zones is a large deployment.
PLANS_KEPT_MAX = 1_000

Fact = TypeVar("Fact")

# What held names keep, by name, at a fence that counts some.
HeldReader: TypeAlias = Callable[[str, FenceRecord], Awaitable[HeldNames]]


class ZoneAsked(Struct, frozen=True):
    """A zone as the config states it; `zone_id` is None where it is found by name.

    `stated` are its names and types; None where that is not of interest. `config` is the digest of
    what the config makes of it, where a change of that waits for its turn.
    """

    label: str
    name: Name
    zone_id: str | None
    stated: frozenset[Unit] | None = None
    config: str = ""


@dataclass(frozen=True, slots=True)
class Sources:
    """Where the parts of the status come from."""

    table: GenerationTable
    archive: PlanArchive
    fences: FenceReader
    presence: PresenceBoard
    find_zone_id: Callable[[ZoneAsked], Awaitable[str]]
    held_names: HeldReader


@dataclass(slots=True)
class Collector:
    """Collects reports for one set of zones; keeps nothing between two but plan bodies."""

    zones: Sequence[ZoneAsked]
    azs: Sequence[str]
    sources: Sources
    clock: Clock
    _plans: dict[PlanId, Plan] = field(default_factory=dict)

    async def report(self) -> Report:
        """The status now, and what of it could not be read."""
        labels = [zone.label for zone in self.zones]
        items = await _fact(None, "generation items", self.sources.table.read_each(labels))
        presences = await _fact(None, "enactors' signs of life", self.sources.presence.everyone())
        gate = asyncio.Semaphore(READS_AT_ONCE)
        async with asyncio.TaskGroup() as group:
            tasks = [
                group.create_task(self._zone(zone, items, presences, gate)) for zone in self.zones
            ]
        facts = [task.result() for task in tasks]
        now_s = int(self.clock.now_s())
        status = Status(tuple(zone_status(one, azs=self.azs, now_s=now_s) for one in facts))
        # What concerns every zone (the table, the signs of life) is said once, not a zone.
        unread = dict.fromkeys(part for one in facts for part in unread_of(one))
        drift = tuple(found for one in facts for found in drift_of(one, azs=self.azs))
        unlisted = tuple(
            found
            for zone, one in zip(self.zones, facts, strict=True)
            if zone.stated is not None
            for found in unlisted_of(one, zone.stated)
        )
        notes = tuple(
            found
            for zone, one in zip(self.zones, facts, strict=True)
            for found in (*waits_of(one, zone.config), *notes_of(one, azs=self.azs))
        )
        return Report(status, tuple(unread), drift, unlisted, notes)

    async def _zone(
        self,
        zone: ZoneAsked,
        items: Mapping[str, GenerationItem | ItemUnreadable] | Unread,
        presences: Sequence[Presence] | Unread,
        gate: asyncio.Semaphore,
    ) -> ZoneFacts:
        item = _item(zone.label, items)
        async with gate:
            zone_id = await self._zone_id(zone, item)
            fence = await self._fence(zone, zone_id)
            return ZoneFacts(
                label=zone.label,
                name=zone.name,
                zone_id=None if isinstance(zone_id, Unread) else zone_id,
                item=item,
                fence=fence,
                held=await self._held(zone, fence),
                plan=await self._plan(zone, item),
                presences=presences,
            )

    async def _zone_id(self, zone: ZoneAsked, item: GenerationItem | Unread | None) -> str | Unread:
        if zone.zone_id is not None:
            return zone.zone_id
        if isinstance(item, GenerationItem) and item.zone_id is not None:
            return item.zone_id
        return await _fact(zone.label, "the zone's id", self.sources.find_zone_id(zone))

    async def _fence(self, zone: ZoneAsked, zone_id: str | Unread) -> SeenFence | NoFence | Unread:
        if isinstance(zone_id, Unread):
            return zone_id
        asked = Zone(zone.label, zone_id, zone.name)
        return await _fact(zone.label, "the fence", self.sources.fences.read_fence(asked))

    async def _held(
        self, zone: ZoneAsked, fence: SeenFence | NoFence | Unread
    ) -> HeldNames | Unread:
        if not isinstance(fence, SeenFence) or fence.record.held == 0:
            return {}
        read = self.sources.held_names(zone.label, fence.record)
        return await _fact(zone.label, "the held names", read)

    async def _plan(
        self, zone: ZoneAsked, item: GenerationItem | Unread | None
    ) -> Plan | Unread | None:
        if not isinstance(item, GenerationItem):
            return item
        return await _fact(zone.label, "the applied plan", self._applied_plan(item))

    async def _applied_plan(self, item: GenerationItem) -> Plan | None:
        plan_id = applied_id(item)
        if plan_id is None:
            return None
        if plan_id not in self._plans:
            plan = unseal(await self.sources.archive.load(plan_id))
            while len(self._plans) >= PLANS_KEPT_MAX:
                del self._plans[next(iter(self._plans))]
            self._plans[plan_id] = plan
        return self._plans[plan_id]


def asked_zones(
    settings: Settings, labels: Iterable[str], config: Callable[[str], str] = lambda _label: ""
) -> tuple[ZoneAsked, ...]:
    """The zones of these labels as the config states them; `config` gives a zone's digest."""
    return tuple(
        ZoneAsked(label, parse_name(zone.name), zone.id, _stated(settings, label), config(label))
        for label, zone in ((label, settings.zones[label]) for label in labels)
    )


def _item(
    label: str, items: Mapping[str, GenerationItem | ItemUnreadable] | Unread
) -> GenerationItem | Unread | None:
    if isinstance(items, Unread):
        return items
    item = items.get(label)
    if isinstance(item, ItemUnreadable):
        return Unread(label, "the generation item", str(item))
    return item


def _stated(settings: Settings, label: str) -> frozenset[Unit]:
    driven = {one.unit for one in pool_units(settings, label)}
    return frozenset(driven | set(map(unit_of, desired_static(settings.zones[label]))))


async def _fact(label: str | None, what: str, read: Awaitable[Fact]) -> Fact | Unread:
    try:
        return await read
    except DnsplanError as error:
        return Unread(label, what, str(error))
