"""Every metric that a daemon exports, as the daemons' own parts register it, and its text form."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

import structlog
from prometheus_client import CollectorRegistry, generate_latest

from dnsplan.notices import Change, Notice
from dnsplan.runtime.bucket import BucketRate, TokenBucket
from dnsplan.runtime.page.daemon_page import DaemonPage
from dnsplan.runtime.page.reading import TableReading
from dnsplan.runtime.page.request_meters import RequestMeters
from dnsplan.runtime.page.table_meters import TableMeters
from dnsplan.runtime.paging.book import Manners
from dnsplan.runtime.paging.delivery import Delivery
from dnsplan.runtime.paging.log import LogSink
from dnsplan.runtime.paging.meters import PagingMeters
from dnsplan.runtime.paging.pager import Pager
from dnsplan.runtime.periodic import Periodic
from dnsplan.runtime.retry import RetryBudget
from enactor.meters import EnactorMeters
from planner.meters import PlannerMeters
from planner.probe_meter import ProbeMeter
from planner.timed import TimedProber
from sentinel.page import SentinelPage
from sentinel.rules.watched import scope
from sentinel.settings import Watching
from tests.fakes.clock import FakeClock
from tests.fakes.notes import FakeBoard
from tests.fakes.prober import FakeProber
from tests.fakes.world import World
from tests.unit.sentinel.test_page import Asked
from tests.unit.sentinel.world import world as sentinel_world


@contextmanager
def untouched_log() -> Iterator[None]:
    """A page listens to the log; nobody after it does."""
    before = structlog.get_config()
    try:
        yield
    finally:
        structlog.configure(**before)


def registries() -> dict[str, CollectorRegistry]:
    """One for each kind of daemon."""
    with untouched_log():
        clock = FakeClock()
        enactor, planner = DaemonPage("enactor", clock, az="az1"), DaemonPage("planner", clock)
        for page in (enactor, planner):
            TableMeters(_reading(), page.registry)
            page.passes.watched([Periodic("work", 1.0, _nothing)])
        EnactorMeters(enactor.registry, clock, az="az1")
        bucket = TokenBucket(clock, BucketRate(per_s=1.0, burst=1, least_per_s=0.1))
        RequestMeters(bucket, RetryBudget(), enactor.registry)
        PlannerMeters(planner.registry, clock, az=None)
        TimedProber(FakeProber(), clock, planner.registry)
        ProbeMeter(planner.registry, clock)
        for registry in (enactor.registry, planner.registry):
            PagingMeters([_line(clock)], registry)
        return {
            "enactor": enactor.registry,
            "planner": planner.registry,
            "sentinel": asyncio.run(_sentinel()).registry,
        }


def names(registry: CollectorRegistry) -> frozenset[str]:
    """What stands in the text form, the parts of a histogram as well."""
    found: set[str] = set()
    for family in registry.collect():
        endings = {"counter": ("_total",), "histogram": ("_bucket", "_count", "_sum")}
        name = f"{family.name}_info" if family.type == "info" else family.name
        found.update(name + ending for ending in endings.get(family.type, ("",)))
    return frozenset(found)


def text(registry: CollectorRegistry) -> str:
    """As Prometheus reads it."""
    return generate_latest(registry).decode()


def _reading() -> TableReading:
    world = World()
    return TableReading(
        ["shop"],
        table=world.table,
        archive=world.archive,
        board=FakeBoard(),
        clock=world.clock,
        name="dnsplan",
    )


def _line(clock: FakeClock) -> Delivery:
    line = Delivery(LogSink(), clock)
    line.put(Notice("page-1", Change.PAGE, "a page", "waits", clock.now_s(), {}))
    return line


async def _sentinel() -> DaemonPage:
    """Its world wants a loop to tell the time by."""
    made = sentinel_world(1)
    page = DaemonPage("sentinel", FakeClock())
    watching = Watching(scope(made.names, unjudged=[], names_max=10), {}, {})
    PagingMeters([_line(FakeClock())], page.registry)
    pager = Pager([], FakeClock(), Manners(repeat_s=1.0, calm_s=0.0), None)
    SentinelPage(page, watching, made.cycle, made.recall, pager, Asked())
    return page


async def _nothing() -> None:
    """A pass."""
