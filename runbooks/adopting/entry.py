"""The command line of `dns-runbook adopt`. Imports that take time happen inside."""

import os

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


def adopt_command(
    label: LabelArgument,
    *,
    expect_generation: ExpectHeadOption = None,
    dry_run: DryRunOption = False,
    because: BecauseOption = "",
    by: ByOption = "",
    yes: YesOption = False,
    json: JsonOption = False,
    config: ConfigOption = None,
) -> None:
    """Take over a zone as it stands, without changing one record.

    Lists the zone and shows what would be managed, what not, whose marks stand
    in it, and what the planner would change afterwards. Then it writes a plan
    from what stands and adds one record, the fence. Safe to run again.

    \b
    Examples:
      dns-runbook adopt shop --dry-run
      dns-runbook adopt shop --because "moving from octoDNS"

    \b
    Exit codes:
      0  adopted, or there is nothing to adopt
      1  somebody else moved first, or no answer: run it again
      2  wrong options, mistakes in the config, or not confirmed
      3  refused: another owner, a freeze, a pin, a table that lost history, or
         --expect-generation
      4  --dry-run: it can be adopted
    """
    from runbooks.adopting.command import adopt_zone
    from runbooks.controls.session import ControlOptions, Sure

    options = ControlOptions(
        config=config, labels=(label,), because=because, by=by, yes=yes, json=json
    )
    sure = Sure(expected=expect_generation, dry_run=dry_run)
    raise typer.Exit(adopt_zone(options, sure, os.environ))
