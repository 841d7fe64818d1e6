"""The planner's loops: planning never waits for probing, and a broken watch ends the process."""

import asyncio
from collections.abc import Sequence

import pytest

from dnsplan.plan import Generation
from planner.cleanup import CleanReport
from planner.daemon import CleanupDaemon, PlannerDaemon
from planner.membership import Feed
from planner.outlook import Outlook
from planner.passes import CleanupPass
from planner.ports import Prober, Source
from planner.reporting import PlanLog
from planner.rules.health import Hysteresis
from planner.rules.outcomes import Cleaned, CleanOutcome, Held, HoldRule
from planner.rules.probing import Probe, ProbeResult, TcpCheck, Watched
from planner.settings import PlannerSettings
from planner.sourcing import Sourcing
from planner.watch import Watch
from tests.fakes.clock import FakeClock, SeededJitter
from tests.unit.planner.cases import a, wish
from tests.unit.planner.world import World

ZONE = wish(records=(a("x.example.com.", "192.0.2.1"),))


class Broken:
    """A prober with a fault of its own."""

    async def probe(self, probe: Probe) -> ProbeResult:
        """Break."""
        raise RuntimeError(f"no way to ask {probe.address}")


class Silent:
    """A prober that never comes back."""

    async def probe(self, probe: Probe) -> ProbeResult:
        """Wait for ever."""
        await asyncio.Event().wait()
        raise AssertionError(probe)


class Looking(Outlook):
    """An outlook on one stated zone."""

    def __init__(self, watch: Watch) -> None:
        """No config and no sources."""
        sourcing = Sourcing((), never_opened, clock=FakeClock(), jitter=SeededJitter())
        wanted = PlannerSettings(
            table="dnsplan",
            azs=("use1-az1",),
            wishes=(ZONE,),
            watched=(),
            pools={},
            seated={},
            feeds=(),
            interval_s=5.0,
            plans_per_min_max=6,
            probes_per_s_max=500.0,
        )
        super().__init__(wanted, watch, sourcing)


def never_opened(feed: Feed) -> Source:
    """No source is stated."""
    raise AssertionError(feed)


def daemon(world: World, prober: Prober, *targets: str) -> PlannerDaemon:
    """A planner that watches some addresses."""
    rule = Hysteresis(rise=2, fall=3, gap_s=30.0)
    watched = [
        Watched(("web", target), Probe(target, TcpCheck(80), 1.0), 5.0, rule, 0.5)
        for target in targets
    ]
    watch = Watch(watched, prober, clock=FakeClock(), jitter=SeededJitter())
    return PlannerDaemon(world.planner(ZONE), Looking(watch), PlanLog(world.clock))


async def test_a_broken_watch_ends_the_process() -> None:
    """A planner that no longer looks must not go on looking alive."""
    planner = daemon(World(), Broken(), "192.0.2.1")
    async with planner.watching():
        for _ in range(20):  # a task group needs some turns to end
            await asyncio.sleep(0)
        with pytest.raises(ExceptionGroup):
            await planner.run_once()


async def test_planning_does_not_wait_for_probing() -> None:
    """A probe that never ends holds up no plan."""
    world = World()
    planner = daemon(world, Silent(), "192.0.2.1")
    async with planner.watching():
        await planner.run_once()
    assert world.item.head == 1


async def test_a_planner_without_targets_plans() -> None:
    """Stated records alone need no watch."""
    world = World()
    planner = daemon(world, Broken())
    async with planner.watching():
        await asyncio.sleep(0)
        await planner.run_once()
        await planner.run_once()
    assert world.item.head == 1


class Cleaning(CleanupPass):
    """Ends as it is told, zone by zone."""

    def __init__(self) -> None:
        """Without a zone."""
        self.outcomes: Sequence[CleanOutcome] = ()

    async def run_once(self) -> tuple[CleanReport, ...]:
        """One report a zone."""
        return tuple(CleanReport(f"zone-{at}", one) for at, one in enumerate(self.outcomes))


async def test_a_cleanup_that_can_read_no_zone_is_not_ready() -> None:
    """One zone that can be read is enough; the others are told as holds."""
    cleaning = Cleaning()
    cleanup = CleanupDaemon(cleaning)
    unread = Held(HoldRule.READ_FAILED, "table: no answer", "dns-runbook status shop")
    cleaned = Cleaned(Generation(3), 0, 0)
    turns: Sequence[tuple[Sequence[CleanOutcome], str]] = (
        ((unread, unread), "cleanup: no zone can be read: table: no answer"),
        ((unread, cleaned), ""),
        ((), ""),
    )
    for outcomes, said in turns:
        cleaning.outcomes = outcomes
        await cleanup.run_once()
        assert cleanup.trouble() == said
