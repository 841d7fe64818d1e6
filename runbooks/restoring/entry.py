"""The command line of `dns-runbook restore`. Imports that take time happen inside."""

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
    TakeOverOption,
    YesOption,
)


def restore_command(
    file: Annotated[Path, typer.Argument(metavar="PLANFILE", help="As export writes it.")],
    *,
    zone_id: Annotated[
        str | None, typer.Option(metavar="ID", help="The hosted zone. Default: by the file's name.")
    ] = None,
    expect_generation: ExpectFenceOption = None,
    above: AboveOption = 0,
    thaw: Annotated[
        str | None, typer.Option(metavar="FREEZE", help="End this freeze in the zone.")
    ] = None,
    take_over: TakeOverOption = None,
    unsigned: Annotated[
        bool,
        typer.Option("--unsigned", help="Though no listed key signed the file; with --because."),
    ] = False,
    config: ConfigOption = None,
    save: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write what stands there first; to undo it."),
    ] = None,
    requests_per_s: Annotated[
        float,
        typer.Option(metavar="R", help="Share of the account's 5 a second.", min=0.1, max=1000.0),
    ] = 2.5,
    dry_run: DryRunOption = False,
    because: BecauseOption = "",
    by: ByOption = "",
    yes: YesOption = False,
    json: JsonOption = False,
) -> None:
    """Break-glass: bring a plan file into a zone, with Route 53 alone.

    Needs no table, planner or enactor, only credentials that may write the zone.
    A config that is found says whose signature the file must bear.
    Fenced: enactors that still run are shut out and hold until reconcile. Never
    empties a name, never touches what the file does not state. Run again after a
    crash, it goes on where it stopped.

    \b
    Examples:
      dns-runbook restore shop.json --dry-run
      dns-runbook restore shop.json --save before.json
      dns-runbook restore shop.json --yes --expect-generation 140

    \b
    Exit codes:
      0  all of the file stands, in sync
      1  not known to stand whole: run it again; or Route 53 refuses some names
      2  wrong options, mistakes in the file, no such zone, or not confirmed
      3  refused: another owner, a freeze, --expect-generation, a name would empty,
         or nobody vouches for the file
      4  --dry-run: changes pending
    """
    from runbooks.controls.session import ControlOptions
    from runbooks.restoring.command import RestoreOptions, restore_zone
    from runbooks.restoring.rules import Word

    options = ControlOptions(config=config, labels=(), because=because, by=by, yes=yes, json=json)
    wish = RestoreOptions(
        file=file,
        zone_id=zone_id,
        word=Word(expect_generation=expect_generation, above=above, thaw=thaw, take_over=take_over),
        save=save,
        requests_per_s=requests_per_s,
        dry_run=dry_run,
        unsigned=unsigned,
    )
    raise typer.Exit(restore_zone(options, wish, os.environ))
