"""The `dns-sentinel` command: options, config, exit codes.

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
from dnsplan.runtime.config.server_address import SERVERS_VARIABLE
from dnsplan.runtime.console import ConfigOption, HttpOption, StateDirOption, command_app

if TYPE_CHECKING:
    from sentinel.reloading import Stated

app = command_app("dns-sentinel")

ZonesOption = Annotated[
    str | None,
    typer.Option(metavar="LABEL,...", help="Only these zones, by their labels. Default: all."),
]
ServerOption = Annotated[
    list[str] | None,
    typer.Option(
        envvar=SERVERS_VARIABLE,
        metavar="[LABEL=]ADDRESS[:PORT]",
        help="Ask this name server; may be repeated. Overrules the config's.",
    ),
]


@app.callback()
def main() -> None:
    """Page when a managed name has no answers."""


@app.command("run")
def run_command(
    *,
    zones: ZonesOption = None,
    name_server: ServerOption = None,
    log_only: Annotated[
        bool, typer.Option("--log-only", help="Page to the log alone, not to sentinel.alarms.")
    ] = False,
    state_dir: StateDirOption = None,
    http: HttpOption = None,
    config: ConfigOption = None,
) -> None:
    """Watch every managed name until told to stop, and page when one has no answers.

    Asks the zones' own name servers over UDP and TCP; needs no planner, enactor
    or table, and works when the control API is gone. A page goes to the log and
    to each of sentinel.alarms, once a cause, and again when it is well.

    A config that is changed is taken up within seconds, and SIGHUP reads it
    again; one with mistakes changes nothing and is said.

    \b
    Examples:
      dns-sentinel run
      dns-sentinel run --zones shop,cafe
      dns-sentinel run --name-server 127.0.0.1:5353 --log-only
      dns-sentinel run --http 127.0.0.1:8055

    \b
    Exit codes:
      0  told to stop
      1  the program is broken; whoever started it starts it again
      2  wrong options, or mistakes in the config
    """
    stated = _stated(config, zones, name_server)
    listen = listened("SENTINEL", stated.settings, http)
    _configure_log("info")
    from sentinel.wiring import Running, run_sentinel

    how = Running(state_dir or stated.settings.state_dir, log_only, listen)
    end_with("dns-sentinel", run_sentinel(stated, os.environ, how))


@app.command("check")
def check_command(
    *,
    zones: ZonesOption = None,
    name_server: ServerOption = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    config: ConfigOption = None,
) -> None:
    """Ask every managed name over every path once, and show what each answers.

    What does not answer is asked twice. Pages nobody and stores nothing.

    \b
    Examples:
      dns-sentinel check
      dns-sentinel check --zones shop --json

    \b
    Exit codes:
      0  every name answers
      1  a name does not, cannot be seen, or is beyond names_max
      2  wrong options, or mistakes in the config
    """
    stated = _stated(config, zones, name_server)
    _configure_log("warning")
    from sentinel.wiring import check_once

    end_with("dns-sentinel", check_once(stated.settings, stated.watching(), as_json=json))


def run() -> None:
    """Entry point of the console command."""
    app()


def _stated(config: Path | None, zones: str | None, servers: list[str] | None) -> "Stated":
    from dnsplan.runtime.config.rereading import ConfigFiles
    from sentinel.reloading import Stated

    loaded = loaded_config(config)
    settings = loaded.settings
    labels = None if zones is None else [one.strip() for one in zones.split(",")]
    check_labels(labels or (), settings)
    by_label = _by_label(servers or [])
    strange = sorted(by_label.keys() - {"", *settings.zones})
    if strange:
        end_usage(f"--name-server for {', '.join(strange)}; zones: {', '.join(settings.zones)}")
    return Stated(ConfigFiles(loaded, os.environ), labels, by_label)


def _by_label(servers: list[str]) -> dict[str, list[str]]:
    from dnsplan.runtime.config.server_address import servers_by_label

    try:
        return servers_by_label(servers)
    except ValueError as error:
        end_usage(str(error))


def _configure_log(level: str) -> None:
    """`level` is what the environment does not say otherwise."""
    from dnsplan.runtime import telemetry

    environ = {telemetry.LEVEL_VARIABLE: level, **os.environ}
    telemetry.configure(environ, sys.stderr, component="sentinel")
