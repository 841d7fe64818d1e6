"""The `dns-enactor` command: options, config, exit codes, and what runs at which pace.

Only this module and `wiring` know the environment and open clients. Imports that take time happen
inside the commands, so that `--help` is instant.
"""

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dnsplan import exits
from dnsplan.runtime.commands import check_labels, end_usage, end_with, listened, loaded_config
from dnsplan.runtime.console import (
    ConfigOption,
    HttpOption,
    LogOnlyOption,
    StateDirOption,
    command_app,
)

if TYPE_CHECKING:
    from dnsplan.runtime.config.listen_address import Listen
    from dnsplan.runtime.config.loading import LoadedConfig
    from dnsplan.runtime.config.rereading import ConfigFiles
    from dnsplan.runtime.config.schema import Settings

app = command_app("dns-enactor")

# A batch is answered within this time; what is not is settled by whoever runs next.
CLOSE_WITHIN_S = 10.0


@app.callback()
def main() -> None:
    """Make Route 53 hold what the newest plans state."""


@app.command("run")
def run_command(
    *,
    az: Annotated[str, typer.Option(help="The AZ that this enactor stands in, one of azs.")],
    state_dir: StateDirOption = None,
    log_only: LogOnlyOption = False,
    http: HttpOption = None,
    config: ConfigOption = None,
) -> None:
    """Run one AZ's enactor until it is told to stop.

    Each AZ runs one; any of them can do all the work alone. It never stops for
    AWS: unreachable, throttled or denied, it stays up, says so, and leaves DNS
    as it is. SIGTERM lets the present pass end; a second one ends at once. The
    last good plans stand in state_dir/plans, for dns-runbook restore.

    A config that is changed is taken up within seconds, and SIGHUP reads it
    again: zones that came are worked on, those that are gone are left as they
    are. One with mistakes changes nothing and is said.

    \b
    Examples:
      dns-enactor run --az use1-az1
      dns-enactor run --az use1-az2 --http 127.0.0.1:8053

    \b
    Exit codes:
      0  told to stop
      1  the program is broken; DNS is left as it is
      2  wrong options, or mistakes in the config
    """
    from dnsplan.runtime import telemetry
    from dnsplan.runtime.config.rereading import ConfigFiles
    from dnsplan.runtime.paging.opening import silenced

    loaded = loaded_config(config, records=False)
    _check_az(az, loaded)
    telemetry.configure(os.environ, sys.stderr, az=az, component="enactor")
    listen = listened("ENACTOR", loaded.settings, http)
    settings = silenced(loaded.settings) if log_only else loaded.settings
    files = ConfigFiles(loaded, os.environ)
    end_with("dns-enactor", _run(settings, files, az, state_dir, listen))


@app.command("once")
def once_command(
    labels: Annotated[
        list[str] | None,
        typer.Argument(metavar="[LABEL]...", help="Zones by their label. Default: all."),
    ] = None,
    *,
    az: Annotated[str | None, typer.Option(help="Write fences as this AZ. Default: the first.")] = (
        None
    ),
    config: ConfigOption = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object a zone.")] = False,
) -> None:
    """Run one cycle of each zone and wait until its change is in sync.

    \b
    Examples:
      dns-enactor once shop
      dns-enactor once --json

    \b
    Exit codes:
      0  in sync or applied
      1  fenced or unanswered: run it again
      2  wrong options, or mistakes in the config
      3  held, as a zone or as single names: the line says why, and what to run
    """
    from dnsplan.runtime import telemetry

    loaded = loaded_config(config, records=False)
    chosen = az or loaded.settings.azs[0]
    _check_az(chosen, loaded)
    check_labels(labels or (), loaded.settings)
    telemetry.configure(os.environ, sys.stderr, az=chosen, component="enactor")
    end_with("dns-enactor", _once(loaded, chosen, tuple(labels or ()), as_json=json))


def run() -> None:
    """Entry point of the console command."""
    app()


async def _run(
    settings: "Settings",
    files: "ConfigFiles",
    az: str,
    state_dir: Path | None,
    listen: "Listen | None",
) -> int:
    from dnsplan.runtime.keys import warn_where_off
    from dnsplan.runtime.lifecycle import run_daemon
    from dnsplan.runtime.notify import ServiceManager
    from dnsplan.runtime.paging.meters import PagingMeters
    from dnsplan.runtime.periodic import Periodic, Stop
    from enactor.adapters.plan_files import DiskPlanFiles
    from enactor.alarming import PAGE_EVERY_S
    from enactor.daemon import EnactorDaemon
    from enactor.keeping import KEEP_EVERY_S, Keeping
    from enactor.page import EnactorPage
    from enactor.reloading import RELOAD_EVERY_S, reloading_for
    from enactor.roster import FIND_EVERY_S, Roster
    from enactor.wiring import alarming_for, wired_enactor, wired_paging

    warn_where_off(settings.signing, "enactor")
    async with wired_enactor(settings, az=az) as wired:
        outside, folder = wired.outside, state_dir or settings.state_dir
        shown = EnactorPage(settings, outside, wired.board, az=az, state_dir=folder)
        shown.count_requests(wired.bucket, wired.budget)
        daemon = EnactorDaemon(
            outside,
            wired.board,
            az=az,
            azs=settings.azs,
            pace=wired.pace,
            line=wired.bucket,
        )
        daemon.witness = shown.meters.note
        roster = Roster(settings, wired.finder, daemon)
        roster.follow_roles = wired.route53.follow
        keeping = Keeping(
            outside.table, outside.archive, DiskPlanFiles(folder), tuple(settings.zones)
        )
        paging = await wired_paging(settings, os.environ, outside.clock, az=az, state_dir=folder)
        PagingMeters(paging.lines, shown.page.registry, paging.strays)
        alarming = alarming_for(settings, wired, paging, daemon, roster, az=az)
        reloading = reloading_for(
            files, clock=outside.clock, az=az, roster=roster, keeping=keeping, shown=shown
        )
        works = [
            Periodic("config", RELOAD_EVERY_S, reloading.run_once),
            Periodic("find_zones", FIND_EVERY_S, roster.run_once),
            Periodic("enact", wired.pace.interval_s, alarming.watched(daemon.run_once)),
            Periodic("keep_plans", KEEP_EVERY_S, keeping.run_once),
            Periodic("page", PAGE_EVERY_S, alarming.run_once),
            *paging.works,
        ]
        async with shown.open(listen):
            code = await run_daemon(
                shown.page.passes.watched(works),
                clock=outside.clock,
                jitter=outside.jitter,
                stop=Stop(reloading.ask),
                manager=ServiceManager(os.environ),
            )
        await daemon.close(grace_s=CLOSE_WITHIN_S)
        await paging.close()
        return code


async def _once(loaded: "LoadedConfig", az: str, labels: tuple[str, ...], *, as_json: bool) -> int:
    from dnsplan.errors import DnsplanError
    from dnsplan.pages import page_of
    from enactor.cycle import EnactCycle
    from enactor.once import Once
    from enactor.roster import task_of
    from enactor.wiring import wired_enactor

    settings = loaded.settings
    entries = {label: settings.zones[label] for label in labels or settings.zones}
    try:
        async with wired_enactor(settings, az=az) as wired:
            outside = wired.outside
            found = await wired.finder.find_all(entries)
            for problem in found.problems:
                typer.echo(str(problem), err=True)
            if found.problems:
                return exits.USAGE
            tasks = {label: task_of(settings, zone) for label, zone in found.zones.items()}
            cycle = EnactCycle(outside, az=az, pace=wired.pace)
            once = Once(cycle, outside.table, outside.clock, typer.echo)
            return await once.run(tasks, as_json=as_json)
    except DnsplanError as error:
        said = f"{error}; next: dns-runbook status; page: {page_of(error)}"
        typer.echo(f"dns-enactor: {said}", err=True)
        return exits.FAILED


def _check_az(az: str, loaded: "LoadedConfig") -> None:
    if az not in loaded.settings.azs:
        found = loaded.problem(("azs",), ", ".join(loaded.settings.azs), f"--az {az} among them")
        end_usage(str(found))
