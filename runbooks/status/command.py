"""What `dns-runbook status` does: load the config, collect, show, and give the exit code."""

import asyncio
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import assert_never

from rich.console import Console

from dnsplan.errors import ConfigError, DnsplanError
from dnsplan.runtime.clock import SystemClock
from dnsplan.runtime.config import load
from dnsplan.runtime.config.schema import Settings
from dnsplan.runtime.status.collect import Collector, asked_zones
from dnsplan.runtime.status.model import Report, to_json
from dnsplan.runtime.status.sources import open_sources
from dnsplan.runtime.status.verdict import Standing, Verdict, judge_report, worst
from enactor.adapters.exceptions import open_held
from runbooks.status.lines import plain_lines
from runbooks.status.tables import status_tables

USAGE = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class StatusOptions:
    """The command line."""

    config: Path | None
    labels: tuple[str, ...]
    json: bool


def show_status(options: StatusOptions, environ: Mapping[str, str]) -> int:
    """Show, and give the exit code."""
    try:
        settings = load(options.config, environ).settings
    except ConfigError as error:
        return _complain(str(error), USAGE)
    unknown = [label for label in options.labels if label not in settings.zones]
    if unknown:
        known = ", ".join(sorted(settings.zones))
        return _complain(f"no zone {', '.join(unknown)} in the config; there are {known}", USAGE)
    try:
        report = asyncio.run(read_report(settings, options.labels))
    except DnsplanError as error:
        return _complain(str(error), 1)
    verdicts = judge_report(report, azs=settings.azs)
    show(report, verdicts, json=options.json)
    return exit_code(worst(verdicts))


async def read_report(settings: Settings, labels: tuple[str, ...]) -> Report:
    """Read everything once."""
    async with open_sources(settings, open_held) as sources:
        zones = asked_zones(settings, labels or tuple(settings.zones))
        return await Collector(zones, settings.azs, sources, SystemClock()).report()


def show(report: Report, verdicts: tuple[Verdict, ...], *, json: bool) -> None:
    """JSON, tables on a terminal, or lines; with JSON, what is unread, unlisted or noted goes to
    standard error."""
    if json:
        sys.stdout.write(to_json(report.status) + "\n")
        for unread in report.unread:
            sys.stderr.write(f"{unread}\n")
        for one in report.unlisted:
            sys.stderr.write(f"{one.label}: {one}\n")
        for note in report.notes:
            sys.stderr.write(f"{note.label}: {note.text}\n")
    elif sys.stdout.isatty():
        console = Console()
        console.print(status_tables(report, verdicts, width=console.width))
    else:
        for line in plain_lines(report, verdicts):
            sys.stdout.write(line + "\n")


def exit_code(standing: Standing) -> int:
    """0 in sync, 1 unhealthy or behind, 3 held."""
    match standing:
        case Standing.IN_SYNC:
            return 0
        case Standing.UNHEALTHY | Standing.BEHIND:
            return 1
        case Standing.HELD:
            return 3
        case _:
            assert_never(standing)


def _complain(text: str, code: int) -> int:
    sys.stderr.write(text + "\n")
    return code
