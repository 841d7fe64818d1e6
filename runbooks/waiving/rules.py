"""What a waiver would let go, name by name, from the newest plan's own ledger. Pure.

It says what is allowed, not what will happen: health at the planner's next pass decides that.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby

from dnsplan.guardrails import Limits, answers
from dnsplan.names import display
from dnsplan.plan import Plan
from dnsplan.records import Unit, unit_of
from dnsplan.shards import seen_through
from dnsplan.velocity import may_remove
from planner.rules.waivers import lifted_limit


@dataclass(frozen=True, slots=True)
class Allowed:
    """One pool-driven name and type: how many of its answers may go, and how many then."""

    unit: Unit
    answering: int
    healthy: int
    now: int
    then: int

    def __str__(self) -> str:
        """In one line."""
        name, kind = self.unit
        return (
            f"{display(name)} {kind}: {self.answering} answer, {self.healthy} healthy when planned;"
            f" {self.now} may go now, {self.then} then"
        )


def allowed_by(
    rules: Iterable[str], standing: Iterable[str], plan: Plan, limits: Limits, *, now_s: int
) -> tuple[Allowed, ...]:
    """Every pool-driven name and type for which these rules, beside those that stand already,
    change how many may go."""
    content = {unit: tuple(group) for unit, group in groupby(plan.content, key=unit_of)}
    before, after = set(standing), {*standing, *rules}
    found = []
    for ledger in plan.ledger:
        unit = (ledger.name, ledger.type)
        answering = len(answers(seen_through(content, unit)))
        now, then = (
            may_remove(
                ledger, lifted_limit(limits.of(unit), lift), answering=answering, now_s=now_s
            )
            for lift in (before, after)
        )
        if then > now:
            found.append(Allowed(unit, answering, ledger.healthy, now, then))
    return tuple(found)
