"""The command line of `dns-runbook names`. Imports that take time happen inside."""

import os
from typing import Annotated

import typer

from dnsplan.runtime.console import ConfigOption
from runbooks.options import LabelsArgument


def names_command(
    labels: LabelsArgument = None,
    *,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    config: ConfigOption = None,
) -> None:
    """Print every name that these zones are written at, for RecordNames of roles.yaml.

    The fence's, those of dns.yaml, and the shards of big pools, as Route 53 gives
    them to a policy. Needs the config alone. Deploy a new name before dns.yaml
    has it, and without a name only after it was retired: what the policy does not
    list is denied, and holds its whole zone. Zones with a role_arn are left out
    unless they are asked for.

    \b
    Examples:
      dns-runbook names
      dns-runbook names shop blog
      dns-runbook names --config dns.yaml.new --json | jq -r .record_names

    \b
    Exit codes:
      0  printed
      1  stopped before anything was printed
      2  wrong options, or mistakes in the config
      3  they do not fit; nothing is printed but how many would
    """
    from runbooks.controls.session import looking
    from runbooks.record_names.command import print_names

    options = looking(config, tuple(labels or ()), json=json)
    raise typer.Exit(print_names(options, os.environ))
