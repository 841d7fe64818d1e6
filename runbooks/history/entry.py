"""The command lines of `dns-runbook history` and `diff`. Imports that take time happen inside."""

import os
from typing import Annotated

import typer

from dnsplan.runtime.console import ConfigOption
from runbooks.options import JsonOption, LabelArgument


def history_command(
    label: LabelArgument,
    name: Annotated[
        str | None,
        typer.Argument(metavar="[NAME]", help="Only plans that changed this name."),
    ] = None,
    *,
    limit: Annotated[
        int, typer.Option("--limit", metavar="N", help="How many plans.", min=1, max=10_000)
    ] = 20,
    json: JsonOption = False,
    config: ConfigOption = None,
) -> None:
    """Show what was planned, when, by whom and why, newest first.

    Counts the names that each plan added (+), ended (-) and changed (~), and
    marks what is head, live, applied, last known good, pinned, the floor, or
    buried by cleanup. With a name it shows that name's records before and after.

    \b
    Examples:
      dns-runbook history shop
      dns-runbook history shop www.example.com --limit 3
      dns-runbook history shop --json | jq '.plans[0].reason'

    \b
    Exit codes:
      0  shown
      1  the plans could not be read
      2  wrong options, or mistakes in the config
      3  there is no plan yet
    """
    from runbooks.controls.session import looking
    from runbooks.history.command import HistoryOptions, show_history

    options = looking(config, (label,), json=json)
    raise typer.Exit(show_history(options, HistoryOptions(name, limit), os.environ))


def diff_command(
    label: LabelArgument,
    a: Annotated[
        str, typer.Argument(metavar="[A]", help="A generation, head, or live: the zone as it is.")
    ] = "live",
    b: Annotated[
        str, typer.Argument(metavar="[B]", help="What to compare it with: likewise.")
    ] = "head",
    *,
    json: JsonOption = False,
    config: ConfigOption = None,
) -> None:
    """Show the record sets that differ between two plans, or a plan and the zone.

    A minus stands in A only, a plus in B only. Of the live zone only the names
    and types that the plan manages are compared.

    \b
    Examples:
      dns-runbook diff shop
      dns-runbook diff shop 139
      dns-runbook diff shop 139 140 --json
      dns-runbook diff shop 139 live

    \b
    Exit codes:
      0  the same, as diff has it
      1  they differ, or one of them could not be read
      2  wrong options, or mistakes in the config
      3  there is no such plan
    """
    from runbooks.controls.session import looking
    from runbooks.history.command import show_diff

    options = looking(config, (label,), json=json)
    raise typer.Exit(show_diff(options, a, b, os.environ))
