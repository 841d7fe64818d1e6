"""Looks through a whole zone, window by window, and compares it with the plan that its fence names.

A window counts only between two equal fences; where a plan was applied meanwhile, the rest is
compared with that one. It reads, and never writes: mending is the enactor's, under the fence.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from dnsplan.codec import contents
from dnsplan.errors import DnsplanError
from dnsplan.fence import NoFence, SeenFence
from dnsplan.names import Name
from dnsplan.plan import NO_GENERATION, Generation, Plan, PlanId
from dnsplan.ports import Zone
from enactor.notes import held_at
from enactor.ports import Outside
from enactor.progress import Desired
from enactor.rules.auditing import judge_page
from enactor.rules.drift import DRIFT_HELD, Drift, returned
from enactor.rules.exceptions import HeldName
from enactor.settings import Pace
from enactor.viewing import Viewer, Window

# A fence is read behind each window; a person sees progress after each.
PAGES_A_WINDOW = 5

PAGE_SETS = 300

# A plan of several batches is waited for this long, or the zone is being written all the time.
WAITS_MAX, WAIT_S = 30, 2.0

_PACE = Pace(interval_s=2.0, fence_check_s=60.0, stagger_s=0.0, requests_per_s=1.0)


class CannotAudit(DnsplanError):
    """There is no whole plan to compare the zone with; the text says why and what to run."""


@dataclass(frozen=True, slots=True)
class Audit:
    """What stands otherwise than planned. `drift_held` are the names of it that policy holds;
    `held` keep older records for a reason of their own, and are no drift. `returned` stands where
    an operator ended a name: it may be others' by now."""

    generation: Generation
    record_sets: int
    pages: int
    drift: tuple[Drift, ...]
    drift_held: frozenset[Name]
    held: tuple[HeldName, ...]
    returned: tuple[Drift, ...]


@dataclass(slots=True)
class _Standing:
    """The fence as it was read last, and its plan."""

    fence: SeenFence
    plan: Plan
    desired: Desired
    held: Mapping[Name, HeldName]


class Looking:
    """One operator's look through zones."""

    def __init__(self, outside: Outside) -> None:
        """Only what reads is used of it."""
        self._outside = outside
        self._viewer = Viewer(outside, pace=_PACE)

    async def look(self, zone: Zone, progress: Callable[[int, int], None]) -> Audit:
        """Read the zone from end to end. `progress` gets pages read, and about how many there are.

        CannotAudit or another DnsplanError when it cannot be read whole.
        """
        at = await self._standing(zone, None)
        drift: list[Drift] = []
        there: list[Drift] = []
        start: Name | None = None
        sets = pages = 0
        while True:
            progress(pages, max(pages + 1, -(-len(at.plan.content) // PAGE_SETS)))
            window = await self._viewer.window(zone, start, at.fence, pages_max=PAGES_A_WINDOW)
            if not isinstance(window, Window):
                at = await self._standing(zone, window.found)
                continue
            wanted = at.desired.between(window.start, window.following)
            verdict = judge_page(window.listed, wanted, at.held, repair_drift=False)
            drift.extend(verdict.drift)
            words = {(one.name, one.type) for one in at.plan.retired if one.name not in at.held}
            there.extend(returned(window.listed, wanted, words))
            sets += len(window.listed)
            pages = -(-sets // PAGE_SETS)
            start = window.following
            if start is None:
                return _audit(at, drift, there, sets=sets, pages=pages)

    async def _standing(self, zone: Zone, fence: SeenFence | NoFence | None) -> _Standing:
        """The plan that stands whole, waited for where one is being applied."""
        for _ in range(WAITS_MAX):
            fence = fence or await self._outside.records.read_fence(zone)
            if not isinstance(fence, SeenFence) or fence.record.generation == NO_GENERATION:
                text = f"{zone.label} has no fence with a plan; look at dns-runbook status"
                raise CannotAudit(text)
            if fence.record.is_complete:
                return await self._loaded(zone, fence)
            await self._outside.clock.sleep(WAIT_S)
            fence = None
        text = f"a plan of {zone.label} is half done for {WAITS_MAX * WAIT_S:g} s; run it again"
        raise CannotAudit(text)

    async def _loaded(self, zone: Zone, fence: SeenFence) -> _Standing:
        seen = fence.record
        plan_id = PlanId(zone.label, seen.generation, seen.digest)
        try:
            plan = contents(await self._outside.archive.load(plan_id))
            held = await held_at(self._outside.exceptions, zone.label, seen)
        except DnsplanError as error:
            text = f"plan {seen.generation} of {zone.label} cannot be read, so nothing is compared"
            raise CannotAudit(f"{text}: {error}") from error
        return _Standing(fence, plan, Desired(plan), held or {})


def _audit(
    at: _Standing, drift: list[Drift], there: list[Drift], *, sets: int, pages: int
) -> Audit:
    by_policy = {name for name, one in at.held.items() if one.reason == DRIFT_HELD}
    return Audit(
        generation=at.fence.record.generation,
        record_sets=sets,
        pages=pages,
        drift=tuple(drift),
        drift_held=frozenset(by_policy),
        held=tuple(at.held[name] for name in sorted(at.held) if name not in by_policy),
        returned=tuple(there),
    )
