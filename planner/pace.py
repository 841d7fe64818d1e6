"""One zone's pace as one planner keeps it: who is first, and how many plans this minute had.

It remembers times on a clock that nobody sets. Losing it makes one minute's plans more, and takes
nothing out sooner.
"""

from dataclasses import dataclass

from dnsplan.generation import GenerationItem
from dnsplan.plan import Generation
from planner.rules.admission import counted, may_publish, paced, unapplied_plans
from planner.rules.outcomes import Waiting


@dataclass(slots=True)
class Pace:
    """What of the zone was published, and since when something has been pending on which head."""

    _published_s: tuple[float, ...] = ()
    _head: Generation | None = None
    _pending_on: Generation | None = None
    _pending_s: float = 0.0

    def notice(self, head: Generation, *, now_s: float) -> None:
        """Count the plans up to head, another planner's too."""
        known = self._head
        self._published_s = counted(self._published_s, known=known, head=head, now_s=now_s)
        self._head = head if known is None else max(known, head)

    def settle(self) -> None:
        """Nothing is pending any more."""
        self._pending_on = None

    def why_wait(
        self,
        item: GenerationItem,
        *,
        now_s: float,
        wait_s: float,
        plans_per_min_max: int,
        zones_behind: int,
    ) -> Waiting | None:
        """What one more plan waits for: another planner for `wait_s`, then its place in the minute.
        None lets it go."""
        if self._pending_on != item.head:
            self._pending_on, self._pending_s = item.head, now_s
        if now_s - self._pending_s < wait_s:
            return Waiting("another AZ's planner is first; this one plans if it does not")
        unapplied = unapplied_plans(item)
        limit = paced(plans_per_min_max, unapplied=unapplied, zones_behind=zones_behind)
        if may_publish(self._published_s, now_s=now_s, plans_per_min_max=limit):
            return None
        backlog = f"{unapplied} plans wait here, {zones_behind} zones are behind"
        return Waiting(f"max_plans_per_min: {limit} a minute are let through; {backlog}")
