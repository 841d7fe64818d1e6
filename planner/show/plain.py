"""Reports as plain lines for a pipe: each line begins with the zone's label, so grep finds all."""

from collections.abc import Iterator

from dnsplan.names import display
from planner.cleanup import CleanReport
from planner.cycle import ZoneReport
from planner.rules.outcomes import Cleaned
from planner.show.rows import Row, guardrail_verdicts, rows_of
from planner.show.words import clean_words, plan_words, verdict_words


def plan_lines(report: ZoneReport) -> Iterator[str]:
    """One zone's pass."""
    label = report.wish.label
    yield f"{label} {report.wish.zone} {plan_words(report.outcome)}"
    if report.waits and not report.outcome_waits:
        yield f"{label} waits: {report.waits}"
    for row in rows_of(report):
        yield f"{label} {row_line(row)}"
    for rule, findings in guardrail_verdicts(report).items():
        yield f"{label} guardrail {rule}: {'; '.join(findings) or 'ok'}"


def row_line(row: Row) -> str:
    """Sign, name, type, answer, target and reason."""
    name, record_type = row.unit
    target = f"({row.target})" if row.target else ""
    parts = (row.sign, display(name), record_type, row.answer, target)
    return f"{' '.join(part for part in parts if part)}: {row.why}"


def clean_lines(report: CleanReport) -> Iterator[str]:
    """One zone's cleanup."""
    yield f"{report.label} {clean_words(report.outcome)}"
    floor = report.outcome.floor if isinstance(report.outcome, Cleaned) else 0
    for verdict in report.verdicts:
        plan_id = verdict.row.plan_id
        words = verdict_words(verdict, floor=floor)
        yield f"{report.label} plan {plan_id.generation} {plan_id.digest[:12]} {words}"
