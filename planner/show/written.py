"""What `plan` and `cleanup` write for whoever started them: JSON, tables or lines."""

import json
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

from rich.console import RenderableType

from dnsplan.errors import visible
from dnsplan.runtime.terminal import Visible, terminal
from planner.cleanup import CleanReport
from planner.cycle import ZoneReport

ReportT = TypeVar("ReportT", ZoneReport, CleanReport)


def write_reports(
    reports: Sequence[ReportT],
    facts: Callable[[ReportT], Mapping[str, Any]],
    lines: Callable[[ReportT], Iterable[str]],
    table: Callable[[ReportT], RenderableType],
    *,
    as_json: bool,
) -> None:
    """One JSON object, tables on a terminal, or lines."""
    if as_json:
        document = {"zones": [facts(report) for report in reports]}
        sys.stdout.write(json.dumps(document, indent=2) + "\n")
    elif sys.stdout.isatty():
        for report in reports:
            terminal().print(Visible(table(report)))
    else:
        for report in reports:
            sys.stdout.writelines(f"{visible(line)}\n" for line in lines(report))
