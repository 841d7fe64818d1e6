"""The command lines of `dns-runbook freeze`, `thaw`, `rollback`, `pin` and `unpin`.

Imports that take time happen inside.
"""

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
    LabelsArgument,
    YesOption,
)


def freeze_command(
    labels: LabelsArgument = None,
    *,
    expect_generation: ExpectHeadOption = None,
    dry_run: DryRunOption = False,
    because: BecauseOption = "",
    by: ByOption = "",
    yes: YesOption = False,
    json: JsonOption = False,
    config: ConfigOption = None,
) -> None:
    """Let no batch of an enactor land any more, not even one in flight.

    Returns 0 only when the freeze is on all of Route 53's name servers. Records
    stay as they are. Freezing again is safe, and waits again.

    \b
    Examples:
      dns-runbook freeze shop --because "bad deploy"
      dns-runbook freeze --yes

    \b
    Exit codes:
      0  frozen, and nothing in flight can land
      1  not known to be frozen; the text says what is still possible
      2  wrong options, mistakes in the config, or not confirmed
      3  refused: --expect-generation
      4  --dry-run: it can be frozen
    """
    from runbooks.controls.command import freeze_zones
    from runbooks.controls.session import ControlOptions, Sure

    options = ControlOptions(
        config=config, labels=tuple(labels or ()), because=because, by=by, yes=yes, json=json
    )
    sure = Sure(expected=expect_generation, dry_run=dry_run)
    raise typer.Exit(freeze_zones(options, sure, os.environ))


def thaw_command(
    label: LabelArgument,
    freeze_id: Annotated[
        str, typer.Argument(metavar="FREEZE", help="The freeze to end, as freeze and status say.")
    ],
    *,
    expect_generation: ExpectHeadOption = None,
    dry_run: DryRunOption = False,
    because: BecauseOption = "",
    by: ByOption = "",
    yes: YesOption = False,
    json: JsonOption = False,
    config: ConfigOption = None,
) -> None:
    """End one freeze of a zone, and no other.

    \b
    Examples:
      dns-runbook thaw shop 9f86d081884c7d65

    \b
    Exit codes:
      0  thawed
      1  not frozen by that freeze, or not known to be thawed: run it again
      2  wrong options, mistakes in the config, or not confirmed
      3  refused: --expect-generation
      4  --dry-run: it can be thawed
    """
    from runbooks.controls.command import thaw_zone
    from runbooks.controls.session import ControlOptions, Sure

    options = ControlOptions(
        config=config, labels=(label,), because=because, by=by, yes=yes, json=json
    )
    sure = Sure(expected=expect_generation, dry_run=dry_run)
    raise typer.Exit(thaw_zone(options, freeze_id, sure, os.environ))


def rollback_command(
    label: LabelArgument,
    generation: Annotated[
        int, typer.Argument(metavar="GENERATION", help="The older plan whose content comes back.")
    ],
    *,
    pin: Annotated[
        bool, typer.Option("--pin", help="Pin it, or the planner plans it away again.")
    ] = False,
    waive: Annotated[
        list[str] | None,
        typer.Option(
            "--waive", metavar="RULE", help="Lift floor or velocity, for this generation alone."
        ),
    ] = None,
    expect_generation: ExpectHeadOption = None,
    dry_run: DryRunOption = False,
    because: BecauseOption = "",
    by: ByOption = "",
    yes: YesOption = False,
    json: JsonOption = False,
    config: ConfigOption = None,
) -> None:
    """Publish an older plan's content as a new generation.

    Names that came later are carried forward: only retire ends a name. Shows
    the records before and after, and the rules that it would break.

    \b
    Examples:
      dns-runbook rollback shop 139 --pin --because "bad deploy"
      dns-runbook rollback shop 139 --dry-run

    \b
    Exit codes:
      0  published, or no record would change
      1  somebody else published first, or no answer: look, and run it again
      2  wrong options or waivers, mistakes in the config, or not confirmed
      3  refused by a guardrail, a pin, or --expect-generation, or no such plan
      4  --dry-run: changes pending
    """
    from runbooks.controls.rollback_command import RollbackOptions, roll_back
    from runbooks.controls.session import ControlOptions

    options = ControlOptions(
        config=config, labels=(label,), because=because, by=by, yes=yes, json=json
    )
    wish = RollbackOptions(
        generation=generation,
        pin=pin,
        waive=tuple(waive or ()),
        expect_generation=expect_generation,
        dry_run=dry_run,
    )
    raise typer.Exit(roll_back(options, wish, os.environ))


def pin_command(
    label: LabelArgument,
    generation: Annotated[int, typer.Argument(metavar="GENERATION", help="The plan to work to.")],
    *,
    expect_generation: ExpectHeadOption = None,
    dry_run: DryRunOption = False,
    because: BecauseOption = "",
    by: ByOption = "",
    yes: YesOption = False,
    json: JsonOption = False,
    config: ConfigOption = None,
) -> None:
    """Let enactors work to one generation and none above; the planner may publish on.

    A generation below what is applied or claimed cannot be pinned: use rollback.

    \b
    Examples:
      dns-runbook pin shop 141 --because "hold until the deploy is over"

    \b
    Exit codes:
      0  pinned
      1  no answer, or AWS could not be asked: look, and run it again
      2  wrong options, mistakes in the config, or not confirmed
      3  refused: no such plan, --expect-generation, or below what is applied
      4  --dry-run: it can be pinned
    """
    from runbooks.controls.command import pin_zone
    from runbooks.controls.session import ControlOptions, Sure

    options = ControlOptions(
        config=config, labels=(label,), because=because, by=by, yes=yes, json=json
    )
    sure = Sure(expected=expect_generation, dry_run=dry_run)
    raise typer.Exit(pin_zone(options, generation, sure, os.environ))


def unpin_command(
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
    """Let enactors work to the newest plan again.

    \b
    Examples:
      dns-runbook unpin shop

    \b
    Exit codes:
      0  unpinned
      1  no answer, or AWS could not be asked: look, and run it again
      2  wrong options, mistakes in the config, or not confirmed
      3  refused: it is not pinned, or --expect-generation
      4  --dry-run: it can be unpinned
    """
    from runbooks.controls.command import unpin_zone
    from runbooks.controls.session import ControlOptions, Sure

    options = ControlOptions(
        config=config, labels=(label,), because=because, by=by, yes=yes, json=json
    )
    sure = Sure(expected=expect_generation, dry_run=dry_run)
    raise typer.Exit(unpin_zone(options, sure, os.environ))
