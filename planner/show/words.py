"""Outcomes and verdicts in words, and the exit codes that go with them."""

from collections.abc import Iterable
from typing import assert_never

from dnsplan import exits
from dnsplan.names import typed
from dnsplan.pages import path_of
from planner.rules.outcomes import (
    Cleaned,
    CleanOutcome,
    Held,
    HoldRule,
    Overtaken,
    Pending,
    PlanOutcome,
    Published,
    Refused,
    Unchanged,
    Unsettled,
    Waiting,
)
from planner.rules.retention import Verdict
from planner.rules.waivers import waivers_for

# What could not be asked is a failure of this run; every other hold is a decision.
_FAILURES = frozenset({HoldRule.READ_FAILED, HoldRule.STORE_FAILED})


def plan_words(outcome: PlanOutcome) -> str:
    """One sentence for a person."""
    match outcome:
        case Unchanged(generation):
            return f"nothing to do: generation {generation} says it all"
        case Waiting(why):
            return f"waiting: {why}"
        case Pending(generation):
            return f"changes pending: generation {generation} is ready (--publish publishes it)"
        case Published(plan_id):
            return f"published generation {plan_id.generation}, digest {plan_id.digest[:12]}"
        case Refused(violations):
            names = sorted({one.name for one in violations})
            rules = sorted({one.rule for one in violations})
            noun = "guardrail" if len(rules) == 1 else "guardrails"
            waived = "".join(f"; {one}" for one in waivers_for(violations))
            return (
                f"refused by {len(rules)} {noun}; next: dns-runbook explain {typed(names[0])}"
                f"{waived}; page: {path_of(rules[0])}"
            )
        case Held():
            return held_words(outcome)
        case Overtaken(why) | Unsettled(why):
            return f"{type(outcome).__name__.lower()}: {why}; run it again"
        case _:
            assert_never(outcome)


def held_words(outcome: Held) -> str:
    """A hold with what to type next, and where to read on."""
    return (
        f"held ({outcome.rule}): {outcome.text}; next: {outcome.command};"
        f" page: {path_of(outcome.rule)}"
    )


def clean_words(outcome: CleanOutcome) -> str:
    """One sentence for a person."""
    match outcome:
        case Cleaned(floor, deleted, swept):
            text = f"floor {floor}, {deleted} plans deleted"
            return f"{text}, {swept} stray chunks swept" if swept else text
        case Held():
            return held_words(outcome)
        case Overtaken(why) | Unsettled(why):
            return f"{type(outcome).__name__.lower()}: {why}; run it again"
        case _:
            assert_never(outcome)


def verdict_words(verdict: Verdict, *, floor: int) -> str:
    """Why a plan stays, or what became of it."""
    row = verdict.row
    if verdict.is_buried:
        return f"deleted before by {row.deleted_by}"
    if verdict.kept_because:
        return "kept: " + "; ".join(reason.value for reason in verdict.kept_because)
    return "deleted" if row.plan_id.generation < floor else "deletable"


def plan_exit_code(outcomes: Iterable[PlanOutcome]) -> int:
    """Failed before refused before pending before fine."""
    return _worst(map(_plan_code, outcomes))


def clean_exit_code(outcomes: Iterable[CleanOutcome]) -> int:
    """Failed before held before fine. A zone without a plan has nothing to clean."""
    return _worst(map(_clean_code, outcomes))


def _plan_code(outcome: PlanOutcome) -> int:
    match outcome:
        case Unchanged() | Published():
            return exits.FINE
        case Waiting() | Pending():
            return exits.PENDING
        case Refused():
            return exits.REFUSED
        case Held(rule):
            return exits.FAILED if rule in _FAILURES else exits.REFUSED
        case Overtaken() | Unsettled():
            return exits.FAILED
        case _:
            assert_never(outcome)


def _clean_code(outcome: CleanOutcome) -> int:
    match outcome:
        case Cleaned():
            return exits.FINE
        case Held(HoldRule.NO_ITEM):
            return exits.FINE
        case Held(rule):
            return exits.FAILED if rule in _FAILURES else exits.REFUSED
        case Overtaken() | Unsettled():
            return exits.FAILED
        case _:
            assert_never(outcome)


def _worst(codes: Iterable[int]) -> int:
    order = (exits.FAILED, exits.REFUSED, exits.PENDING, exits.FINE)
    return min(codes, key=order.index, default=exits.FINE)
