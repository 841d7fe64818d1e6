"""Whether a zone has room for what a plan adds, by Route 53's own count and limit.

A batch above the limit is refused without naming anybody, so each of its names would be tried alone
and held. One look ahead says it once, with the numbers, before anything is sent.
"""

from msgspec import Struct

# Raising a limit is a support case of some days, so the word comes well ahead.
WARNED_SHARE = 0.9


class ZoneQuota(Struct, frozen=True):
    """How many record sets a zone holds, and how many it may."""

    count: int
    limit: int


def refusal(label: str, quota: ZoneQuota, growth: int) -> str | None:
    """Why so many more record sets have no room; None when they have, or when none is added."""
    after = quota.count + growth
    if growth <= 0 or after <= quota.limit:
        return None
    return (
        f"{label} holds {quota.count} record sets and the plan adds {growth}: {after} is above"
        f" Route 53's limit of {quota.limit} a zone; ask AWS for a higher limit"
    )


def warning(label: str, quota: ZoneQuota) -> str | None:
    """That a zone comes near to its limit, with both numbers."""
    if quota.count < quota.limit * WARNED_SHARE:
        return None
    share = f"{100 * WARNED_SHARE:g} %"
    return (
        f"{label} holds {quota.count} of {quota.limit} record sets, more than {share}; ask AWS for"
        " a higher limit"
    )
