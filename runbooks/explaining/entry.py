"""The command line of `dns-runbook explain`. Imports that take time happen inside."""

import os
from typing import Annotated

import typer

from dnsplan.runtime.console import ConfigOption
from runbooks.options import JsonOption, NameServerOption, labels_from


def explain_command(
    what: Annotated[
        str,
        typer.Argument(
            metavar="NAME|LABEL",
            help="A full name, or a zone by its label.",
            autocompletion=labels_from,
        ),
    ],
    *,
    name_server: NameServerOption = None,
    json: JsonOption = False,
    config: ConfigOption = None,
) -> None:
    """Say why an answer is what it is, and what holds, rule by rule.

    For a name: who states it, what drives it, what velocity withholds, the plan
    that last changed it, what is planned, stands and is answered. For a zone: every
    rule that can hold it. Each line that asks for something names the command.
    What cannot be read is said; the rest is shown all the same.

    \b
    Examples:
      dns-runbook explain www.example.com
      dns-runbook explain shop
      dns-runbook explain shop --json | jq '.zones[0].rules[] | select(.state == "holds")'

    \b
    Exit codes:
      0  answered as planned; a zone: nothing holds
      1  not as planned, or something could not be read
      2  wrong options, no such zone, or mistakes in the config
      3  not as planned, and a rule holds it
    """
    from runbooks.controls.session import looking
    from runbooks.explaining.command import explain

    options = looking(config, (), json=json)
    raise typer.Exit(explain(options, what, tuple(name_server or ()), os.environ))
