"""Preflight's findings as facts, lines and a table. Pure: it reads nothing."""

from collections.abc import Iterator, Sequence

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from runbooks.preflight.findings import Finding, Severity

STYLES = {
    Severity.FINE: "green",
    Severity.WARNING: "yellow",
    Severity.UNREAD: "magenta",
    Severity.REFUSED: "bold red",
}


def findings_facts(findings: Sequence[Finding]) -> dict[str, object]:
    """What `--json` prints."""
    return {
        "findings": [
            {
                "check": one.check,
                "subject": one.subject,
                "severity": one.severity.value,
                "found": one.found,
                "do": one.todo or None,
            }
            for one in findings
        ]
    }


def findings_lines(findings: Sequence[Finding]) -> Iterator[str]:
    """One line a finding, and the sum."""
    for one in findings:
        todo = f"; do: {one.todo}" if one.todo else ""
        yield f"{one.severity} {one.check} {one.subject}: {one.found}{todo}"
    yield in_sum(findings)


def findings_table(findings: Sequence[Finding]) -> RenderableType:
    """The same for a terminal: what needs somebody stands below, next to the prompt, and what to do
    below that, since a column would break its commands."""
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for column in ("", "check", "of", "found"):
        table.add_column(column, overflow="fold")
    order = tuple(Severity)
    ordered = sorted(findings, key=lambda finding: order.index(finding.severity))
    for one in ordered:
        severity = Text(one.severity, STYLES[one.severity])
        table.add_row(severity, one.check, one.subject, Text(one.found))
    todos = [Text(f"{one.check} {one.subject}: {one.todo}") for one in ordered if one.todo]
    return Group(table, *todos, Text(in_sum(findings), style="bold"))


def in_sum(findings: Sequence[Finding]) -> str:
    """How many of each, in one line."""
    counts = {severity: sum(one.severity is severity for one in findings) for severity in Severity}
    return ", ".join(f"{count} {severity}" for severity, count in counts.items())
