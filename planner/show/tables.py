"""Reports as tables for a terminal. What is too long for a screen is counted, not dropped."""

from collections.abc import Iterator

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from dnsplan.names import display
from planner.cleanup import CleanReport
from planner.cycle import ZoneReport
from planner.rules.outcomes import Cleaned, Held, Overtaken, Refused, Unsettled
from planner.show.rows import guardrail_verdicts, rows_of
from planner.show.words import clean_words, plan_words, verdict_words

ROWS_MAX = 200

_STYLES = {"+": "green", "-": "red", "~": "yellow", "!": "bold magenta", "=": "dim"}


def plan_table(report: ZoneReport) -> RenderableType:
    """One zone's pass."""
    parts: list[RenderableType] = [_heading(report)]
    if report.waits and not report.outcome_waits:
        parts.append(Text(f"waits: {report.waits}", style="yellow"))
    rows = rows_of(report)
    if rows:
        table = Table("", "name", "type", "answer", "target", "why", box=None, padding=(0, 1))
        for row in rows[:ROWS_MAX]:
            name, record_type = row.unit
            cells = (row.sign, display(name), record_type, row.answer, row.target, row.why)
            table.add_row(*map(Text, cells), style=_STYLES[row.sign])
        parts.append(table)
    if len(rows) > ROWS_MAX:
        parts.append(Text(f"... and {len(rows) - ROWS_MAX} more; --json shows all", style="dim"))
    parts.extend(_guardrail_lines(report))
    return Group(*parts, Text(""))


def clean_table(report: CleanReport) -> RenderableType:
    """One zone's cleanup."""
    is_bad = isinstance(report.outcome, Held | Overtaken | Unsettled)
    style = "yellow" if is_bad else "green"
    heading = Text.assemble((report.label, "bold"), "  ", (clean_words(report.outcome), style))
    if not report.verdicts:
        return heading
    floor = report.outcome.floor if isinstance(report.outcome, Cleaned) else 0
    table = Table("generation", "digest", "names", "author", "verdict", box=None, padding=(0, 1))
    for verdict in report.verdicts[-ROWS_MAX:]:
        row = verdict.row
        cells = (
            str(row.plan_id.generation),
            row.plan_id.digest[:12],
            str(row.record_sets),
            row.author,
            verdict_words(verdict, floor=floor),
        )
        table.add_row(*map(Text, cells), style="" if verdict.kept_because else "dim")
    more = len(report.verdicts) - ROWS_MAX
    rest = [Text(f"... and {more} older; --json shows all", style="dim")] if more > 0 else []
    return Group(heading, table, *rest, Text(""))


def _heading(report: ZoneReport) -> Text:
    is_bad = isinstance(report.outcome, Held | Refused | Overtaken | Unsettled)
    style = "bold red" if is_bad else "cyan"
    words = plan_words(report.outcome)
    return Text.assemble((report.wish.label, "bold"), f"  {report.wish.zone}  ", (words, style))


def _guardrail_lines(report: ZoneReport) -> Iterator[Text]:
    verdicts = guardrail_verdicts(report)
    if not verdicts:
        return
    fine = [rule for rule, findings in verdicts.items() if not findings]
    yield Text.assemble("guardrails  ", *[(f"{rule} ok  ", "green") for rule in fine])
    for findings in verdicts.values():
        for finding in findings:
            yield Text(f"  {finding}", style="bold red")
