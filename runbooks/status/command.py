"""What `dns-runbook status` does: load the config, collect, show, and give the exit code."""

import sys
from collections.abc import Mapping
from functools import partial
from typing import assert_never

from dnsplan.errors import visible
from dnsplan.exits import FAILED, FINE, REFUSED
from dnsplan.runtime.clock import SystemClock
from dnsplan.runtime.config.schema import Settings
from dnsplan.runtime.status.collect import Collector, asked_zones
from dnsplan.runtime.status.model import Report, to_json
from dnsplan.runtime.status.sources import open_sources
from dnsplan.runtime.status.verdict import Standing, Verdict, judge_report, worst
from dnsplan.runtime.terminal import Visible, terminal
from enactor.adapters.exceptions import open_held
from planner.settings import wording_in_waves
from runbooks.controls.outside import Operator
from runbooks.controls.session import ControlOptions, run_with
from runbooks.status.lines import plain_lines
from runbooks.status.tables import status_tables


def show_status(options: ControlOptions, environ: Mapping[str, str]) -> int:
    """Show, and give the exit code."""

    async def work(settings: Settings, _: Operator) -> int:
        report = await read_report(settings, options.labels)
        verdicts = judge_report(report, azs=settings.azs)
        show(report, verdicts, json=options.json)
        return exit_code(worst(verdicts))

    return run_with(options, environ, work)


async def read_report(settings: Settings, labels: tuple[str, ...]) -> Report:
    """Read everything once."""
    async with open_sources(settings, open_held) as sources:
        config = partial(wording_in_waves, settings)
        zones = asked_zones(settings, labels or tuple(settings.zones), config)
        return await Collector(zones, settings.azs, sources, SystemClock()).report()


def show(report: Report, verdicts: tuple[Verdict, ...], *, json: bool) -> None:
    """JSON, tables on a terminal, or lines; with JSON, what is unread, unlisted or noted goes to
    standard error."""
    if json:
        sys.stdout.write(to_json(report.status) + "\n")
        for unread in report.unread:
            sys.stderr.write(visible(f"{unread}") + "\n")
        for one in report.unlisted:
            sys.stderr.write(visible(f"{one.label}: {one}") + "\n")
        for note in report.notes:
            sys.stderr.write(visible(f"{note.label}: {note.text}") + "\n")
    elif sys.stdout.isatty():
        console = terminal()
        console.print(Visible(status_tables(report, verdicts, width=console.width)))
    else:
        for line in plain_lines(report, verdicts):
            sys.stdout.write(visible(line) + "\n")


def exit_code(standing: Standing) -> int:
    """0 in sync, 1 unhealthy or behind, 3 held."""
    match standing:
        case Standing.IN_SYNC:
            return FINE
        case Standing.UNHEALTHY | Standing.BEHIND:
            return FAILED
        case Standing.HELD:
            return REFUSED
        case _:
            assert_never(standing)
