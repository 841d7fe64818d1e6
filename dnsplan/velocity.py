"""How fast a name's targets may be taken out, judged from the ledger that the plans carry.

In a window no more than max(1 target, share x targets) of a name's targets goes, and never so many
that fewer than the floor stay while targets are left (P7). The ledger travels with the plans, so
that it survives restarts, holds across planners, and lets an enactor judge a catch-up after an
outage by the time that has passed instead of refusing it for ever.
"""

from msgspec import Struct

from dnsplan.plan import NameLedger


class VelocityLimit(Struct, frozen=True, gc=False):
    """The limit for one name: at least `min_targets` stay; share is 0 to 1; window in seconds."""

    min_targets: int
    max_removed_share: float
    window_s: int


def allowance(limit: VelocityLimit, targets: int) -> int:
    """Targets that may be taken out in one window."""
    # 0.29 x 100 is 28.999999999999996 in binary; the sum is far below one target.
    return max(1, int(limit.max_removed_share * targets + 1e-9))


def spent_in_window(ledger: NameLedger, limit: VelocityLimit, now_s: int) -> int:
    """Targets already taken out in the window that ends now."""
    return sum(count for second, count in ledger.spent if second > now_s - limit.window_s)


def may_remove(ledger: NameLedger, limit: VelocityLimit, *, answering: int, now_s: int) -> int:
    """How many of the targets that answer now may be taken out at this moment."""
    left = allowance(limit, ledger.targets) - spent_in_window(ledger, limit, now_s)
    above_floor = answering - min(limit.min_targets, answering)
    return max(0, min(left, above_floor))


def charged(
    ledger: NameLedger, limit: VelocityLimit, *, removed: int, now_s: int
) -> tuple[tuple[int, int], ...]:
    """The spent list after a removal; entries older than the window are dropped."""
    kept = tuple(entry for entry in ledger.spent if entry[0] > now_s - limit.window_s)
    return (*kept, (now_s, removed)) if removed else kept


def catch_up_allowance(limit: VelocityLimit, *, targets: int, elapsed_s: int) -> int:
    """Targets that plans may together have taken out since a plan that is `elapsed_s` older.

    One window's worth is always allowed, and one more for each whole window passed.
    """
    return allowance(limit, targets) * (1 + max(0, elapsed_s) // limit.window_s)
