"""The command lines of `dns-runbook drain` and `undrain`. Imports that take time happen inside."""

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
    LabelsArgument,
    YesOption,
)

WhatArgument = Annotated[
    str,
    typer.Argument(metavar="WHAT", help="A target as POOL/ID, or an AZ.", show_default=False),
]


def drain_command(
    what: WhatArgument,
    labels: LabelsArgument = None,
    *,
    expires_s: Annotated[
        int,
        typer.Option(metavar="S", help="How long it holds.", min=10, max=30 * 86_400),
    ] = 3_600,
    because: BecauseOption = "",
    expect_generation: ExpectHeadOption = None,
    dry_run: DryRunOption = False,
    by: ByOption = "",
    yes: YesOption = False,
    json: JsonOption = False,
    config: ConfigOption = None,
) -> None:
    """Let a target, or all targets of an AZ, answer nobody for a while.

    The planner takes them out at its next passes, as far as the floor lets it and
    as fast as velocity allows; a name whose targets are all drained keeps some.
    Draining again sets a new end. Default: every zone that it answers.

    \b
    Examples:
      dns-runbook drain web/a --because "kernel update"
      dns-runbook drain use1-az1 --expires-s 7200 --because "AZ is ill" --dry-run
      dns-runbook drain use1-az1 shop --because "AZ is ill"

    \b
    Exit codes:
      0  drained
      1  no answer, or AWS could not be asked: look, and run it again
      2  wrong options, no such target or AZ, a wrong config, or not confirmed
      3  refused: no plan yet, --expect-generation, or changed meanwhile
      4  --dry-run: changes pending
    """
    from runbooks.controls.session import ControlOptions
    from runbooks.draining.command import DrainOptions, drain_target

    options = ControlOptions(
        config=config, labels=tuple(labels or ()), because=because, by=by, yes=yes, json=json
    )
    wish = DrainOptions(what=what, expires_s=expires_s, expected=expect_generation, dry_run=dry_run)
    raise typer.Exit(drain_target(options, wish, os.environ))


def undrain_command(
    what: WhatArgument,
    labels: LabelsArgument = None,
    *,
    because: BecauseOption = "",
    expect_generation: ExpectHeadOption = None,
    dry_run: DryRunOption = False,
    by: ByOption = "",
    yes: YesOption = False,
    json: JsonOption = False,
    config: ConfigOption = None,
) -> None:
    """End a drain before its time: who is healthy answers again from the next plan on.

    \b
    Examples:
      dns-runbook undrain web/a
      dns-runbook undrain use1-az1 shop --because "AZ is well"

    \b
    Exit codes:
      0  ended
      1  no answer, or AWS could not be asked: look, and run it again
      2  wrong options, no such target or AZ, a wrong config, or not confirmed
      3  refused: not drained, --expect-generation, or changed meanwhile
      4  --dry-run: changes pending
    """
    from runbooks.controls.session import ControlOptions
    from runbooks.draining.command import DrainOptions, drain_target

    options = ControlOptions(
        config=config, labels=tuple(labels or ()), because=because, by=by, yes=yes, json=json
    )
    wish = DrainOptions(what=what, expires_s=None, expected=expect_generation, dry_run=dry_run)
    raise typer.Exit(drain_target(options, wish, os.environ))
