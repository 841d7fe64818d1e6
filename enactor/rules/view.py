"""What a zone is taken to hold, and which of its record sets are ours to change.

The zone need not be listed when the fence itself says what it holds: the whole of plan N, nothing
held back, and the digest is plan N's. Everything else is listed. What the plans do not manage is
left out here, so that no later step can touch it.
"""

from collections.abc import Iterable

from dnsplan.fence import FenceRecord
from dnsplan.plan import NO_GENERATION, Generation, Plan, managed_units
from dnsplan.records import RecordSet, Unit, unit_of


def says_all(fence: FenceRecord) -> bool:
    """Whether the fence alone says what the managed names hold."""
    return fence.is_complete and fence.held == 0


def ours(plan: Plan, base: Plan | None) -> frozenset[Unit]:
    """Names and types that may be changed: what the plan states, and what its base stated."""
    return managed_units(plan) | (managed_units(base) if base is not None else frozenset())


def restricted(
    listed: Iterable[RecordSet], units: frozenset[Unit], plan: Plan
) -> tuple[RecordSet, ...]:
    """The listed record sets that are ours, retired ones among them; the fence never is."""
    retired = {(one.name, one.type) for one in plan.retired}
    return tuple(
        one
        for one in listed
        if unit_of(one) in units or unit_of(one) in retired or (one.name, None) in retired
    )


def half_done_before(fence: FenceRecord, *, target: Generation, applied: Generation) -> range:
    """The generations of which something may stand besides the last one known to stand whole.

    Those after it that were overtaken half done, up to the fence; mostly there are none. Where the
    fence's plan began from one before it, Route 53 had lost changes: what they had ended stands
    again, as stated since the plan that it began from.
    """
    upto = min(fence.generation, target - 1) + 1
    if fence.is_complete:
        return range(0)
    if NO_GENERATION < fence.base < applied:
        return range(fence.base, upto)
    if fence.generation == target and fence.base <= applied:
        return range(0)
    return range(min(applied + 1, fence.generation), upto)
