"""The `dns-planner` command: options, config, exit codes.

Only this module and `wiring` know the environment and name adapters. Imports that take time happen
inside the commands, so that `--help` is instant.
"""

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dnsplan.runtime.commands import (
    check_labels,
    end_usage,
    end_with,
    listened,
    loaded_config,
)
from dnsplan.runtime.console import (
    ConfigOption,
    HttpOption,
    LogOnlyOption,
    StateDirOption,
    command_app,
)

if TYPE_CHECKING:
    from dnsplan.runtime.config import LoadedConfig

app = command_app("dns-planner")

LabelsArgument = Annotated[
    list[str] | None,
    typer.Argument(metavar="[LABEL]...", help="Zones by their label. Default: all."),
]


@app.callback()
def main() -> None:
    """Watch targets, and publish what each zone should answer as versioned plans."""


@app.command("run")
def run_command(
    *,
    az: Annotated[
        str | None, typer.Option(help="Where this planner stands; written into plans as author.")
    ] = None,
    state_dir: StateDirOption = None,
    log_only: LogOnlyOption = False,
    http: HttpOption = None,
    config: ConfigOption = None,
) -> None:
    """Probe the targets and plan all zones until told to stop.

    Any number may run side by side: of two plans one wins, and the other
    planner starts over. It never stops for AWS: unreachable, throttled or
    denied, it stays up, says so, and the newest plans stand. A config that is
    changed is taken up within two passes, and SIGHUP reads it again; one with
    mistakes changes nothing and is said. SIGTERM lets the present pass end; a
    second one ends at once.

    \b
    Examples:
      dns-planner run
      dns-planner run --az use1-az1 --http 127.0.0.1:8054

    \b
    Exit codes:
      0  told to stop
      1  the program is broken; the newest plans stand
      2  wrong options, or mistakes in the config
    """
    loaded = loaded_config(config)
    if az is not None and az not in loaded.settings.azs:
        found = loaded.problem(("azs",), ", ".join(loaded.settings.azs), f"--az {az} among them")
        end_usage(str(found))
    listen = listened("PLANNER", loaded.settings, http)
    _configure_log("planner", az)
    from dnsplan.runtime.config.derived import kept_in
    from dnsplan.runtime.config.rereading import ConfigFiles
    from dnsplan.runtime.paging.opening import silenced
    from planner.wiring import run_planner

    stated = kept_in(loaded.settings, state_dir)
    settings = silenced(stated) if log_only else stated
    files = ConfigFiles(loaded, os.environ)
    end_with("dns-planner", run_planner(settings, os.environ, files, az=az, listen=listen))


@app.command("plan")
def plan_command(
    labels: LabelsArgument = None,
    *,
    publish: Annotated[bool, typer.Option("--publish", help="Publish what it shows.")] = False,
    against: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Try this config instead; nothing is published."),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    config: ConfigOption = None,
) -> None:
    """Probe the targets, and show what the next plans would change and why.

    Shows every answer that comes, goes or must wait, with what the probes saw,
    and the verdict of each guardrail. Publishes only with --publish. With
    --against it shows what another config would change before it is live.

    \b
    Examples:
      dns-planner plan
      dns-planner plan shop --json
      dns-planner plan --publish
      dns-planner plan --against dns.yaml.new

    \b
    Exit codes:
      0  nothing to do, or published
      1  failed: AWS could not be asked, or somebody else was first
      2  wrong options, or mistakes in the config
      3  refused by a guardrail, or held
      4  changes pending
    """
    loaded = loaded_config(config)
    if against is not None:
        if publish:
            end_usage("--against shows what would change; put the file in place to publish it")
        loaded = _tried(loaded, against, labels)
    chosen = _chosen(labels, loaded)
    for remark in loaded.remarks:
        typer.echo(remark, err=True)
    _configure_log("planner", None)
    from planner.wiring import Showing, plan_once

    end_with(
        "dns-planner", plan_once(loaded.settings, chosen, os.environ, how=Showing(publish, json))
    )


@app.command("cleanup")
def cleanup_command(
    labels: LabelsArgument = None,
    *,
    daemon: Annotated[
        bool, typer.Option("--daemon", help="Repeat each cleanup.interval_s until told to stop.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    state_dir: StateDirOption = None,
    http: HttpOption = None,
    config: ConfigOption = None,
) -> None:
    """Delete old plans, and say of each plan why it stays or goes.

    Raises the floor first, so that nobody can claim what is deleted. It stays
    below what is live, claimed, applied, last known good and pinned, and keeps
    cleanup.keep plans and all younger than cleanup.min_age_s. No DNS record is
    touched, and none depends on a plan's being kept.

    \b
    Examples:
      dns-planner cleanup
      dns-planner cleanup shop --json
      dns-planner cleanup --daemon

    \b
    Exit codes:
      0  cleaned, or nothing to clean
      1  failed: AWS could not be asked, or somebody else was first
      2  wrong options, or mistakes in the config
      3  held: the line says why, and what to run
    """
    loaded = loaded_config(config, records=False)
    chosen = _chosen(labels, loaded)
    if daemon and json:
        end_usage("--json shows one pass; leave out --daemon")
    if not daemon and (http is not None or state_dir is not None):
        end_usage("--http, --state-dir are a daemon's; add --daemon")
    _configure_log("cleanup", None)
    from dnsplan.runtime.config.derived import kept_in
    from planner.wiring import clean_once, run_cleanup

    if daemon:
        listen = listened("CLEANUP", loaded.settings, http)
        end_with(
            "dns-planner",
            run_cleanup(kept_in(loaded.settings, state_dir), chosen, os.environ, listen=listen),
        )
    end_with("dns-planner", clean_once(loaded.settings, chosen, as_json=json))


@app.command("init")
def init_command(*, config: ConfigOption = None) -> None:
    """Make the DynamoDB table, or say that it is there. Safe to repeat.

    \b
    Examples:
      dns-planner init
      dns-planner init --config /etc/dnsplan/dns.yaml

    \b
    Exit codes:
      0  the table is ready
      1  failed: AWS could not be asked, or denied it
      2  wrong options, mistakes in the config, or a table of another shape
    """
    loaded = loaded_config(config, records=False)
    _configure_log("planner", None)
    from planner.wiring import make_table

    end_with("dns-planner", make_table(loaded.settings))


def run() -> None:
    """Entry point of the console command."""
    app()


def _tried(live: "LoadedConfig", path: Path, labels: list[str] | None) -> "LoadedConfig":
    """Another config as if it were live. What it no longer names is said: it stays as it is."""
    tried = loaded_config(path)
    stated = tried.settings.table
    if stated != live.settings.table:
        end_usage(str(tried.problem(("table",), stated, f"{live.settings.table}, as the live one")))
    for label in live.settings.zones:
        if label not in tried.settings.zones and (not labels or label in labels):
            typer.echo(f"{label}: not in {path}; its names would stay as they are", err=True)
    return tried


def _chosen(labels: list[str] | None, loaded: "LoadedConfig") -> tuple[str, ...]:
    """The labels asked for, in the config's order; all when none is."""
    check_labels(labels or (), loaded.settings)
    return tuple(label for label in loaded.settings.zones if not labels or label in labels)


def _configure_log(component: str, az: str | None) -> None:
    from dnsplan.runtime import telemetry

    facts = {"component": component} if az is None else {"component": component, "az": az}
    telemetry.configure(os.environ, sys.stderr, **facts)
