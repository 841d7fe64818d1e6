"""One pass over all zones: the table is asked once, then each zone is planned from that answer.

Trouble with one zone never stops another, and no trouble that can be expected ends the process.
"""

import asyncio
from collections.abc import Sequence

from dnsplan.errors import DnsplanError
from dnsplan.names import Name
from dnsplan.ports import GenerationTable
from planner.cleanup import CleanReport, CleanupCycle
from planner.cycle import PlanCycle, TableView, ZoneReport
from planner.rules.candidate import ZoneWish
from planner.rules.health import Sight
from planner.rules.holds import unread

# Enough to hide the table's latency where hundreds of zones publish their first plan together.
ZONES_AT_ONCE_MAX = 8


class PlanPass:
    """Plans every zone of the config, in its order."""

    def __init__(
        self, wishes: Sequence[ZoneWish], *, table: GenerationTable, cycle: PlanCycle
    ) -> None:
        """The cycle works on the same table."""
        self._wishes = tuple(wishes)
        self._table = table
        self._cycle = cycle

    def plan_for(self, wishes: Sequence[ZoneWish]) -> None:
        """Plan these zones from the next pass on."""
        self._wishes = tuple(wishes)

    async def run_once(self, sight: Sight, *, may_write: bool) -> tuple[ZoneReport, ...]:
        """Plan all zones from one reading of the table and one snapshot of health."""
        wishes = self._wishes
        try:
            incarnation = await self._table.incarnation()
            items = await self._table.read([wish.label for wish in wishes])
        except DnsplanError as error:
            return tuple(ZoneReport(wish, unread(wish.label, error)) for wish in wishes)
        view = TableView(incarnation, items)
        places = asyncio.Semaphore(ZONES_AT_ONCE_MAX)

        async def plan(wish: ZoneWish) -> ZoneReport:
            async with places:
                try:
                    return await self._cycle.run_once(wish, view, sight, may_write=may_write)
                except DnsplanError as error:
                    return ZoneReport(wish, unread(wish.label, error))

        return tuple(await asyncio.gather(*(plan(wish) for wish in wishes)))


class CleanupPass:
    """Cleans every zone of the config, one after the other: nobody waits for it."""

    def __init__(self, zones: Sequence[tuple[str, Name]], cycle: CleanupCycle) -> None:
        """Labels with their zones' names."""
        self._zones = tuple(zones)
        self._cycle = cycle

    async def run_once(self) -> tuple[CleanReport, ...]:
        """Clean all zones."""
        return tuple([await self._cycle.run_once(label, name) for label, name in self._zones])
