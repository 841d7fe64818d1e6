"""Reports as one JSON object each for scripts: numbers are numbers, absent is null."""

from typing import Any

from planner.cleanup import CleanReport
from planner.cycle import ZoneReport
from planner.rules.outcomes import (
    Cleaned,
    CleanOutcome,
    Held,
    Overtaken,
    Pending,
    PlanOutcome,
    Published,
    Unsettled,
    Waiting,
)
from planner.show.rows import guardrail_verdicts, rows_of
from planner.show.words import clean_words, plan_words, verdict_words


def plan_facts(report: ZoneReport) -> dict[str, Any]:
    """One zone's pass. `next` is the generation that is pending or was published."""
    standing = report.standing
    head = standing.plan.generation if standing is not None and standing.plan is not None else None
    return {
        "label": report.wish.label,
        "zone": report.wish.zone,
        "outcome": type(report.outcome).__name__.lower(),
        "words": plan_words(report.outcome),
        "head": head,
        "next": _next(report.outcome),
        "held": _held(report.outcome),
        "waits": report.waits or None,
        "changes": [
            {
                "sign": row.sign,
                "name": row.unit[0],
                "type": row.unit[1],
                "answer": row.answer or None,
                "target": row.target or None,
                "why": row.why,
            }
            for row in rows_of(report)
        ],
        "guardrails": {
            rule: list(findings) for rule, findings in guardrail_verdicts(report).items()
        },
    }


def clean_facts(report: CleanReport) -> dict[str, Any]:
    """One zone's cleanup."""
    outcome = report.outcome
    done = outcome if isinstance(outcome, Cleaned) else None
    floor = done.floor if done else 0
    return {
        "label": report.label,
        "outcome": type(outcome).__name__.lower(),
        "words": clean_words(outcome),
        "held": _held(outcome),
        "floor": done.floor if done else None,
        "deleted": done.deleted if done else 0,
        "swept": done.swept if done else 0,
        "plans": [
            {
                "generation": verdict.row.plan_id.generation,
                "digest": verdict.row.plan_id.digest,
                "created_s": verdict.row.created_s,
                "author": verdict.row.author,
                "reason": verdict.row.reason,
                "kept_because": [reason.name.lower() for reason in verdict.kept_because],
                "verdict": verdict_words(verdict, floor=floor),
            }
            for verdict in report.verdicts
        ],
    }


def _next(outcome: PlanOutcome) -> int | None:
    match outcome:
        case Pending(generation):
            return generation
        case Published(plan_id):
            return plan_id.generation
        case _:
            return None


def _held(outcome: PlanOutcome | CleanOutcome) -> dict[str, str | None] | None:
    match outcome:
        case Held(rule, text, command):
            return {"rule": str(rule), "reason": text, "command": command}
        case Waiting(why, rule, command) if rule:
            return {"rule": rule, "reason": why, "command": command}
        case Waiting(why) | Overtaken(why) | Unsettled(why):
            return {"rule": type(outcome).__name__.lower(), "reason": why, "command": None}
        case _:
            return None
