"""How many plans a minute a zone gets: fewer, but at least one, while plans wait to be applied.

What is not admitted is not queued.

A candidate that must wait is dropped; the next cycle makes a newer one from what is true then, so
that a burst of changes becomes one plan and nothing stale is ever published.
"""

from collections.abc import Iterable, Sequence

from dnsplan.generation import GenerationItem
from dnsplan.plan import Generation, plans_after
from planner.rules.holds import before_planning

WINDOW_S = 60.0

# No more are counted at once: the most that a config may let through in a minute.
COUNTED_MAX = 600

# What enactors can make of a minute: an account's five requests a second, six to a zone and plan.
ZONES_PER_MIN = 50


def paced(plans_per_min_max: int, *, unapplied: int, zones_behind: int) -> int:
    """How many plans a minute a zone may have, by the whole minutes of work that wait already.

    A minute's own plans are no backlog: Route 53 may take that long to be in sync. One a minute is
    always left, so that what a zone in danger needs is never later than that.
    """
    minutes = unapplied // plans_per_min_max + zones_behind // ZONES_PER_MIN
    return max(1, plans_per_min_max // (1 + minutes))


def unapplied_plans(item: GenerationItem) -> int:
    """Plans of the zone that were published and are not known to be applied."""
    return plans_after(item.applied, item.head)


def zones_behind(items: Iterable[GenerationItem], *, incarnation: str) -> int:
    """Zones that give enactors work. One that an operator froze or pinned, or whose table lost
    history, gives none until somebody acts, and slows nobody else down."""
    return sum(
        unapplied_plans(item) > 0
        and item.frozen is None
        and item.pin is None
        and before_planning(item, incarnation) is None
        for item in items
    )


def may_publish(published_s: Sequence[float], *, now_s: float, plans_per_min_max: int) -> bool:
    """Whether one more plan fits into the minute that ends now."""
    return len(within_window(published_s, now_s=now_s)) < plans_per_min_max


def counted(
    published_s: Sequence[float], *, known: Generation | None, head: Generation, now_s: float
) -> tuple[float, ...]:
    """The publications that still count, once head was seen here. Whoever made a plan, it counts
    from when it was seen: the pace is the zone's. What stood at the first look is of no known age
    and counts for none."""
    fresh = 0 if known is None else min(max(0, plans_after(known, head)), COUNTED_MAX)
    return (*within_window(published_s, now_s=now_s), *(now_s,) * fresh)


def within_window(published_s: Sequence[float], *, now_s: float) -> tuple[float, ...]:
    """The publications that still count."""
    return tuple(second for second in published_s if second > now_s - WINDOW_S)
