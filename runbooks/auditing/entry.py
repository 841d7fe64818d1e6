"""The command line of `dns-runbook audit`. Imports that take time happen inside."""

import os

import typer

from dnsplan.runtime.console import ConfigOption
from runbooks.options import JsonOption, LabelArgument


def audit_command(
    label: LabelArgument, *, json: JsonOption = False, config: ConfigOption = None
) -> None:
    """Look through a zone for what others changed in it.

    Compares every name and type of the plan that the zone's fence names with
    what Route 53 lists. It only reads: the enactors mend drift by themselves,
    under the fence, or hold it where the zone says drift: hold. A retired name
    that stands again is shown as such; it is no drift, and nothing touches it.

    \b
    Examples:
      dns-runbook audit shop
      dns-runbook audit shop --json | jq '.drift[].name'

    \b
    Exit codes:
      0  no drift
      1  drift, or the zone or its plan could not be read
      2  wrong options, or mistakes in the config
    """
    from runbooks.auditing.command import audit_zone
    from runbooks.controls.session import looking

    options = looking(config, (label,), json=json)
    raise typer.Exit(audit_zone(options, os.environ))
