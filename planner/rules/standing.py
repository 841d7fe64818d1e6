"""The newest published plan, indexed by name and type: what a candidate is compared with.

It is made once for each plan and kept, since a plan never changes. A zone without a plan has the
empty one. It says what was planned, never what the zone holds.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import groupby

from msgspec import structs

from dnsplan.plan import NameLedger, Plan, PlanId, Retirement
from dnsplan.records import RecordSet, Unit, unit_of
from dnsplan.shards import seen_through

# An author is taken to stand still no longer than this between making and publishing a plan.
AUTHOR_STALL_MAX_S = 4 * 3_600


@dataclass(frozen=True, slots=True)
class Standing:
    """A plan's record sets and ledger by unit; `plan` is None before the first one."""

    plan: Plan | None = None
    plan_id: PlanId | None = None
    units: Mapping[Unit, tuple[RecordSet, ...]] = field(default_factory=dict)
    ledger: Mapping[Unit, NameLedger] = field(default_factory=dict)

    @property
    def content(self) -> tuple[RecordSet, ...]:
        """All record sets, sorted as in the plan."""
        return () if self.plan is None else self.plan.content

    def answering(self, unit: Unit) -> tuple[RecordSet, ...]:
        """What a name and type answers, through its shards where it has any."""
        return seen_through(self.units, unit)

    @property
    def retired(self) -> tuple[Retirement, ...]:
        """What operators have ended so far."""
        return () if self.plan is None else self.plan.retired

    @property
    def created_s(self) -> int | None:
        """When it was planned."""
        return None if self.plan is None else self.plan.created_s


NOTHING = Standing()


def standing_of(plan: Plan, plan_id: PlanId, *, seen_s: int | None = None) -> Standing:
    """Index a plan; its content is sorted by key, so equal units lie together.

    `seen_s`: when it was first seen to be the newest, in seconds since 1970. What it took out
    counts from then: its author may have stood still between making and publishing it.
    """
    return Standing(
        plan=plan,
        plan_id=plan_id,
        units={unit: tuple(group) for unit, group in groupby(plan.content, key=unit_of)},
        ledger=ledger_seen(plan, seen_s=seen_s),
    )


def ledger_seen(plan: Plan, *, seen_s: int | None) -> dict[Unit, NameLedger]:
    """A plan's ledger by unit, with what it took out counted from when it was seen."""
    return {(one.name, one.type): _seen_at(one, plan, seen_s) for one in plan.ledger}


def _seen_at(ledger: NameLedger, plan: Plan, seen_s: int | None) -> NameLedger:
    if seen_s is None or not ledger.spent:
        return ledger
    *earlier, (second, removed) = ledger.spent
    is_older = second < plan.created_s - 1  # a plan before this one took them out
    if is_older or not second < seen_s <= second + AUTHOR_STALL_MAX_S:
        return ledger
    return structs.replace(ledger, spent=(*earlier, (seen_s, removed)))
