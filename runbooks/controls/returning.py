"""What becomes of a rollback that is not pinned: the planner goes back to what it wants. Pure.

Going back may take out targets that the rollback brought in. Velocity lets only so many go in a
window, so the planner then needs more than its next pass.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby

from dnsplan.guardrails import Limits, answers
from dnsplan.names import display
from dnsplan.plan import Plan
from dnsplan.records import RecordSet, Unit, unit_of
from dnsplan.shards import seen_through
from dnsplan.velocity import may_remove

NAMES_SHOWN_MAX = 5


@dataclass(frozen=True, slots=True)
class Withheld:
    """A name that cannot go back at once: `at_once` of `wanted` targets may be taken out."""

    unit: Unit
    at_once: int
    wanted: int
    window_s: int

    def __str__(self) -> str:
        """In words."""
        name, kind = self.unit
        return (
            f"{display(name)} {kind} ({self.at_once} of {self.wanted} targets may go"
            f" in {self.window_s} s)"
        )


def withheld(rolled_back: Plan, newest: Plan, limits: Limits) -> tuple[Withheld, ...]:
    """The names for which velocity withholds the way from a rollback back to the newest plan."""
    before, after = answers_by_unit(rolled_back.content), answers_by_unit(newest.content)
    found = []
    for ledger in rolled_back.ledger:
        unit = (ledger.name, ledger.type)
        answering = before.get(unit, frozenset())
        wanted = len(answering - after.get(unit, frozenset()))
        limit = limits.of(unit)
        now_s = rolled_back.created_s
        at_once = may_remove(ledger, limit, answering=len(answering), now_s=now_s)
        if wanted > at_once:
            found.append(Withheld(unit, at_once, wanted, limit.window_s))
    return tuple(found)


def what_follows(label: str, held_back: tuple[Withheld, ...]) -> str:
    """How long the rollback will stand without a pin, in one line."""
    if not held_back:
        return f"{label}: the planner plans this away at its next pass; --pin keeps it"
    named = ", ".join(map(str, held_back[:NAMES_SHOWN_MAX]))
    more = len(held_back) - NAMES_SHOWN_MAX
    rest = f" and {more} more" if more > 0 else ""
    return (
        f"{label}: the planner plans this away, but velocity withholds part of it:"
        f" {named}{rest}; --pin keeps all of it"
    )


def answers_by_unit(content: Iterable[RecordSet]) -> dict[Unit, frozenset[str]]:
    """What each name and type of a plan can answer, through its shards; the content is sorted."""
    units = {unit: tuple(group) for unit, group in groupby(content, key=unit_of)}
    return {unit: answers(seen_through(units, unit)) for unit in units}
