"""The command line of `dns-runbook verify`. Imports that take time happen inside."""

import os
from typing import Annotated

import typer

from dnsplan.runtime.console import ConfigOption
from runbooks.options import JsonOption, LabelArgument, NameServerOption


def verify_command(
    label: LabelArgument,
    name: Annotated[
        str | None, typer.Argument(metavar="[NAME]", help="Only this name. Default: all.")
    ] = None,
    *,
    limit: Annotated[
        int,
        typer.Option(
            "--limit",
            metavar="N",
            help="For how many names and types the name servers are asked; 0 asks none.",
            min=0,
        ),
    ] = 1_000,
    name_server: NameServerOption = None,
    json: JsonOption = False,
    config: ConfigOption = None,
) -> None:
    """Compare the plan, the zone as Route 53 lists it, and what name servers answer.

    The plan is the one that the zone's fence names. Where one of the three says
    something else, all three values are shown. It only reads.

    \b
    Examples:
      dns-runbook verify shop
      dns-runbook verify shop www.example.com
      dns-runbook verify shop --json | jq '.names[] | select(.in_sync | not)'

    \b
    Exit codes:
      0  in sync
      1  something differs, or the zone, its plan or its servers could not be read
      2  wrong options, no such name, or mistakes in the config
      3  all that differs is held back, with the reason
    """
    from runbooks.controls.session import looking
    from runbooks.verifying.command import VerifyOptions, verify_zone

    options = looking(config, (label,), json=json)
    wish = VerifyOptions(name, limit, tuple(name_server or ()))
    raise typer.Exit(verify_zone(options, wish, os.environ))
