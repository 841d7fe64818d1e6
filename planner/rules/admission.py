"""How many plans a minute a zone gets. What is not admitted is not queued.

A candidate that must wait is dropped; the next cycle makes a newer one from what is true then, so
that a burst of changes becomes one plan and nothing stale is ever published.
"""

from collections.abc import Sequence

WINDOW_S = 60.0


def may_publish(published_s: Sequence[float], *, now_s: float, plans_per_min_max: int) -> bool:
    """Whether one more plan fits into the minute that ends now."""
    return len(within_window(published_s, now_s=now_s)) < plans_per_min_max


def within_window(published_s: Sequence[float], *, now_s: float) -> tuple[float, ...]:
    """The publications that still count."""
    return tuple(second for second in published_s if second > now_s - WINDOW_S)
