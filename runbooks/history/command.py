"""What `dns-runbook history` and `dns-runbook diff` do: read, show, give the exit code."""

import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass

from rich.console import Group

from dnsplan.exits import FAILED, FINE
from dnsplan.names import parse_name
from dnsplan.runtime.config.schema import Settings
from runbooks.controls.outside import Operator
from runbooks.controls.session import ControlOptions, run_with, show
from runbooks.history.comparing import compare
from runbooks.history.past import read_past
from runbooks.history.show import (
    diff_facts,
    diff_text,
    history_facts,
    history_lines,
    history_table,
)
from runbooks.looking.eyes import open_eyes
from runbooks.looking.naming import name_in


@dataclass(frozen=True, slots=True)
class HistoryOptions:
    """What history takes beside."""

    name: str | None
    limit: int


def show_history(options: ControlOptions, wish: HistoryOptions, environ: Mapping[str, str]) -> int:
    """The plans of one zone, newest first."""

    async def work(settings: Settings, _: Operator) -> int:
        (label,) = options.labels
        apex = settings.zones[label].name
        name = None if wish.name is None else name_in(wish.name, parse_name(apex))
        async with open_eyes(settings, options.labels) as eyes:
            past = await read_past(eyes, label, apex, name=name, limit=wish.limit)
        if options.json:
            sys.stdout.write(json.dumps(history_facts(label, past), indent=2) + "\n")
        else:
            lines = history_lines(label, past, name=name)
            show(lambda: history_table(past, name=name), lines)
        return FINE

    return run_with(options, environ, work, records=False)


def show_diff(options: ControlOptions, a: str, b: str, environ: Mapping[str, str]) -> int:
    """From A to B; 0 when both hold the same."""

    async def work(settings: Settings, _: Operator) -> int:
        (label,) = options.labels
        async with open_eyes(settings, options.labels) as eyes:
            compared = await compare(eyes, label, settings.zones[label].name, a, b)
        if options.json:
            sys.stdout.write(json.dumps(diff_facts(compared), indent=2) + "\n")
        else:
            texts = tuple(diff_text(compared))
            show(lambda: Group(*texts), (one.plain for one in texts))
        return FAILED if compared.changes else FINE

    return run_with(options, environ, work, records=False)
