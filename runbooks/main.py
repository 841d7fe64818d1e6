"""The `dns-runbook` command: what operators look at and decide, and automation must not.

Imports that take time happen inside the commands, so that `--help` is instant.
"""

import os
from typing import Annotated

import typer

from dnsplan.runtime.console import ConfigOption, command_app
from runbooks.adopting.entry import adopt_command
from runbooks.auditing.entry import audit_command
from runbooks.controls.entry import (
    freeze_command,
    pin_command,
    rollback_command,
    thaw_command,
    unpin_command,
)
from runbooks.controls.reading_on import RUNNING
from runbooks.draining.entry import drain_command, undrain_command
from runbooks.drilling.entry import drill_command
from runbooks.explaining.entry import explain_command
from runbooks.exporting.entry import export_command
from runbooks.history.entry import diff_command, history_command
from runbooks.keys.entry import keys_command
from runbooks.options import LabelsArgument
from runbooks.preflight.entry import preflight_command
from runbooks.reconciling.entry import reconcile_command
from runbooks.record_names.entry import names_command
from runbooks.restoring.entry import restore_command
from runbooks.retiring.entry import retire_command
from runbooks.verifying.entry import verify_command
from runbooks.waiving.entry import waive_command

app = command_app("dns-runbook", completes=True)


@app.callback()
def main(context: typer.Context) -> None:
    """What operators look at and decide: look first, then act.

    \b
    Examples:
      dns-runbook status
      dns-runbook freeze shop --because "bad deploy"
      dns-runbook rollback shop 139 --dry-run
      dns-runbook pin --help

    \b
    Exit codes, of every command:
      0  fine
      1  failed, or unhealthy; the text says what is known
      2  wrong options, mistakes in the config, or not confirmed
      3  refused by a guardrail, or held
      4  --dry-run: changes pending
    """
    RUNNING.set(context.invoked_subcommand or "")


@app.command("status")
def status_command(
    labels: LabelsArgument = None,
    *,
    config: ConfigOption = None,
    json: Annotated[bool, typer.Option("--json", help="Print the status object.")] = False,
) -> None:
    """Show what is published, applied, fenced and seen, zone by zone.

    A table on a terminal, plain lines in a pipe. What cannot be read is said and
    shown as null; the rest is shown all the same.

    \b
    Examples:
      dns-runbook status
      dns-runbook status shop --json | jq '.zones[0].fence'

    \b
    Exit codes:
      0  every zone is in sync
      1  unhealthy or behind, or something could not be read
      2  wrong options, or mistakes in the config
      3  held: frozen, ahead of the table, or an enactor holds
    """
    from runbooks.controls.session import looking
    from runbooks.status.command import show_status

    options = looking(config, tuple(labels or ()), json=json)
    raise typer.Exit(show_status(options, os.environ))


app.command("freeze")(freeze_command)
app.command("thaw")(thaw_command)
app.command("rollback")(rollback_command)
app.command("pin")(pin_command)
app.command("unpin")(unpin_command)
app.command("adopt")(adopt_command)
app.command("audit")(audit_command)
app.command("diff")(diff_command)
app.command("drill")(drill_command)
app.command("drain")(drain_command)
app.command("undrain")(undrain_command)
app.command("explain")(explain_command)
app.command("export")(export_command)
app.command("history")(history_command)
app.command("keys")(keys_command)
app.command("names")(names_command)
app.command("preflight")(preflight_command)
app.command("reconcile")(reconcile_command)
app.command("restore")(restore_command)
app.command("retire")(retire_command)
app.command("verify")(verify_command)
app.command("waive")(waive_command)


def run() -> None:
    """Entry point of the console command."""
    app()
