"""Keeps the last good plans of each zone as files beside the enactor, so that break-glass has one.

Every AZ keeps them, whoever applied the plan. It is a courtesy for a bad day: what cannot be kept
is said once and holds nothing, and nothing here writes to the table or to a zone.
"""

from collections.abc import Sequence

import structlog

from dnsplan.codec import unseal
from dnsplan.errors import DnsplanError, ItemUnreadable
from dnsplan.generation import GenerationItem
from dnsplan.plan import NO_GENERATION, Generation, PlanId
from dnsplan.ports import GenerationTable, PlanArchive
from dnsplan.runtime.config.schema import Settings
from dnsplan.signing import kept_file
from enactor.notes import noted_fence
from enactor.ports import PlanFiles

# A plan is kept within this time, once; a zone that changes more often skips some.
KEEP_EVERY_S = 60.0


class Keeping:
    """One enactor's files of all its zones."""

    def __init__(
        self, table: GenerationTable, archive: PlanArchive, files: PlanFiles, labels: Sequence[str]
    ) -> None:
        """Nothing is read before the first pass."""
        self._table, self._archive, self._files = table, archive, files
        self._labels = tuple(labels)
        self._kept: dict[str, Generation] = {}
        self._told: frozenset[str] = frozenset()
        self._log = structlog.get_logger("enactor")

    def take(self, settings: Settings) -> None:
        """Keep the plans of another config's zones; files of those that are gone stay."""
        self._labels = tuple(settings.zones)

    async def run_once(self) -> None:
        """Keep what became good since the last pass. ReadFailed when the table cannot be read."""
        items = await self._table.read_each(self._labels)
        reasons: dict[str, None] = {}
        for label, item in items.items():
            if isinstance(item, ItemUnreadable):
                reasons[str(item)] = None
                continue
            plan_id = good_plan(item)
            if plan_id is None or plan_id.generation <= self._kept.get(label, NO_GENERATION):
                continue
            try:
                await self._keep(plan_id)
            except DnsplanError as error:
                reasons[str(error)] = None
            else:
                self._kept[label] = plan_id.generation
        for reason in reasons:
            if reason not in self._told:
                self._log.warning("plan_not_kept", reason=reason)
        self._told = frozenset(reasons)

    async def _keep(self, plan_id: PlanId) -> None:
        """A table that went back in time has older plans than the files: these stay."""
        if plan_id.generation > await self._files.newest(plan_id.label):
            envelope = await self._archive.load(plan_id)
            unseal(envelope)
            await self._files.keep(kept_file(envelope))


def good_plan(item: GenerationItem) -> PlanId | None:
    """The last known good plan, while the item still names its digest."""
    fence = noted_fence(item)
    if fence is None or fence.generation != item.last_known_good:
        return None
    return PlanId(item.label, fence.generation, fence.digest)
