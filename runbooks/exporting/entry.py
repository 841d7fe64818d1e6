"""The command line of `dns-runbook export`. Imports that take time happen inside."""

import os
from pathlib import Path
from typing import Annotated, Literal

import typer

from dnsplan.runtime.console import ConfigOption
from runbooks.options import LabelArgument


def export_command(
    label: LabelArgument,
    *,
    form: Annotated[
        Literal["bind", "octodns", "plan"], typer.Option("--format", help="What to write.")
    ] = "plan",
    generation: Annotated[
        int | None,
        typer.Option(
            "--generation", metavar="N", help="Which plan. Default: the newest that is applied."
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", metavar="FILE", help="Write a file, whole or not at all."),
    ] = None,
    lossy: Annotated[
        bool, typer.Option("--lossy", help="Leave out what the format cannot say.")
    ] = False,
    config: ConfigOption = None,
) -> None:
    """Write a zone's plan as a plan file, a BIND zone file or octoDNS YAML.

    A plan file holds everything, is easy to edit, and is what restore takes.
    BIND and octoDNS have no words for some of Route 53's forms: these are listed,
    and nothing is written unless --lossy. Changes nothing.

    \b
    Examples:
      dns-runbook export shop --output shop.json
      dns-runbook export shop --generation 139
      dns-runbook export shop --format octodns --output config/example.com.yaml
      dns-runbook export shop --format bind --lossy > example.com.zone

    \b
    Exit codes:
      0  written
      1  AWS could not be asked, or the file could not be written
      2  wrong options, or mistakes in the config
      3  no such plan, or the format cannot say everything in it
    """
    from runbooks.controls.session import looking
    from runbooks.exporting.command import ExportOptions, Format, export_plan

    wish = ExportOptions(
        format=Format(form),
        generation=generation,
        output=output,
        lossy=lossy,
    )
    raise typer.Exit(export_plan(looking(config, (label,)), wish, os.environ))
