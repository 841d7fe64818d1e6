"""Narration: what calls, outcomes and states are called in a scenario. Decides nothing.

Ids of chance (nonces, owners, digests) are numbered as they come, so that a text says which are the
same and survives another seed.
"""

import re
from dataclasses import dataclass, field
from typing import Any, assert_never

from dnsplan.outcomes import Accepted, ConditionFailed, Refused, Unknown, Written
from enactor.rules import outcomes as enactor
from planner.rules import outcomes as planner
from runbooks.controls.froze import Froze, Frozen, HalfFrozen, Unfrozen

# What a process does by each call, as scenarios say it. Calls that are left out are never told.
DOES = {
    "read item": "reads the table",
    "read fence": "reads the fence",
    "list page": "lists the zone",
    "list name": "looks at a name",
    "submit": "sends",
    "poll change": "polls",
    "load plan": "loads a plan",
    "store plan": "stores the body",
    "bury plan": "deletes a plan",
    "write create": "makes the item",
    "write publish": "moves head",
    "write claim": "claims",
    "write record_applied": "notes it applied",
    "write record_ahead": "notes that it is ahead",
    "write raise_floor": "raises the floor",
    "write freeze": "freezes the item",
    "write thaw": "thaws the item",
    "write pin": "pins",
    "write unpin": "unpins",
}

# Told by what changed when the pass is over: there may be many of them.
UNTOLD = frozenset({"bury plan"})

_TOKEN = re.compile(r"\b(?:[0-9a-f]{64}|[0-9a-f]{32}|[0-9a-f]{16})\b")
_SERIAL = re.compile(r"\b([CZ])0{5,}(\d+)\b")


@dataclass(slots=True)
class Tokens:
    """The ids of one run by their order of appearance."""

    seen: dict[str, str] = field(default_factory=dict)

    def named(self, text: str) -> str:
        """The text with each id as its number."""
        plain = _TOKEN.sub(lambda hit: self.seen.setdefault(hit[0], f"#{len(self.seen) + 1}"), text)
        return _SERIAL.sub(r"\1\2", plain)


def answered(result: Any) -> str:
    """What came of a call, as its sender sees it."""
    match result:
        case Written() | None | int():
            return "done"
        case Accepted():
            return "accepted"
        case ConditionFailed() | Refused():
            return "refused"
        case Unknown(reason):
            return f"no answer ({reason})"
        case BaseException():
            return f"no answer ({result})"
        case _:
            return "done"


def enacted(outcome: enactor.Outcome) -> str:
    """How an enactor's pass ended."""
    match outcome:
        case enactor.InSync(generation):
            return f"in sync with plan {generation}"
        case enactor.Waiting(generation):
            return f"waits: another is at plan {generation}"
        case enactor.Applied():
            return _applied(outcome)
        case enactor.Fenced(expected, found):
            return f"fenced: expected {expected}, found {found}; drops everything"
        case enactor.Held(rule, text, command):
            return f"holds ({rule}): {text}; next: {command}"
        case enactor.Unknown(reason):
            return f"does not know what came of it ({reason}); reads anew next time"
        case _:
            assert_never(outcome)


def _applied(outcome: enactor.Applied) -> str:
    sure = "in sync everywhere" if outcome.confirmed else "not yet known to be in sync"
    held = f", {outcome.held} held" if outcome.held else ""
    notes = "".join(f"; {note}" for note in outcome.notes)
    return f"plan {outcome.generation} is applied{held}, {sure}{notes}"


def planned(outcome: planner.PlanOutcome) -> str:
    """How a planner's pass ended."""
    match outcome:
        case planner.Unchanged(generation):
            return f"plan {generation} says it all"
        case planner.Waiting(why):
            return f"waits: {why}"
        case planner.Pending(generation):
            return f"would publish plan {generation}"
        case planner.Published(plan_id):
            return f"published plan {plan_id.generation}"
        case planner.Refused(violations):
            return f"refused: {'; '.join(map(str, violations))}"
        case _:
            return _got_nowhere(outcome)


def cleaned(outcome: planner.CleanOutcome) -> str:
    """How a cleanup pass ended."""
    match outcome:
        case planner.Cleaned(floor, deleted, swept):
            orphans = f", {swept} orphans swept" if swept else ""
            return f"floor {floor}, {deleted} plans deleted{orphans}"
        case _:
            return _got_nowhere(outcome)


def froze(outcome: Froze) -> str:
    """How a freeze ended for one zone."""
    match outcome:
        case Frozen(_, freeze_id):
            return f"frozen by {freeze_id}: nothing lands any more"
        case HalfFrozen() | Unfrozen():
            return str(outcome)
        case _:
            assert_never(outcome)


def _got_nowhere(outcome: planner.Overtaken | planner.Unsettled | planner.Held) -> str:
    match outcome:
        case planner.Overtaken(why):
            return f"overtaken: {why}"
        case planner.Unsettled(reason):
            return f"does not know what came of it ({reason}); reads anew next time"
        case planner.Held(rule, text, command):
            return f"holds ({rule}): {text}; next: {command}"
        case _:
            assert_never(outcome)
