"""The command line of `dns-runbook reconcile`. Imports that take time happen inside."""

import os
from pathlib import Path
from typing import Annotated

import typer

from dnsplan.runtime.console import ConfigOption
from runbooks.options import (
    AboveOption,
    BecauseOption,
    ByOption,
    DryRunOption,
    ExpectFenceOption,
    JsonOption,
    LabelArgument,
    TakeOverOption,
    YesOption,
)


def reconcile_command(
    label: LabelArgument,
    *,
    plan_file: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Names that it states stay managed, where they stand."),
    ] = None,
    expect_generation: ExpectFenceOption = None,
    above: AboveOption = 0,
    take_over: TakeOverOption = None,
    dry_run: DryRunOption = False,
    because: BecauseOption = "",
    by: ByOption = "",
    yes: YesOption = False,
    json: JsonOption = False,
    config: ConfigOption = None,
) -> None:
    """Let a zone go on whose table lost history: restored, copied, damaged, or behind a restore.

    Writes a plan of what stands under a number above all that were issued, moves
    the fence, then head. No record changes. A finished restore keeps its number.
    A freeze goes on. Safe to run again.

    \b
    Examples:
      dns-runbook reconcile shop --dry-run
      dns-runbook reconcile shop --because "table restored to 09:00"

    \b
    Exit codes:
      0  reconciled, or there is nothing to reconcile
      1  somebody else moved first, or no answer: run it again
      2  wrong options, mistakes in the config or the file, or not confirmed
      3  refused: a pin, another owner, nothing stands, or --expect-generation
      4  --dry-run: it can be reconciled
    """
    from runbooks.controls.session import ControlOptions
    from runbooks.reconciling.command import ReconcileOptions, reconcile_zone
    from runbooks.reconciling.rules import Word

    options = ControlOptions(
        config=config, labels=(label,), because=because, by=by, yes=yes, json=json
    )
    word = Word(expect_generation=expect_generation, above=above, take_over=take_over)
    wish = ReconcileOptions(word=word, plan_file=plan_file, dry_run=dry_run)
    raise typer.Exit(reconcile_zone(options, wish, os.environ))
