"""Reads what explains a zone or one of its names; a part that fails is named and hides no other.

It only reads, each thing once. What the facts mean is decided in `holds` and `units`.
"""

from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from dnsplan.codec import standing
from dnsplan.fence import FenceRecord, SeenFence
from dnsplan.generation import GenerationItem
from dnsplan.guardrails import Limits
from dnsplan.names import Name, is_within, parse_name, upwards
from dnsplan.plan import NO_GENERATION, Plan, PlanId
from dnsplan.ports import Presence, Zone
from dnsplan.records import RecordSet, Unit, unit_of
from dnsplan.runtime.config.derived import PoolUnit, desired_static, limits_for, pool_units
from dnsplan.runtime.config.schema import Settings
from dnsplan.runtime.status.model import Unread
from enactor.notes import held_at
from enactor.rules.adoption import target_of
from enactor.rules.exceptions import HeldName
from planner.settings import wording_in_waves
from runbooks.controls.outside import Refused
from runbooks.controls.standing import Standing, read_standing
from runbooks.history.past import Entry, read_past
from runbooks.looking.asking import Answer, Asking
from runbooks.looking.eyes import Eyes, fact

Fact = TypeVar("Fact")


@dataclass(frozen=True, slots=True, kw_only=True)
class Stated:
    """What the config says of a zone; `config` is its digest, where a change waits for its turn."""

    apex: Name
    observe: bool
    driven: Mapping[Unit, PoolUnit]
    static: frozenset[Unit]
    limits: Limits
    azs: tuple[str, ...]
    config: str = ""

    @property
    def units(self) -> frozenset[Unit]:
        """Every name and type that it states."""
        return self.static.union(self.driven)


@dataclass(frozen=True, slots=True, kw_only=True)
class ZoneFacts:
    """A zone as far as it could be read; an Unread stands where a read failed.

    `target` is the plan to reach (the pin or head), `live` the one that the fence names, both None
    where there is none.
    """

    label: str
    stated: Stated
    item: GenerationItem | Unread | None
    incarnation: str | Unread
    found: Zone | Unread
    fence: Standing | Unread
    target: Plan | Unread | None
    live: Plan | Unread | None
    held: Mapping[Name, HeldName] | Unread
    presences: Sequence[Presence] | Unread
    now_s: int

    def unread(self) -> tuple[Unread, ...]:
        """Everything that could not be read, each trouble once."""
        parts: tuple[object, ...] = (
            self.item,
            self.incarnation,
            self.found,
            self.fence,
            self.target,
            self.live,
            self.held,
            self.presences,
        )
        return tuple(dict.fromkeys(part for part in parts if isinstance(part, Unread)))


@dataclass(frozen=True, slots=True, kw_only=True)
class NameFacts:
    """One name: what stands at it, who answers what, and the last plan that changed it (None: none
    of those that were looked at). `owner` is where all of that stands: the name itself, or the
    wildcard that answers for it."""

    name: Name
    owner: Name
    listed: tuple[RecordSet, ...] | Unread
    answers: Mapping[Unit, tuple[Answer, ...]] | Unread
    last: Entry | Unread | None


def stated_in(settings: Settings, label: str) -> Stated:
    """What the config says of a zone."""
    entry = settings.zones[label]
    return Stated(
        apex=parse_name(entry.name),
        observe=entry.mode == "observe",
        driven={one.unit: one for one in pool_units(settings, label)},
        static=frozenset(map(unit_of, desired_static(entry))),
        limits=limits_for(settings, label),
        azs=tuple(settings.azs),
        config=wording_in_waves(settings, label),
    )


class Gathering:
    """Reads through the ports."""

    def __init__(self, eyes: Eyes, label: str, stated: Stated) -> None:
        """One zone."""
        self._eyes = eyes
        self._label = label
        self._stated = stated

    async def zone(self) -> ZoneFacts:
        """The zone's facts."""
        item = await self._fact("the generation item", self._eyes.item(self._label))
        found = await self._fact("the zone's id", self._eyes.find_zone(self._label))
        zone = self._bound(item, found)
        fence: Standing | Unread
        if isinstance(zone, Unread):
            fence = zone
        else:
            fence = await self._fact("the fence", read_standing(self._eyes.records, zone))
        return ZoneFacts(
            label=self._label,
            stated=self._stated,
            item=item,
            incarnation=await self._fact("the table's id", self._eyes.table.incarnation()),
            found=found,
            fence=fence,
            target=await self._target(item, fence),
            live=await self._live(fence),
            held=await self._held(fence),
            presences=await self._fact("enactors' signs of life", self._eyes.presence.everyone()),
            now_s=int(self._eyes.clock.now_s()),
        )

    async def name(self, name: Name, facts: ZoneFacts, asking: Asking | Unread) -> NameFacts:
        """What is to be known of one name beside."""
        zone = self._bound(facts.item, facts.found)
        owner, listed = name, await self._listed(zone, name)
        units = units_at(name, facts, listed)
        if not units:
            owner, listed = await self._wildcard(zone, name, facts) or (name, listed)
            units = units_at(owner, facts, listed)
        answers: Mapping[Unit, tuple[Answer, ...]] | Unread
        if isinstance(asking, Unread):
            answers = asking
        else:
            answers = {unit: await asking.ask((name, unit[1])) for unit in units}
        last = await self._fact("the plans", self._last(owner))
        return NameFacts(name=name, owner=owner, listed=listed, answers=answers, last=last)

    async def _listed(self, zone: Zone | Unread, name: Name) -> tuple[RecordSet, ...] | Unread:
        if isinstance(zone, Unread):
            return zone
        return await self._fact("the name", self._eyes.records.list_name(zone, name))

    async def _wildcard(
        self, zone: Zone | Unread, name: Name, facts: ZoneFacts
    ) -> tuple[Name, tuple[RecordSet, ...] | Unread] | None:
        """The wildcard that answers for a name where nothing stands, with what stands there.

        A name that exists, and be it for one below it, shuts out the wildcards above (RFC 4592).
        """
        known = _names(facts)
        for one, wildcard in upwards(name, self._stated.apex):
            if any(is_within(other, one) for other in known):
                return None
            listed = await self._listed(zone, wildcard)
            if wildcard in known or (listed and not isinstance(listed, Unread)):
                return wildcard, listed
        return None

    async def _last(self, name: Name) -> Entry | None:
        try:
            apex = self._stated.apex
            past = await read_past(self._eyes, self._label, apex, name=name, limit=1)
        except Refused:
            return None
        return past.entries[0] if past.entries else None

    async def _target(
        self, item: GenerationItem | Unread | None, fence: Standing | Unread
    ) -> Plan | Unread | None:
        if item is None or isinstance(item, Unread):
            return item
        if item.head == NO_GENERATION:
            return None
        seen = None if isinstance(fence, Unread) or fence.fence is None else fence.fence.record
        return await self._plan("the plan to reach", target_of(item), seen)

    async def _live(self, fence: Standing | Unread) -> Plan | Unread | None:
        if isinstance(fence, Unread):
            return fence
        if fence.fence is None or fence.fence.record.generation == NO_GENERATION:
            return None
        seen = fence.fence.record
        plan_id = PlanId(self._label, seen.generation, seen.digest)
        return await self._plan("the plan that the fence names", plan_id, seen)

    async def _held(self, fence: Standing | Unread) -> Mapping[Name, HeldName] | Unread:
        seen: SeenFence | None = None if isinstance(fence, Unread) else fence.fence
        if seen is None:
            return fence if isinstance(fence, Unread) else {}
        noted = await self._fact(
            "the note of held names", held_at(self._eyes.exceptions, self._label, seen.record)
        )
        if noted is None:
            return Unread(self._label, "the note of held names", "it is missing or short")
        return noted

    async def _plan(self, what: str, plan_id: PlanId, fence: FenceRecord | None) -> Plan | Unread:
        async def load() -> Plan:
            return standing(await self._eyes.archive.load(plan_id), fence)

        return await self._fact(f"{what} ({plan_id.generation})", load())

    def _bound(self, item: GenerationItem | Unread | None, found: Zone | Unread) -> Zone | Unread:
        """The zone that the table binds the label to, else the one of its name."""
        if isinstance(item, GenerationItem) and item.zone_id is not None:
            return Zone(self._label, item.zone_id, self._stated.apex)
        return found

    async def _fact(self, what: str, read: Awaitable[Fact]) -> Fact | Unread:
        return await fact(self._label, what, read)


def _names(facts: ZoneFacts) -> frozenset[Name]:
    """Every name that is stated, planned or live."""
    plans = [one for one in (facts.target, facts.live) if isinstance(one, Plan)]
    planned = (record_set.name for plan in plans for record_set in plan.content)
    return frozenset(unit[0] for unit in facts.stated.units).union(planned)


def units_at(
    name: Name, facts: ZoneFacts, listed: tuple[RecordSet, ...] | Unread
) -> tuple[Unit, ...]:
    """Every type of a name that is stated, planned, live or standing, sorted."""
    stated = set(facts.stated.units)
    for plan in (facts.target, facts.live):
        if isinstance(plan, Plan):
            stated.update(map(unit_of, plan.content))
            stated.update((one.name, one.type) for one in plan.retired if one.type is not None)
    if not isinstance(listed, Unread):
        stated.update(map(unit_of, listed))
    return tuple(sorted(unit for unit in stated if unit[0] == name))
