"""The `dns-runbook` command: what operators look at and decide, and automation must not.

Imports that take time happen inside the commands, so that `--help` is instant.
"""

import os
from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(
    name="dns-runbook",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


@app.callback()
def main() -> None:
    """What operators look at and decide: look first, then act."""


@app.command("status")
def status_command(
    labels: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[LABEL]...", help="Zones by their label. Default: all.", show_default=False
        ),
    ] = None,
    *,
    config: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="The config. Default: DNSPLAN_CONFIG, ./dns.yaml, /etc/dnsplan/dns.yaml.",
        ),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print the status object.")] = False,
) -> None:
    """Show what is published, applied, fenced and seen, zone by zone.

    A table on a terminal, plain lines in a pipe. What cannot be read is said and
    shown as null; the rest is shown all the same.

    \b
    Examples:
      dns-runbook status
      dns-runbook status shop --json | jq '.zones[0].fence'

    \b
    Exit codes:
      0  every zone is in sync
      1  unhealthy, or something could not be read
      2  wrong options, or mistakes in the config
      3  held: frozen, ahead of the table, or an enactor holds
    """
    from runbooks.status.command import StatusOptions, show_status

    options = StatusOptions(config=config, labels=tuple(labels or ()), json=json)
    raise typer.Exit(show_status(options, os.environ))


def run() -> None:
    """Entry point of the console command."""
    app()
