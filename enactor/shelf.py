"""Plans kept decoded between cycles, checked once when they come in.

A plan is immutable and named by its digest, so keeping it can never make it stale. Few are kept:
the plan at the fence and the one being applied, for each zone. One that nobody vouches for is given
out only where the zone's own fence names it, and never kept: the next fence may name another.
"""

from collections import OrderedDict
from collections.abc import Iterable

from msgspec import Struct

from dnsplan import codec
from dnsplan.errors import PlanDamaged, PlanUnusable
from dnsplan.fence import FenceRecord
from dnsplan.generation import GenerationItem
from dnsplan.plan import NO_GENERATION, Plan, PlanId
from dnsplan.ports import PlanArchive
from enactor.progress import Desired

PLANS_KEPT_MAX_PER_ZONE = 2

# Plans that overtook one another half done. What is left by more of them, or by more than memory
# should hold, is explained by none and held.
SOME_MAX = 32
SOME_RECORD_SETS_MAX = 1_000_000


class ShelvedPlan(Struct, frozen=True):
    """A checked plan with its id and its names indexed."""

    plan_id: PlanId
    plan: Plan
    desired: Desired


class Shelf:
    """Loads plans through the archive and keeps the last used."""

    def __init__(self, archive: PlanArchive) -> None:
        """Start empty."""
        self._archive = archive
        self._kept: dict[str, OrderedDict[PlanId, ShelvedPlan]] = {}

    async def take(self, plan_id: PlanId, *, standing: FenceRecord | None) -> ShelvedPlan:
        """The plan, or PlanUnusable with the reason, or ReadFailed.

        `standing` is the fence as it was read; None where there is none.
        """
        kept = self._kept.setdefault(plan_id.label, OrderedDict())
        found = kept.get(plan_id)
        if found is None:
            envelope = await self._archive.load(plan_id)
            if envelope.plan_id != plan_id:
                raise PlanDamaged(f"asked for {plan_id}, found {envelope.plan_id}")
            plan = codec.standing(envelope, standing)
            found = ShelvedPlan(plan_id, plan, Desired(plan))
            if envelope.doubt is not None:
                return found
            kept[plan_id] = found
        kept.move_to_end(plan_id)
        while len(kept) > PLANS_KEPT_MAX_PER_ZONE:
            kept.popitem(last=False)
        return found

    async def fetch(self, item: GenerationItem, target: PlanId, noted: PlanId | None) -> None:
        """Have the plans at hand, before a request is spent on the fence; ReadFailed if not.

        What a plan that cannot be used means is decided when its turn comes.
        """
        if target.generation != item.applied:
            plans = [one for one in (target, noted) if one is not None]
            await self.what_there_is(plans, standing=None)

    async def what_there_is(
        self, wanted: Iterable[PlanId], *, standing: FenceRecord | None
    ) -> tuple[tuple[ShelvedPlan, ...], tuple[PlanId, ...]]:
        """Those of these plans that can be had, and those that cannot."""
        found: list[ShelvedPlan] = []
        unread: list[PlanId] = []
        for plan_id in wanted:
            try:
                found.append(await self.take(plan_id, standing=standing))
            except PlanUnusable:
                unread.append(plan_id)
        return tuple(found), tuple(unread)

    async def back_from(
        self, label: str, generations: range, *, standing: FenceRecord | None
    ) -> tuple[tuple[Desired, ...], tuple[PlanId, ...]]:
        """As `some`, but nothing from before one that cannot be had: it may have ended a name."""
        found, unread = await self.some(label, generations, standing=standing)
        upto = max((one.generation for one in unread), default=NO_GENERATION)
        return tuple(one for one in found if one.generation > upto), unread

    async def some(
        self, label: str, generations: range, *, standing: FenceRecord | None
    ) -> tuple[tuple[Desired, ...], tuple[PlanId, ...]]:
        """Plans of these generations, the newest first, and those that cannot be had."""
        found: list[Desired] = []
        unread: list[PlanId] = []
        record_sets = 0
        rows = await self._archive.rows(label) if generations else ()
        there = [r for r in rows if r.plan_id.generation in generations and r.deleted_s is None]
        for row in reversed(there[-SOME_MAX:]):
            record_sets += row.record_sets
            if found and record_sets > SOME_RECORD_SETS_MAX:
                break
            try:
                envelope = await self._archive.load(row.plan_id)
                found.append(Desired(codec.standing(envelope, standing)))
            except PlanUnusable:
                unread.append(row.plan_id)
        return tuple(found), tuple(unread)
