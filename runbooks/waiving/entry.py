"""The command line of `dns-runbook waive`. Imports that take time happen inside."""

import os
from typing import Annotated

import typer

from dnsplan.runtime.console import ConfigOption
from runbooks.options import (
    ByOption,
    DryRunOption,
    ExpectHeadOption,
    JsonOption,
    LabelArgument,
    YesOption,
)


def waive_command(
    label: LabelArgument,
    rule: Annotated[
        str,
        typer.Argument(
            metavar="RULE", help="floor, velocity, wave, names_changed or ttl.", show_default=False
        ),
    ],
    *,
    because: Annotated[
        str,
        typer.Option("--because", metavar="TEXT", help="Why; it stands in the plan for good."),
    ],
    expires_s: Annotated[
        int,
        typer.Option(metavar="S", help="How long it waits for a plan.", min=10, max=86_400),
    ] = 600,
    end: Annotated[bool, typer.Option("--end", help="End a waiver that waits.")] = False,
    expect_generation: ExpectHeadOption = None,
    dry_run: DryRunOption = False,
    by: ByOption = "",
    yes: YesOption = False,
    json: JsonOption = False,
    config: ConfigOption = None,
) -> None:
    """Lift one rule for the next generation of a zone, and no longer.

    The planner takes it up at its next pass: with velocity lifted all targets that
    look unhealthy go at once, with floor lifted also those under min_targets; with
    wave lifted the zone takes up a changed config before its turn, and with
    names_changed or ttl lifted it takes one up that is beyond these bounds. The
    plan names who waived and why. Never lifted: a name always keeps an answer.

    \b
    Examples:
      dns-runbook waive shop velocity --because "evacuating use1-az1" --dry-run
      dns-runbook waive shop velocity --because "evacuating use1-az1"
      dns-runbook waive shop velocity --because "not needed" --end

    \b
    Exit codes:
      0  it waits for the next plan, or is ended
      1  no answer, or AWS could not be asked: look, and run it again
      2  wrong options, no such rule, mistakes in the config, or not confirmed
      3  refused: no plan yet, --expect-generation, or a plan came meanwhile
      4  --dry-run: changes pending
    """
    from runbooks.controls.session import ControlOptions
    from runbooks.waiving.command import WaiveOptions, waive_rule

    options = ControlOptions(
        config=config, labels=(label,), because=because, by=by, yes=yes, json=json
    )
    wish = WaiveOptions(
        rule=rule,
        expires_s=expires_s,
        end=end,
        expect_generation=expect_generation,
        dry_run=dry_run,
    )
    raise typer.Exit(waive_rule(options, wish, os.environ))
