"""Looks through a zone that holds its plan, a page at a time, for what others changed in it.

A page counts only if the fence was the live plan's before it and is the same value after it. The
place reached is kept in memory alone: whoever starts anew begins at the zone's beginning. Nothing
is written here, and nothing is said about names that the plan neither states nor has ended.
"""

from dataclasses import dataclass, field

from dnsplan.fence import NoFence, SeenFence
from dnsplan.generation import GenerationItem
from dnsplan.names import Name
from dnsplan.plan import PlanId
from dnsplan.records import Unit, unit_of
from enactor.notes import held_at
from enactor.ports import Outside
from enactor.progress import Desired
from enactor.rules import adoption
from enactor.rules.adoption import Done
from enactor.rules.auditing import judge_page, pages_of
from enactor.rules.drift import Drift, returned
from enactor.settings import Pace, ZoneTask
from enactor.shelf import Shelf
from enactor.viewing import Viewer, Window

# Drift seldom comes alone: after it this many pages are looked at as soon as there are requests to
# spare. More would spend a large zone's whole round on one record.
HURRIED_MAX = 10

# Another writer may move the fence while a page is read; it is then read once more, no oftener.
LOOKS_MAX = 2


@dataclass(frozen=True, slots=True)
class Looked:
    """What one look came to: the fence as it was read last, and the names that stand otherwise."""

    fence: SeenFence | NoFence
    to_mend: frozenset[Name] = frozenset()


@dataclass(slots=True)
class _Round:
    """One zone's way around: where the next page starts, and what was found so far.

    `pages_before` is 0 until the zone was looked through once; `pages_planned` is what its plan
    alone would fill.
    """

    fence: SeenFence | None = None
    start: Name | None = None
    pages: int = 0
    pages_before: int = 0
    pages_planned: int = 1
    known: dict[Unit, Drift] = field(default_factory=dict)
    returned: dict[Unit, Drift] = field(default_factory=dict)
    hurried: int = 0


class Auditor:
    """One enactor's place in each zone."""

    def __init__(self, outside: Outside, shelf: Shelf, *, pace: Pace) -> None:
        """`shelf` is shared with whoever applies the same plans."""
        self._records = outside.records
        self._exceptions = outside.exceptions
        self._shelf = shelf
        self._viewer = Viewer(outside, pace=pace)
        self._rounds: dict[str, _Round] = {}

    def pages(self, label: str, *, counted: int | None) -> int:
        """How many pages a round of this zone has: as many as the last one had; before there was
        one, as many as its plan or the zone's `counted` record sets fill."""
        found = self._rounds.get(label, _Round())
        expected = found.pages_before or max(found.pages_planned, pages_of(counted or 0))
        return max(expected, found.pages + (0 if found.start is None else 1))

    def hurries(self, label: str) -> bool:
        """Whether drift was found on one of the last pages."""
        found = self._rounds.get(label)
        return found is not None and found.hurried > 0

    def known(self, label: str) -> tuple[Drift, ...]:
        """The drift of a zone that was seen and not seen to end."""
        found = self._rounds.get(label)
        return () if found is None else tuple(found.known[unit] for unit in sorted(found.known))

    def returned(self, label: str) -> tuple[Drift, ...]:
        """What stands where an operator ended a name, as it was seen last."""
        found = self._rounds.get(label)
        return (
            () if found is None else tuple(found.returned[unit] for unit in sorted(found.returned))
        )

    def forget(self, label: str, *, but: frozenset[Name]) -> None:
        """What was known to drift was mended and read back, but for names that are held."""
        found = self._rounds.get(label)
        if found is not None:
            found.known = {unit: one for unit, one in found.known.items() if unit[0] in but}

    async def look(self, task: ZoneTask, item: GenerationItem, target: PlanId) -> Looked:
        """Read the next page. DnsplanError when it cannot be read; the place stays then."""
        here = self._rounds.setdefault(task.zone.label, _Round())
        fence: SeenFence | NoFence
        if here.fence is not None and here.fence.listed.values[0] == item.applied_fence:
            fence = here.fence
        else:
            fence = await self._records.read_fence(task.zone)
        for _ in range(LOOKS_MAX):
            here.fence = None
            decision = adoption.after_fence(item, target, fence)
            if not isinstance(decision, Done):
                break
            window = await self._viewer.window(task.zone, here.start, decision.fence, pages_max=1)
            if isinstance(window, Window):
                here.fence = decision.fence
                return await self._judge(task, target, decision.fence, window)
            fence = window.found
        return Looked(fence)

    async def _judge(
        self, task: ZoneTask, target: PlanId, fence: SeenFence, window: Window
    ) -> Looked:
        here, label = self._rounds[task.zone.label], task.zone.label
        shelved = await self._shelf.take(target, standing=fence.record)
        desired = shelved.desired
        wanted = desired.between(window.start, window.following)
        # Without its note nobody knows which names are held: all that differs is looked at anew.
        held = await held_at(self._exceptions, label, fence.record) or {}
        verdict = judge_page(window.listed, wanted, held, repair_drift=task.repair_drift)
        for one in wanted:
            here.known.pop(unit_of(one), None)
        here.known.update({one.unit: one for one in verdict.drift})
        here.returned = {unit: one for unit, one in here.returned.items() if unit[0] not in window}
        words = {(one.name, one.type) for one in shelved.plan.retired}
        there = returned(window.listed, wanted, words)
        here.returned.update({one.unit: one for one in there if one.name not in held})
        here.hurried = HURRIED_MAX if verdict.to_mend else max(0, here.hurried - 1)
        here.start, here.pages = window.following, here.pages + 1
        here.pages_planned = pages_of(len(shelved.plan.content))
        if window.following is None:
            _begin_anew(here, desired)
        return Looked(fence, verdict.to_mend)


def _begin_anew(here: _Round, desired: Desired) -> None:
    """A round is over; what is not stated any more is nobody's drift."""
    here.pages_before, here.pages = here.pages, 0
    here.known = {unit: one for unit, one in here.known.items() if desired.of(unit[0])}
