"""The command line of `dns-runbook drill`. Imports that take time happen inside."""

import os
from pathlib import Path
from typing import Annotated

import typer

from runbooks.options import ByOption


def drill_command(
    name: Annotated[
        str | None,
        typer.Argument(metavar="[NAME]", help="Which failure. Default: any.", show_default=False),
    ] = None,
    *,
    list_them: Annotated[bool, typer.Option("--list", help="Show which there are.")] = False,
    rehearse: Annotated[
        bool, typer.Option("--rehearse", help="Let the page's own commands be typed; for scripts.")
    ] = False,
    within_s: Annotated[
        float, typer.Option("--within", metavar="S", help="How long it may take.", min=10)
    ] = 900,
    report: Annotated[
        Path | None, typer.Option("--report", metavar="FILE", help="Write the report here.")
    ] = None,
    by: ByOption = "",
) -> None:
    """Make something go wrong in a sandbox, and see it mended.

    Spawns dns-sandbox, makes one failure there, and shows what an operator would
    get: pages, and the status. You end it in another shell, with the runbooks. It
    judges how long that took and whether promises held, and reports in Markdown.
    Nothing outside that sandbox is touched, whatever AWS settings stand around.

    \b
    Examples:
      dns-runbook drill
      dns-runbook drill --list
      dns-runbook drill table-restored --report drill.md
      dns-runbook drill fence-lost --rehearse

    \b
    Exit codes:
      0  restored, and every promise was kept
      1  not restored in time, a promise broken, or the sandbox did not start
      2  wrong options, no such failure, or nobody at the terminal
    """
    from runbooks.drilling import command

    if list_them:
        raise typer.Exit(command.list_failures())
    options = command.DrillOptions(
        name=name, rehearse=rehearse, within_s=within_s, report=report, by=by
    )
    raise typer.Exit(command.drill(options, os.environ))
