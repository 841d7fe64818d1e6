"""Reads what the table holds about zones, for the page and the metrics of a daemon that has it.

It asks the table alone and Route 53 nothing: the account's request rate belongs to the plans. What
cannot be read stays as it was last read, and the reason is kept beside it.
"""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import TypeVar

from msgspec import structs

from dnsplan.codec import unseal
from dnsplan.errors import DnsplanError, ItemUnreadable
from dnsplan.fence import parse_fence
from dnsplan.generation import GenerationItem
from dnsplan.plan import Plan, PlanId
from dnsplan.ports import Clock, GenerationTable, PlanArchive, Presence, PresenceBoard, ZoneSighting
from dnsplan.runtime.page.known import NOTHING_KNOWN, Known, PlanFacts, ZoneKnown
from dnsplan.runtime.page.memory import PageMemory
from dnsplan.runtime.page.model import Source
from dnsplan.runtime.page.names import name_views
from dnsplan.runtime.page.stages import described, moved_on
from dnsplan.runtime.status.shape import applied_id

READ_EVERY_S = 2.0
# One batched read holds a hundred items; a thousand zones are read every 20 s.
ZONES_A_SECOND = 50
# Bodies to load in one pass: after a start every zone's plan is new.
LOADS_MAX = 20

Read = TypeVar("Read")


class TableReading:
    """One process's view of the table."""

    def __init__(
        self,
        labels: Sequence[str],
        *,
        table: GenerationTable,
        archive: PlanArchive,
        board: PresenceBoard,
        clock: Clock,
        name: str,
    ) -> None:
        """Nothing is read yet; `name` is the table's."""
        self._labels = tuple(labels)
        self._table, self._archive, self._board = table, archive, board
        self._clock = clock
        self._name = name
        self._read_s: float | None = None
        self._failing: tuple[str, float] | None = None
        # Without one a restart forgets all.
        self.memory: PageMemory | None = None
        # Whether what is known was left by a former process: then none of it is gone on with.
        self._is_recalled = False
        self._has_begun = False
        # Those that were read; one is left out until then.
        self.zones: dict[str, ZoneKnown] = {}
        self.presences: tuple[Presence, ...] = ()
        self.on_applied: Callable[[GenerationItem, PlanFacts], None] = lambda *_: None

    @property
    def interval_s(self) -> float:
        """How often it should be read."""
        return max(READ_EVERY_S, len(self._labels) / ZONES_A_SECOND)

    def source(self) -> Source:
        """Where this comes from, and how fresh it is."""
        reason, since_s = self._failing or (None, None)
        return Source(f"table {self._name}", self._read_s, reason, since_s)

    def as_of_s(self) -> float:
        """The instant that all this is judged at: what is past is not called late as well."""
        if self._failing is None or self._read_s is None:
            return self._clock.now_s()
        return self._read_s

    def follow(self, labels: Sequence[str]) -> None:
        """Read these zones from the next pass on; what is known of those that stay is kept."""
        self._labels = tuple(labels)

    def sightings(self, label: str) -> Mapping[str, ZoneSighting]:
        """What each AZ's enactor last knew of a zone."""
        return {sign.az: one for sign in self.presences for one in sign.zones if one.label == label}

    async def run_once(self) -> None:
        """Read all again; what cannot be read stays."""
        if not self._has_begun:
            self._has_begun = True
            await self._recall()
        failures: list[str] = []
        labels = self._labels
        items = await _tried(self._table.read_each(labels), failures)
        presences = await _tried(self._board.everyone(), failures)
        if presences is not None:
            self.presences = tuple(presences)
        if items is not None:
            self._take(labels, items)
            failures += [str(one) for one in items.values() if isinstance(one, ItemUnreadable)]
            await self._load(labels, failures)
        now_s = self._clock.now_s()
        if failures:
            since_s = now_s if self._failing is None else self._failing[1]
            self._failing = failures[0], since_s
        else:
            self._failing, self._read_s = None, now_s
            if self.memory is not None:
                self.memory.keep(Known(now_s, dict(self.zones), self.presences))

    async def _recall(self) -> None:
        """Show what a former process kept, as what is past, until the table is read."""
        kept = None if self.memory is None else await self.memory.load()
        if kept is None:
            return
        self.zones = {label: kept.zones[label] for label in self._labels if label in kept.zones}
        self.presences, self._read_s = kept.presences, kept.read_s
        self._failing = "not read yet since this daemon started", self._clock.now_s()
        self._is_recalled = True

    def _take(
        self, labels: Sequence[str], items: Mapping[str, GenerationItem | ItemUnreadable]
    ) -> None:
        now_s = self._clock.now_s()
        before = {} if self._is_recalled else self.zones
        self._is_recalled = False
        self.zones = {}
        for label in labels:
            item, known = items.get(label), before.get(label, NOTHING_KNOWN)
            if item is None or isinstance(item, ItemUnreadable):
                self.zones[label] = NOTHING_KNOWN if item is None else known
                continue
            seen = {
                az: one.generation for az, one in self.sightings(label).items() if not one.holding
            }
            stages = moved_on(known.stages, item, seen, now_s=now_s)
            self.zones[label] = structs.replace(
                known, item=item, stages=stages, names_held=_names_held(item)
            )

    async def _load(self, labels: Sequence[str], failures: list[str]) -> None:
        """Load the bodies that are new, as far as one pass may, and see which stand now."""
        loads = 0
        for label in labels:
            for plan_id, is_head in _wanted(self.zones[label]):
                loads += 1
                if loads > LOADS_MAX:
                    return
                plan = await _tried(self._plan(plan_id), failures)
                if plan is not None:
                    self._keep(label, plan_id, plan, is_head=is_head)
            self._settle(label)

    async def _plan(self, plan_id: PlanId) -> Plan:
        return unseal(await self._archive.load(plan_id))

    def _keep(self, label: str, plan_id: PlanId, plan: Plan, *, is_head: bool) -> None:
        names, more = name_views(plan)
        facts = PlanFacts(plan_id, plan.created_s, names, more)
        known = self.zones[label]
        self.zones[label] = structs.replace(
            known,
            stages=described(known.stages or (), plan),
            head=facts if is_head else known.head,
            standing=known.standing if is_head else facts,
        )

    def _settle(self, label: str) -> None:
        """Head stands as soon as it is applied; whoever measures is told once a generation."""
        known = self.zones[label]
        item, head = known.item, known.head
        if item is None or head is None or item.applied != head.plan_id.generation:
            return
        if known.standing is None or known.standing.plan_id != head.plan_id:
            self.zones[label] = structs.replace(known, standing=head)
            self.on_applied(item, head)


def _wanted(known: ZoneKnown) -> Iterable[tuple[PlanId, bool]]:
    """The plans that are not kept yet: the newest, and the one that stands where it is another."""
    item = known.item
    if item is None or not item.head:
        return
    if known.head is None or known.head.plan_id != item.head_id:
        yield item.head_id, True
    try:
        applied = applied_id(item)
    except DnsplanError:
        return
    kept = known.standing.plan_id if known.standing is not None else None
    if applied is not None and applied not in (kept, item.head_id):
        yield applied, False


def _names_held(item: GenerationItem) -> int:
    if item.applied_fence is None:
        return 0
    try:
        return parse_fence(item.applied_fence).held
    except DnsplanError:
        return 0


async def _tried(read: Awaitable[Read], failures: list[str]) -> Read | None:
    try:
        return await read
    except DnsplanError as error:
        failures.append(str(error))
        return None
