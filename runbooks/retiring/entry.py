"""The command line of `dns-runbook retire`. Imports that take time happen inside."""

import os
from typing import Annotated

import typer

from dnsplan.runtime.console import ConfigOption
from runbooks.options import (
    BecauseOption,
    ByOption,
    DryRunOption,
    ExpectHeadOption,
    JsonOption,
    LabelArgument,
    YesOption,
)

NameArgument = Annotated[
    str, typer.Argument(metavar="NAME", help="The name, as in dns.yaml or in full.")
]
TypeOption = Annotated[
    str | None,
    typer.Option("--type", metavar="TYPE", help="End only this type of it, as AAAA. Default: all."),
]


def retire_command(
    label: LabelArgument,
    name: NameArgument,
    *,
    record_type: TypeOption = None,
    expect_generation: ExpectHeadOption = None,
    dry_run: DryRunOption = False,
    because: BecauseOption = "",
    by: ByOption = "",
    yes: YesOption = False,
    json: JsonOption = False,
    config: ConfigOption = None,
) -> None:
    """End a managed name that dns.yaml states no more: the only way that one ends.

    Shows what goes, asks for the name to be typed, and publishes a plan that
    ends exactly that. Refused while dns.yaml states the name, and while another
    managed record points at it.

    \b
    Examples:
      dns-runbook retire shop legacy --because "moved to example.net"
      dns-runbook retire shop www.example.com --type AAAA --dry-run

    \b
    Exit codes:
      0  retired, or it was before
      1  somebody else published first, or no answer: look, and run it again
      2  wrong options, no such name, mistakes in the config, or not confirmed
      3  refused: still stated, pointed at, frozen, pinned, or --expect-generation
      4  --dry-run: it can be retired
    """
    from runbooks.controls.session import ControlOptions
    from runbooks.retiring.command import retire_name
    from runbooks.retiring.retiring import Asked

    options = ControlOptions(
        config=config, labels=(label,), because=because, by=by, yes=yes, json=json
    )
    asked = Asked(name, None if record_type is None else record_type.upper())
    raise typer.Exit(
        retire_name(options, asked, os.environ, expected=expect_generation, dry_run=dry_run)
    )
