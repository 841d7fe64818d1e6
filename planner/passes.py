"""One pass over all zones: the table is asked once, then each zone is planned from that answer.

What health changes goes out first, zone by zone; then those zones that a changed config would have
otherwise take their turns, as far as waves let them. A refused change keeps no dead target in.

Trouble with one zone never stops another, and no trouble that can be expected ends the process.
"""

import asyncio
from collections.abc import Awaitable, Collection, Mapping, Sequence
from dataclasses import replace

from dnsplan.errors import DnsplanError, ItemUnreadable
from dnsplan.generation import GenerationItem
from dnsplan.names import Name
from dnsplan.ports import GenerationTable
from planner.cleanup import CleanReport, CleanupCycle
from planner.cycle import PlanCycle, TableView, ZoneReport
from planner.rules.admission import zones_behind
from planner.rules.candidate import ZoneWish
from planner.rules.health import Sight
from planner.rules.holds import unread
from planner.rules.outcomes import Refused, Unchanged
from planner.rules.waivers import waivers_for
from planner.rules.waves import Waves
from planner.waving import Waving

# Enough to hide the table's latency where hundreds of zones publish their first plan together.
ZONES_AT_ONCE_MAX = 8


class PlanPass:
    """Plans every zone of the config, in its order."""

    def __init__(
        self,
        wishes: Sequence[ZoneWish],
        *,
        table: GenerationTable,
        cycle: PlanCycle,
        waving: Waving | None = None,
    ) -> None:
        """The cycle works on the same table. Without `waving` there are no waves."""
        self._wishes = tuple(wishes)
        self._waves: Waves | None = None
        self._table = table
        self._cycle = cycle
        self._waving = waving

    def plan_for(self, wishes: Sequence[ZoneWish], waves: Waves | None = None) -> None:
        """Plan these zones from the next pass on, in these waves; None: a change goes at once."""
        self._wishes = tuple(wishes)
        self._waves = waves

    async def run_once(
        self, sight: Sight, *, may_write: bool, only: Collection[str] | None = None
    ) -> tuple[ZoneReport, ...]:
        """Plan all zones from one reading of the table and one snapshot of health. `only`: nothing
        is written for other zones, and nothing told; they are looked at for the waves' sake."""
        wishes, waves = self._wishes, self._waves if self._waving is not None else None
        if waves is None and only is not None:
            wishes = tuple(wish for wish in wishes if wish.label in only)
        try:
            incarnation = await self._table.incarnation()
            found = await self._table.read_each([wish.label for wish in wishes])
        except DnsplanError as error:
            return _told([ZoneReport(wish, unread(wish.label, error)) for wish in wishes], only)
        items = _readable(found)
        enacted = (items[one.label] for one in wishes if one.label in items and not one.observe)
        behind = zones_behind(enacted, incarnation=incarnation)
        view = TableView(incarnation, items, zones_behind=behind)
        places = asyncio.Semaphore(ZONES_AT_ONCE_MAX)

        def writes(label: str) -> bool:
            return may_write and (only is None or label in only)

        async def plan(wish: ZoneWish) -> ZoneReport:
            if isinstance(item := found.get(wish.label), ItemUnreadable):
                return ZoneReport(wish, unread(wish.label, item))
            in_waves = waves is not None and wish.label not in waves.observed
            may = writes(wish.label)
            async with places:
                return await self._planned(wish, view, sight, may_write=may, in_waves=in_waves)

        async def take(report: ZoneReport) -> ZoneReport:
            may = writes(report.wish.label)
            work = self._cycle.take_turn(report, view, may_write=may)
            return await _reported(report.wish, work)

        reports: Sequence[ZoneReport] = await asyncio.gather(*map(plan, wishes))
        if waves is not None and self._waving is not None:
            reports = await self._waving.run_once(reports, view, waves, take)
        return _told(reports, only)

    async def _planned(
        self, wish: ZoneWish, view: TableView, sight: Sight, *, may_write: bool, in_waves: bool
    ) -> ZoneReport:
        work = self._cycle.run_once(wish, view, sight, may_write=may_write, in_waves=in_waves)
        report = await _reported(wish, work)
        if in_waves or not isinstance(report.outcome, Refused):
            return report
        # Dead targets go all the same, by the wording that the zone has, as in waves.
        work = self._cycle.run_once(wish, view, sight, may_write=may_write, in_waves=True)
        return _meanwhile(report.outcome, report, await _reported(wish, work))


def _readable(
    found: Mapping[str, GenerationItem | ItemUnreadable],
) -> Mapping[str, GenerationItem]:
    return {label: one for label, one in found.items() if isinstance(one, GenerationItem)}


async def _reported(wish: ZoneWish, work: Awaitable[ZoneReport]) -> ZoneReport:
    """The report; trouble that can be expected is a hold of this zone."""
    try:
        return await work
    except DnsplanError as error:
        return ZoneReport(wish, unread(wish.label, error))


def _meanwhile(outcome: Refused, refused: ZoneReport, moved: ZoneReport) -> ZoneReport:
    """What is told of a zone whose candidate is refused: what its health did without the config's
    change, if anything, and why that waits."""
    if moved.turn is None or isinstance(moved.outcome, Unchanged):
        return refused
    words = [f"refused: {outcome.violations[0]}", *waivers_for(outcome.violations)]
    return replace(moved, turn=None, waits="; ".join(words))


def _told(reports: Sequence[ZoneReport], only: Collection[str] | None) -> tuple[ZoneReport, ...]:
    return tuple(one for one in reports if only is None or one.wish.label in only)


class CleanupPass:
    """Cleans every zone of the config, one after the other: nobody waits for it."""

    def __init__(self, zones: Sequence[tuple[str, Name]], cycle: CleanupCycle) -> None:
        """Labels with their zones' names."""
        self._zones = tuple(zones)
        self._cycle = cycle

    async def run_once(self) -> tuple[CleanReport, ...]:
        """Clean all zones."""
        return tuple([await self._cycle.run_once(label, name) for label, name in self._zones])
