"""Weeks of all daemons that write the table, over fakes, in virtual time: nothing of it may grow.

    python -m tests.simulation.weeks --days 14

Three planners, three enactors and cleanup are the product's, each at its pace. Hosts fall and come
back, so that plans are made, applied and cleaned up all the time. Once a virtual day it counts the
table's items by kind and measures this process. The sentinel is not among them: it has no table.
"""

import argparse
import asyncio
import gc
import logging
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random

import structlog
from msgspec import Struct

from dnsplan.guardrails import Limits
from dnsplan.runtime.config import load
from dnsplan.velocity import VelocityLimit
from enactor.daemon import EnactorDaemon
from enactor.ports import Outside as EnactorOutside
from enactor.settings import Pace, ZoneTask
from planner.cleanup import CleanupCycle, Outside
from planner.cycle import PlanCycle
from planner.passes import PlanPass
from planner.rules.probing import Bad, Good, Probe, ProbeResult
from planner.rules.retention import Retention
from planner.settings import planner_settings
from planner.vantage import VantagePoint
from planner.watch import Watch
from sandbox.route53.account import Route53Settings
from tests.fakes.clock import FakeClock, SeededJitter
from tests.fakes.zone_records import FakeRoute53
from tests.simulation.cloud import FakeCloud

DAY_S = 86_400
AZS = ("az1", "az2", "az3")
STEP_S = 15.0
CLEANS_EVERY_S = 600.0
# On average: three a day for each of eight hosts, which makes some fifty plans.
FALLS_EVERY_S, DOWN_S = 3_600.0, 300.0
IN_SYNC_AFTER_S = 60.0
PACE = Pace(interval_s=STEP_S, fence_check_s=60.0, stagger_s=20.0, requests_per_s=5.0 / 3)
HOSTS = tuple(f"192.0.2.{at}" for at in range(1, 9))
LIMITS = Limits(VelocityLimit(min_targets=1, max_removed_share=0.25, window_s=300))
CONFIG = """
azs: [az1, az2, az3]
zones: {shop: {name: shop.example, names: {web: {pool: web}, mail: {records: [RECORD]}}}}
pools: {web: {targets: [TARGETS], health: {tcp: {port: 443}, interval_s: 15, probation_s: 60}}}
"""
RECORD = "{type: A, values: [192.0.2.99]}"
KIB_A_MB = 1_024


class Day(Struct, frozen=True):
    """What there is at the end of a virtual day: items of the table, objects of this process."""

    day: float
    plans: int
    bodies: int
    rows: int
    other_items: int
    objects: int
    resident_mb: float


@dataclass(slots=True)
class _Hosts:
    """`planner.ports.Prober` of everybody."""

    clock: FakeClock
    chance: Random
    falls_every_s: float
    down_until_s: dict[str, float]

    async def probe(self, probe: Probe) -> ProbeResult:
        """What a probe finds now."""
        is_down = self.down_until_s.get(probe.address, 0.0) > self.clock.elapsed_s()
        return Bad("connection refused") if is_down else Good("connected")

    def fall(self) -> None:
        """Perhaps one falls in this step."""
        if self.chance.random() < STEP_S / self.falls_every_s:
            self.down_until_s[self.chance.choice(HOSTS)] = self.clock.elapsed_s() + DOWN_S


class Weeks:
    """All of it; `pass_time` lets some of it pass."""

    def __init__(
        self, retention: Retention, *, falls_every_s: float = FALLS_EVERY_S, seed: int = 1
    ) -> None:
        """Everybody has started; nothing is planned yet."""
        structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
        self.clock = FakeClock()
        settings = Route53Settings(insync_after_s=IN_SYNC_AFTER_S)
        self.cloud = FakeCloud(FakeRoute53(self.clock.elapsed_s, settings))
        self.zone = self.cloud.route53.make_zone("shop", "shop.example.")
        self._hosts = _Hosts(self.clock, Random(f"hosts {seed}"), falls_every_s, {})
        self._chance = Random(f"weeks {seed}")
        self._planners = {az: self._planner(az) for az in AZS}
        self._enactors = [self._enactor(az) for az in AZS]
        self._cleanup = CleanupCycle(
            Outside(
                table=self.cloud.table,
                archive=self.cloud.archive,
                fences=self.cloud.route53,
                clock=self.clock,
                jitter=SeededJitter(self._chance.getrandbits(32)),
                graveyard=self.cloud.archive,
            ),
            retention=retention,
            by="cleanup",
        )
        self._cleaned_s = 0.0

    async def pass_time(self, seconds: float) -> None:
        """Let everybody work for so long, in a new order at each step."""
        until_s = self.clock.elapsed_s() + seconds
        while self.clock.elapsed_s() < until_s:
            self._hosts.fall()
            for az in self._chance.sample(AZS, len(AZS)):
                watch, vantage, planning = self._planners[az]
                await watch.look(rounds=1, pause_s=0.0)
                await planning.run_once(await vantage.look(watch.sight()), may_write=True)
            for daemon in self._chance.sample(self._enactors, len(AZS)):
                await daemon.run_once()
                await daemon.finish()
            await self._clean()
            self.clock.advance(STEP_S)

    def seen(self) -> Day:
        """What there is now. What only the fakes keep of the past is let go."""
        cloud = self.cloud
        cloud.table.writes.clear()
        cloud.route53.accepted.clear()
        gc.collect()
        item = cloud.table.items.get("shop")
        return Day(
            day=self.clock.elapsed_s() / DAY_S,
            plans=0 if item is None else item.head,
            bodies=len(cloud.archive.bodies),
            rows=len(cloud.archive.kept),
            other_items=len(cloud.table.items)
            + len(cloud.board.signs)
            + len(cloud.vantage.reports)
            + len(cloud.exceptions.rows),
            objects=len(gc.get_objects()),
            resident_mb=_resident_mb(),
        )

    async def _clean(self) -> None:
        if self.clock.elapsed_s() - self._cleaned_s >= CLEANS_EVERY_S:
            self._cleaned_s = self.clock.elapsed_s()
            await self._cleanup.run_once("shop", self.zone.name)

    def _planner(self, az: str) -> tuple[Watch, VantagePoint, PlanPass]:
        targets = ", ".join(f"{{id: h{at}, address: {one}}}" for at, one in enumerate(HOSTS))
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "dns.yaml"
            path.write_text(CONFIG.replace("TARGETS", targets).replace("RECORD", RECORD))
            wanted = planner_settings(load(path, {}).settings)
        jitter = SeededJitter(self._chance.getrandbits(32))
        vantage = VantagePoint(self.cloud.vantage, clock=self.clock, az=az)
        cycle = PlanCycle(
            table=self.cloud.table,
            archive=self.cloud.archive,
            clock=self.clock,
            jitter=jitter,
            author=f"planner/{az}",
            plans_per_min_max=wanted.plans_per_min_max,
        )
        cycle.wait_s = lambda label: vantage.wait_s(label, stagger_s=STEP_S)
        watch = Watch(wanted.watched, self._hosts, clock=self.clock, jitter=jitter)
        return watch, vantage, PlanPass(wanted.wishes, table=self.cloud.table, cycle=cycle)

    def _enactor(self, az: str) -> EnactorDaemon:
        outside = EnactorOutside(
            table=self.cloud.table,
            archive=self.cloud.archive,
            records=self.cloud.route53,
            exceptions=self.cloud.exceptions,
            clock=self.clock,
            jitter=SeededJitter(self._chance.getrandbits(32)),
        )
        daemon = EnactorDaemon(outside, self.cloud.board, az=az, azs=AZS, pace=PACE)
        daemon.admit(ZoneTask(self.zone, observe=False, repair_drift=True, limits=LIMITS))
        return daemon


def days(count: int, retention: Retention) -> Iterator[Day]:
    """One after another."""
    weeks = Weeks(retention)
    with asyncio.Runner() as runner:
        for _ in range(count):
            runner.run(weeks.pass_time(DAY_S))
            yield weeks.seen()


def _resident_mb() -> float:
    found = Path("/proc/self/status").read_text().partition("VmRSS:")[2].split()
    return int(found[0]) / KIB_A_MB


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m tests.simulation.weeks", description=__doc__)
    parser.add_argument("--days", type=int, default=14)
    parser.add_argument("--history", type=int, default=200, help="cleanup.history (200)")
    chosen = parser.parse_args()
    retention = Retention(keep=20, min_age_s=DAY_S, history=chosen.history)
    sys.stdout.write("day  plans  bodies  rows  other items  objects      MB  seconds\n")
    began_s = time.monotonic()
    for one in days(chosen.days, retention):
        sys.stdout.write(
            f"{one.day:3.0f}{one.plans:7}{one.bodies:8}{one.rows:6}{one.other_items:13}"
            f"{one.objects:9}{one.resident_mb:8.1f}{time.monotonic() - began_s:9.0f}\n"
        )
        sys.stdout.flush()


if __name__ == "__main__":
    main()
