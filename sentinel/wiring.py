"""Opens adapters for one command, and runs it on them.

Without the control API, a disk or a resolver the sentinel still works as far as it can: each of
these is said when it is missing, and none ends the process.
"""

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import structlog

from dnsplan.notices import Notice
from dnsplan.runtime.aws import AwsClients
from dnsplan.runtime.clock import SystemClock, SystemJitter
from dnsplan.runtime.config import Settings
from dnsplan.runtime.config.listen_address import Listen
from dnsplan.runtime.lifecycle import run_daemon
from dnsplan.runtime.notify import ServiceManager
from dnsplan.runtime.page.daemon_page import DaemonPage
from dnsplan.runtime.page.request_meters import RequestMeters
from dnsplan.runtime.paging.book import Manners
from dnsplan.runtime.paging.delivery import Delivery
from dnsplan.runtime.paging.meters import PagingMeters
from dnsplan.runtime.paging.opening import (
    FOLDER,
    Paging,
    delivering,
    heart,
    open_lines,
    silenced,
    strays_of,
)
from dnsplan.runtime.paging.pager import Pager
from dnsplan.runtime.periodic import Periodic, Stop
from dnsplan.runtime.reloading import Reloading
from dnsplan.runtime.terminal import Visible, terminal
from sentinel.adapters.cloudwatch import CloudWatchMeter
from sentinel.adapters.memory import DiskMemory
from sentinel.charts import Chart
from sentinel.check import Checker
from sentinel.counting import Counting
from sentinel.cycle import Means, SentinelCycle
from sentinel.daemon import CHECK_EVERY_S, COUNT_EVERY_S, SentinelDaemon
from sentinel.opening import Opened, opened_means
from sentinel.page import SentinelPage
from sentinel.recall import Recall
from sentinel.reloading import RELOAD_EVERY_S, Stated, reloading_for
from sentinel.rules.pace import Pace, pace_for
from sentinel.rules.watched import NameKey
from sentinel.second_opinion import SlowRound
from sentinel.settings import Watching
from sentinel.whole_zones import (
    resolver_checks,
    resolver_glance,
    zone_checks,
    zone_glance,
)

DRAIN_WITHIN_S = 10.0
# Before another config is gone by, nobody looks; what waits is on disk, and what is being sent may
# settle, so that it is not sent twice.
ANEW_WITHIN_S = 0.5
PIPE_COLUMNS = 200
MEMORY_FOLDER = "sentinel"


@dataclass(frozen=True, slots=True)
class Running:
    """How `run` was started, whatever the config says."""

    state_dir: Path
    log_only: bool
    listen: Listen | None


async def run_sentinel(stated: Stated, environ: Mapping[str, str], how: Running) -> int:
    """`dns-sentinel run`. With another config it begins anew in the same process, and goes on from
    what it keeps on disk, as after any restart."""
    known: dict[NameKey, Chart] = {}
    while True:
        stop = Stop()
        reloading = reloading_for(stated, stop, SystemClock())
        stop.hangup = reloading.ask
        code = await _run(stated, reloading, stop, environ, how, known)
        if not stop.goes_on:
            return code


async def _run(
    stated: Stated,
    reloading: Reloading,
    stop: Stop,
    environ: Mapping[str, str],
    how: Running,
    known: dict[NameKey, Chart],
) -> int:
    """`known`: of names, by the config before; it is brought up to date for the next one."""
    page = DaemonPage("sentinel", SystemClock())
    page.follow_config(reloading)
    settings, watching = stated.settings, stated.watching()
    settings = silenced(settings) if how.log_only else settings
    state_dir = how.state_dir
    async with opened_means(settings, watching) as opened:
        clock = opened.clock
        paging = await _paging(settings, environ, clock, state_dir)
        PagingMeters(paging.lines, page.registry, paging.strays)
        RequestMeters(opened.bucket, opened.budget, page.registry)
        recall = Recall(watching.zones, DiskMemory(state_dir / MEMORY_FOLDER), clock)
        cycle = _cycle(settings, watching, opened, recall, paging)
        daemon = _daemon(watching, opened, recall, cycle)
        await daemon.resume()
        cycle.go_on(known)
        _log_scope(watching, opened.pace, paging.lines)
        meter = None if how.log_only else _meter(settings)
        counting = None if meter is None else Counting(meter, cycle.without_answers)
        checks = zone_checks(settings, watching, opened, paging.pager)
        resolving = resolver_checks(watching, opened, cycle, checks)
        shown = SentinelPage(page, watching, cycle, recall, paging.pager, resolving)
        works = [
            Periodic("config", RELOAD_EVERY_S, reloading.run_once),
            *daemon.works(counting, paging.beat, checks),
            Periodic("check_resolvers", CHECK_EVERY_S, resolving.run_once),
            *paging.works,
        ]
        async with shown.open(how.listen):
            watched, manager = page.passes.watched(works), ServiceManager(environ)
            code = await run_daemon(
                watched, clock=clock, jitter=SystemJitter(), stop=stop, manager=manager
            )
        await cycle.close()
        known.clear()
        known.update(cycle.charts)
        if meter is not None:
            await meter.close()
        await recall.run_once()
        kept_within_s = ANEW_WITHIN_S if stop.goes_on else DRAIN_WITHIN_S
        await paging.close(within_s=DRAIN_WITHIN_S, kept_within_s=kept_within_s)
        return code


def _cycle(
    settings: Settings, watching: Watching, opened: Opened, recall: Recall, paging: Paging
) -> SentinelCycle:
    means = Means(
        opened.looker, opened.book, recall, opened.second, opened.clock, _to_all(paging.lines)
    )
    return SentinelCycle(watching.scope, means, opened.pace, names_max=settings.sentinel.names_max)


def _daemon(
    watching: Watching, opened: Opened, recall: Recall, cycle: SentinelCycle
) -> SentinelDaemon:
    names = watching.scope.names
    slow = SlowRound(names, opened.second, is_well=cycle.is_well, doubt=cycle.doubt)
    return SentinelDaemon(cycle, opened.book, recall, slow, opened.pace)


async def check_once(settings: Settings, watching: Watching, *, as_json: bool) -> int:
    """`dns-sentinel check`."""
    from rich.console import Console

    from sentinel.show import facts, table

    async with opened_means(settings, watching, is_patient=True) as opened:
        checker = Checker(
            opened.looker,
            opened.book,
            opened.second,
            opened.clock,
            opened.pace,
            zone_glance(settings, watching, opened),
            resolver_glance(watching, opened),
        )
        report = await checker.run(watching.scope)
    if as_json:
        sys.stdout.write(json.dumps(facts(report)) + "\n")
    else:
        # A pipe has no width; what reads it wants a row a line.
        console = terminal() if sys.stdout.isatty() else Console(width=PIPE_COLUMNS)
        console.print(Visible(table(report)))
    return report.exit_code


async def _paging(
    settings: Settings, environ: Mapping[str, str], clock: SystemClock, state_dir: Path
) -> Paging:
    """Within the promise: each try of a sink takes its share of it, and no more."""
    folder = state_dir / FOLDER / MEMORY_FOLDER
    timeout_s = pace_for(settings.sentinel.page_within_s).sink_s
    lines = open_lines(settings.sentinel.alarms, environ, clock, timeout_s=timeout_s, folder=folder)
    manners = Manners(repeat_s=settings.paging.repeat_s, calm_s=0.0)
    beat, beats = heart(settings.sentinel.heartbeat, az="")
    strays = strays_of(settings.sentinel.alarms, folder, clock)
    works = (*delivering(lines, strays), *beats)
    paging = Paging(Pager(lines, clock, manners, folder), tuple(lines), beat, works, strays)
    await paging.resume()
    return paging


def _meter(settings: Settings) -> CloudWatchMeter | None:
    metric = settings.sentinel.metric
    if metric is None:
        return None
    # A count that is not out when the next is due is of no use.
    return CloudWatchMeter(
        AwsClients(),
        namespace=metric.namespace,
        sentinel=metric.sentinel,
        timeout_s=COUNT_EVERY_S / 2,
    )


def _to_all(deliveries: Sequence[Delivery]) -> Callable[[Notice], None]:
    def tell(notice: Notice) -> None:
        for one in deliveries:
            one.put(notice)

    return tell


def _log_scope(watching: Watching, pace: Pace, deliveries: Sequence[Delivery]) -> None:
    log = structlog.get_logger("sentinel")
    log.info(
        "watching",
        zones=len(watching.zones),
        names=len(watching.scope.names),
        each_s=pace.interval_s,
        found_within_s=round(pace.found_within_s, 1),
        page_within_s=pace.page_within_s,
        sinks=[one.name for one in deliveries],
    )
    for one in watching.scope.unjudged:
        log.warning("name_not_judged", zone=one.key[0], name=one.key[1], reason=one.reason)
    if beyond := watching.scope.beyond:
        named = [f"{label} {name}" for label, name in beyond]
        log.error("names_beyond_names_max", count=len(beyond), names=named)
