"""The command line of `dns-runbook preflight`. Imports that take time happen inside."""

import os
from typing import Annotated

import typer

from dnsplan.runtime.console import ConfigOption
from runbooks.options import LabelsArgument

RoleOption = Annotated[
    str | None,
    typer.Option(
        "--role",
        metavar="ROLE",
        help=(
            "Only try this role's calls, with requests that must be refused: planner, enactor,"
            " cleanup, sentinel, look, freeze, change or break-glass. Run it under its profile."
        ),
    ),
]
ResolverOption = Annotated[
    str | None,
    typer.Option(
        "--resolver",
        metavar="ADDRESS[:PORT]",
        help="Ask this resolver who is delegated to. Default: this host's.",
    ),
]


def preflight_command(
    labels: LabelsArgument = None,
    *,
    role: RoleOption = None,
    resolver: ResolverOption = None,
    json: Annotated[bool, typer.Option("--json", help="Print all findings as one object.")] = False,
    config: ConfigOption = None,
) -> None:
    """Look whether all that the daemons need is there and fit, before they start.

    Credentials, clock, the table with its mode and its recovery, each zone's
    room, negative TTL, delegation and accelerated recovery, the request share,
    the probe rate, and whether a needed host lies in a zone that is managed
    here. Each finding says what to do. Nothing is changed; what is out of reach
    is said, and the rest is looked at all the same.

    \b
    Examples:
      dns-runbook preflight
      dns-runbook preflight shop --json | jq '.findings[] | select(.do)'
      AWS_PROFILE=dnsplan-enactor dns-runbook preflight --role enactor

    \b
    Exit codes:
      0  all is fine
      1  warnings, or something could not be read
      2  wrong options, or mistakes in the config
      3  refused: do not start with this
    """
    from runbooks.controls.session import looking
    from runbooks.preflight.command import Wish, preflight

    options = looking(config, tuple(labels or ()), json=json)
    raise typer.Exit(preflight(options, Wish(role, resolver), os.environ))
