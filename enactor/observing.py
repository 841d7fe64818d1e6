"""Looks at a zone that is only observed: lists it, and tells what would be changed in it.

It has no way to write. The zone is always listed, since others write it and no fence of ours tells
what it holds.
"""

from dnsplan.diff import diff
from dnsplan.errors import PlanUnusable
from dnsplan.fence import FenceRecord, NoFence, SeenFence
from dnsplan.generation import GenerationItem
from dnsplan.guardrails import judge_live
from dnsplan.plan import Plan, PlanId
from enactor.ports import Outside
from enactor.rules.drift import Drift
from enactor.rules.observing import observed_in_words, would_change
from enactor.rules.outcomes import Held, HoldRule
from enactor.rules.view import ours, restricted
from enactor.settings import Pace, ZoneTask
from enactor.shelf import Shelf
from enactor.viewing import Viewer


class Observing:
    """One enactor's eyes on zones in mode observe. It keeps what it saw last, for people."""

    def __init__(self, outside: Outside, shelf: Shelf, *, pace: Pace) -> None:
        """`shelf` is shared with whoever applies the same plans."""
        self._viewer = Viewer(outside, pace=pace)
        self._shelf = shelf
        self._seen: dict[str, tuple[Drift, ...]] = {}

    def seen(self, label: str) -> tuple[Drift, ...]:
        """What would have been changed in a zone at the last look."""
        return self._seen.get(label, ())

    async def look(
        self,
        task: ZoneTask,
        item: GenerationItem,
        target: PlanId,
        *,
        noted: PlanId | None,
        fence: SeenFence | NoFence,
    ) -> Held:
        """Compare the zone with the plan to reach. DnsplanError when it cannot be read."""
        standing = fence.record if isinstance(fence, SeenFence) else None
        plan = (await self._shelf.take(target, standing=standing)).plan
        base = await self._plan_or_none(noted, standing)
        listed = await self._viewer.whole(task.zone)
        live = restricted(listed, ours(plan, base), plan)
        changes = would_change(live, listed, plan)
        since = plan.generation - 1 if base is None else base.generation
        violations = judge_live(live, diff(live, plan.content), plan, task.limits, since=since)
        self._seen[item.label] = changes
        needs_adoption = isinstance(fence, NoFence) and bool(live)
        text = observed_in_words(
            plan.generation, changes, violations, needs_adoption=needs_adoption
        )
        next_step = "adopt" if needs_adoption else "diff"
        return Held(HoldRule.OBSERVING, text, f"dns-runbook {next_step} {item.label}")

    async def _plan_or_none(
        self, plan_id: PlanId | None, standing: FenceRecord | None
    ) -> Plan | None:
        if plan_id is None:
            return None
        try:
            return (await self._shelf.take(plan_id, standing=standing)).plan
        except PlanUnusable:
            return None
