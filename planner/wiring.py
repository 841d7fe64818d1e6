"""Opens adapters for one command, and runs it on them."""

import math
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any

from prometheus_client import CollectorRegistry

from dnsplan.errors import visible
from dnsplan.runtime.archive import DynamoPlanArchive
from dnsplan.runtime.aws import AwsClients
from dnsplan.runtime.bucket import BucketRate, TokenBucket
from dnsplan.runtime.clock import SystemClock, SystemJitter
from dnsplan.runtime.config import Settings
from dnsplan.runtime.config.listen_address import Listen
from dnsplan.runtime.config.rereading import ConfigFiles
from dnsplan.runtime.keys import signer_of, warn_where_off
from dnsplan.runtime.page.request_meters import RequestMeters
from dnsplan.runtime.paging.meters import PagingMeters
from dnsplan.runtime.paging.opening import Who, open_paging
from dnsplan.runtime.periodic import Periodic
from dnsplan.runtime.retry import RetryBudget, Retrying
from dnsplan.runtime.table_making import create_table
from dnsplan.vouch import Role
from planner.adapters.fences import FencesByLabel
from planner.adapters.probes import SocketProber
from planner.adapters.sentinel_page import HttpSentinelPage
from planner.adapters.sources.opening import SourceOpener
from planner.adapters.sources.remembered import remembering
from planner.alarming import PAGE_EVERY_S, alarming_for
from planner.cleanup import CleanupCycle, Outside
from planner.cycle import PlanCycle
from planner.daemon import CleanupDaemon, PlannerDaemon, run_works
from planner.meters import PlannerMeters
from planner.opening import Opened, open_client, opened_table, vantage_board
from planner.outlook import Outlook
from planner.page import TablePage
from planner.passes import CleanupPass, PlanPass
from planner.ports import Prober
from planner.probe_meter import ProbeMeter
from planner.reloading import reloading_for
from planner.reporting import PlanLog, SourceLog
from planner.settings import PlannerSettings, cleanup_settings, narrowed, planner_settings
from planner.show.facts import clean_facts, plan_facts
from planner.show.plain import clean_lines, plan_lines
from planner.show.tables import clean_table, plan_table
from planner.show.words import clean_exit_code, plan_exit_code
from planner.show.written import write_reports
from planner.sourcing import Sourcing
from planner.timed import TimedProber
from planner.vantage import VantagePoint
from planner.watch import Watch
from planner.waving import Waving

# `plan` asks in quick rounds: what it shows is what the daemon would see after some intervals.
ROUND_PAUSE_S = 0.5

# Cleanup asks for one fence a zone, seldom; a tenth of the account's rate leaves the rest alone.
CLEANUP_SHARE = 0.1

SERVICE_AUTHOR = "planner"


@dataclass(frozen=True, slots=True)
class Showing:
    """How `plan` ends."""

    publish: bool
    as_json: bool


async def run_planner(
    settings: Settings,
    environ: Mapping[str, str],
    files: ConfigFiles,
    *,
    az: str | None,
    listen: Listen | None,
) -> int:
    """`dns-planner run`. `files` are those that the settings were read from."""
    wanted = planner_settings(settings)
    clock, jitter = SystemClock(), SystemJitter()
    shown = TablePage("planner", settings, tuple(settings.zones), clock, az=az)
    meters = PlannerMeters(shown.page.registry, clock, az=az)
    author = SERVICE_AUTHOR if az is None else f"{SERVICE_AUTHOR}/{az}"
    warn_where_off(settings.signing, "planner")
    signer = signer_of(settings.signing, Role.PLANNER, environ)
    async with opened_table(settings, signer) as opened, _prober(wanted) as prober:
        timed = TimedProber(prober, clock, shown.page.registry)
        outlook = _outlook(wanted, timed, _opener(opened, environ, settings, keeps=True))
        vantage = _vantage(settings, opened, az=az)
        planning = _planning(wanted, opened, author=author, vantage=vantage)
        daemon = PlannerDaemon(planning, outlook, PlanLog(clock))
        daemon.vantage, daemon.sources = vantage, SourceLog(clock)
        daemon.probes = ProbeMeter(shown.page.registry, clock)
        who = Who(author.replace("/", "-"), az or "", settings.state_dir)
        heartbeat = settings.planner.heartbeat
        paging = await open_paging(settings, who, environ, clock, heartbeat=heartbeat)
        PagingMeters(paging.lines, shown.page.registry, paging.strays)
        alarming = alarming_for(settings, paging, clock)
        daemon.witnesses += (meters.note, alarming.note)
        shown.page.passes.mind(alarming.trouble)
        reloading = reloading_for(files, outlook, clock=clock, az=az)
        reloading.takers.append(shown.follow)
        shown.page.follow_config(reloading)
        works = [
            Periodic("plan", wanted.interval_s, daemon.run_once),
            Periodic("config", wanted.interval_s, reloading.run_once),
            Periodic("page", PAGE_EVERY_S, alarming.run_once),
            *paging.works,
        ]
        watched = shown.page.passes.watched(works)
        async with daemon.watching(), shown.open(listen, opened.held, meters=meters):
            code = await run_works(
                *watched, clock=clock, jitter=jitter, environ=environ, hangup=reloading.ask
            )
        await paging.close()
        return code


async def plan_once(
    settings: Settings, labels: Sequence[str], environ: Mapping[str, str], *, how: Showing
) -> int:
    """`dns-planner plan`."""
    publish, as_json = how.publish, how.as_json
    wanted = narrowed(planner_settings(settings), labels)
    signer = signer_of(settings.signing, Role.PLANNER, environ) if publish else None
    async with opened_table(settings, signer) as opened, _prober(wanted) as prober:
        outlook = _outlook(wanted, prober, _opener(opened, environ, settings, keeps=False))
        tell = sys.stderr.write if sys.stderr.isatty() else _say_nothing
        seen = await outlook.look(pause_s=ROUND_PAUSE_S, tell=tell)
        # All rounds were made, so nobody waits any longer for a first look.
        asked = {key: replace(one, since_s=-math.inf) for key, one in seen.asked.items()}
        seen = replace(seen, since_s=-math.inf, asked=asked)
        sight = await _vantage(settings, opened, az=None).look(seen)
        planning = _planning(wanted, opened, author=SERVICE_AUTHOR)
        planning.plan_for(outlook.wishes(), outlook.waves)
        for (pool, source), roll in outlook.rolls.items():
            if roll.problem is not None:
                sys.stderr.write(visible(f"pool {pool}: {source}: {roll.problem}") + "\n")
        sys.stderr.writelines(f"{visible(line)}\n" for line in outlook.left_out)
        reports = await planning.run_once(sight, may_write=publish, only=frozenset(labels))
    write_reports(reports, plan_facts, plan_lines, plan_table, as_json=as_json)
    return plan_exit_code(report.outcome for report in reports)


async def run_cleanup(
    settings: Settings, labels: Sequence[str], environ: Mapping[str, str], *, listen: Listen | None
) -> int:
    """`dns-planner cleanup --daemon`."""
    clock, jitter = SystemClock(), SystemJitter()
    shown = TablePage("cleanup", settings, labels, clock, az=None)
    async with _cleaning(settings, labels, shown.page.registry) as (cleaning, opened):
        daemon = CleanupDaemon(cleaning)
        shown.page.passes.mind(daemon.trouble)
        work = Periodic("cleanup", cleanup_settings(settings).interval_s, daemon.run_once)
        works = shown.page.passes.watched([work])
        async with shown.open(listen, opened.held):
            return await run_works(*works, clock=clock, jitter=jitter, environ=environ)


async def clean_once(settings: Settings, labels: Sequence[str], *, as_json: bool) -> int:
    """`dns-planner cleanup`."""
    async with _cleaning(settings, labels, CollectorRegistry()) as (cleaning, _):
        reports = await cleaning.run_once()
    write_reports(reports, clean_facts, clean_lines, clean_table, as_json=as_json)
    return clean_exit_code(report.outcome for report in reports)


async def make_table(settings: Settings) -> int:
    """`dns-planner init`."""
    clock, jitter = SystemClock(), SystemJitter()
    async with opened_table(settings) as opened:
        made = await create_table(
            opened.dynamodb, settings.table, clock=clock, jitter=jitter, retrying=opened.retrying
        )
    what = "made" if made.created else "is there already"
    sys.stdout.write(f"table {made.table} {what} (id {made.incarnation})\n")
    return 0


def _say_nothing(_text: str) -> int:
    return 0


def _opener(
    opened: Opened, environ: Mapping[str, str], settings: Settings, *, keeps: bool
) -> SourceOpener:
    kept = remembering(settings.state_dir, clock=SystemClock(), keeps=keeps)
    return SourceOpener(environ, opened.clients, opened.retrying, kept)


def _outlook(wanted: PlannerSettings, prober: Prober, opener: SourceOpener) -> Outlook:
    clock, jitter = SystemClock(), SystemJitter()
    watch = Watch(wanted.watched, prober, clock=clock, jitter=jitter)
    return Outlook(wanted, watch, Sourcing(wanted.feeds, opener, clock=clock, jitter=jitter))


def _prober(wanted: PlannerSettings) -> SocketProber:
    return SocketProber(per_s_max=wanted.probes_per_s_max)


def _vantage(settings: Settings, opened: Opened, *, az: str | None) -> VantagePoint:
    return VantagePoint(vantage_board(opened, settings.table), clock=SystemClock(), az=az)


def _planning(
    wanted: PlannerSettings,
    opened: Opened,
    *,
    author: str,
    vantage: VantagePoint | None = None,
) -> PlanPass:
    cycle = PlanCycle(
        table=opened.table,
        archive=opened.archive,
        clock=SystemClock(),
        jitter=SystemJitter(),
        author=author,
        plans_per_min_max=wanted.plans_per_min_max,
    )
    cycle.keyring = opened.keyring
    if vantage is not None:
        cycle.wait_s = lambda label: vantage.wait_s(label, stagger_s=wanted.interval_s)
    waving = Waving(opened.held.board, HttpSentinelPage(), SystemClock())
    return PlanPass(wanted.wishes, table=opened.table, cycle=cycle, waving=waving)


@asynccontextmanager
async def _cleaning(
    settings: Settings, labels: Sequence[str], registry: CollectorRegistry
) -> AsyncIterator[tuple[CleanupPass, Opened]]:
    wanted = cleanup_settings(settings)
    clients, clock, jitter = AwsClients(), SystemClock(), SystemJitter()
    per_s = settings.account_requests_per_s * CLEANUP_SHARE
    bucket = TokenBucket(clock, BucketRate(per_s=per_s, burst=1, least_per_s=per_s / 8))
    RequestMeters(bucket, budget := RetryBudget(), registry)
    asking = Retrying(clock, jitter, budget=budget, bucket=bucket)
    async with opened_table(settings) as opened, AsyncExitStack() as stack:
        by_role: dict[str | None, Any] = {}
        for role in dict.fromkeys(settings.zones[label].role_arn for label in labels):
            by_role[role] = await open_client(stack, clients, "route53", role_arn=role)
        route53 = {label: by_role[settings.zones[label].role_arn] for label in labels}
        cycle = CleanupCycle(
            Outside(
                table=opened.table,
                archive=opened.archive,
                fences=FencesByLabel(route53, asking),
                clock=clock,
                jitter=jitter,
                graveyard=DynamoPlanArchive(opened.dynamodb, settings.table, opened.retrying),
            ),
            retention=wanted.retention,
            by="cleanup",
        )
        yield CleanupPass([one for one in wanted.zones if one[0] in labels], cycle), opened
