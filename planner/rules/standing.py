"""The newest published plan, indexed by name and type: what a candidate is compared with.

It is made once for each plan and kept, since a plan never changes. A zone without a plan has the
empty one. It says what was planned, never what the zone holds.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import groupby

from dnsplan.plan import NameLedger, Plan, PlanId, Retirement
from dnsplan.records import RecordSet, Unit, unit_of


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

    @property
    def retired(self) -> tuple[Retirement, ...]:
        """What operators have ended so far."""
        return () if self.plan is None else self.plan.retired

    @property
    def created_s(self) -> int | None:
        """When it was planned."""
        return None if self.plan is None else self.plan.created_s


NOTHING = Standing()


def standing_of(plan: Plan, plan_id: PlanId) -> Standing:
    """Index a plan; its content is sorted by key, so equal units lie together."""
    return Standing(
        plan=plan,
        plan_id=plan_id,
        units={unit: tuple(group) for unit, group in groupby(plan.content, key=unit_of)},
        ledger={(one.name, one.type): one for one in plan.ledger},
    )
