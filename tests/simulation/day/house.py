"""Three planners of the product around one table, and what each of them sees of a day.

Time is the day's. Everything between a probe and a published plan is the product's own: watch,
sources, vantage points, rules, guardrails, publishing. `Switches` take one protection away each.
"""

from dataclasses import dataclass
from pathlib import Path
from random import Random

from dnsplan.runtime.config import load
from planner.cycle import PlanCycle
from planner.membership import Feed
from planner.outlook import Outlook
from planner.passes import PlanPass
from planner.ports import Source
from planner.rules.admission import unapplied_plans
from planner.rules.probing import Probe, ProbeResult
from planner.rules.roll import Listing
from planner.settings import PlannerSettings, planner_settings
from planner.sourcing import Sourcing
from planner.vantage import VantagePoint
from planner.watch import Watch
from tests.fakes.archive import FakeArchive
from tests.fakes.clock import FakeClock, SeededJitter
from tests.fakes.table import FakeTable
from tests.fakes.vantage import FakeVantageBoard
from tests.simulation.day.enactor import Enactor
from tests.simulation.day.judge import Judge
from tests.simulation.day.truth import AZS, Truth, web_targets

STEP_S = 10.0
MIN_TARGETS, SHARE, WINDOW_S = 3, 0.25, 300
HOLD_S = 60.0
PLANS_A_MIN = 6


@dataclass(frozen=True, slots=True)
class Switches:
    """Which protections are on."""

    hysteresis: bool = True
    velocity: bool = True
    hold_down: bool = True
    vantage_points: bool = True
    pace: bool = True


def config_text(on: Switches) -> str:
    """`dns.yaml` of the day's system, with what is switched off as an operator would."""
    steady = "rise: 1, fall: 1, probation_s: 0"
    if on.hysteresis:
        steady = "rise: 2, fall: 3, probation_s: 60"
    hold_s = HOLD_S if on.hold_down else 0
    share = SHARE if on.velocity else 1.0
    pace = PLANS_A_MIN if on.pace else 600
    health = f"{{tcp: {{port: 443}}, interval_s: 10, timeout_s: 3, {steady}, slow_start_s: 60}}"
    targets = "\n".join(
        f"      - {{id: {one}, address: {address}, az: {az}}}" for one, az, address in web_targets()
    )
    return f"""
azs: [{", ".join(AZS)}]
zones:
  shop:
    name: shop.example
    names:
      web: {{pool: web, routing: weighted}}
      fleet: {{pool: fleet}}
pools:
  web:
    balance: az
    targets:
{targets}
    health: {health}
  fleet:
    sources: [{{file: {{path: fleet.json}}, interval_s: 10, hold_s: {hold_s}}}]
    health: {health}
guardrails: {{min_targets: {MIN_TARGETS}, max_removed_share: {share}, window_s: {WINDOW_S}}}
planner: {{interval_s: {STEP_S:g}, max_plans_per_min: {pace}}}
"""


@dataclass(slots=True)
class _Eyes:
    """`planner.ports.Prober` of one AZ."""

    truth: Truth
    clock: FakeClock
    az: str
    asked: int = 0

    async def probe(self, probe: Probe) -> ProbeResult:
        """What it finds now."""
        self.asked += 1
        return self.truth.probe(self.az, probe.address, self.clock.elapsed_s())


@dataclass(slots=True)
class _List:
    """`planner.ports.Source` of the fleet."""

    truth: Truth
    clock: FakeClock

    async def read(self) -> Listing:
        """What it says now."""
        return self.truth.listing(self.clock.elapsed_s())


@dataclass(slots=True)
class _Planner:
    """One AZ's planner since its last start."""

    watch: Watch
    sourcing: Sourcing
    outlook: Outlook
    vantage: VantagePoint
    planning: PlanPass

    async def run_once(self) -> None:
        """Look once at everything and plan."""
        await self.watch.look(rounds=1, pause_s=0.0)
        await self.sourcing.read_once()
        self.planning.plan_for(self.outlook.wishes())
        sight = await self.vantage.look(self.outlook.sight())
        await self.planning.run_once(sight, may_write=True)


class House:
    """All planners, and the day that passes."""

    def __init__(self, truth: Truth, judge: Judge, folder: Path, on: Switches, seed: int) -> None:
        """Nobody runs yet."""
        path = folder / "dns.yaml"
        path.write_text(config_text(on))
        self.wanted: PlannerSettings = planner_settings(load(path, {}).settings)
        self.truth, self.judge, self.on = truth, judge, on
        self.clock, self.table, self.archive = FakeClock(), FakeTable(), FakeArchive()
        self.board = FakeVantageBoard()
        self.enactor = Enactor(truth, self.clock, self.table)
        self.chance = Random(f"house {seed}")
        self.planners: dict[str, _Planner] = {}
        self.eyes = {az: _Eyes(truth, self.clock, az) for az in AZS}

    async def live(self) -> None:
        """Play the whole day."""
        while (now_s := self.clock.elapsed_s()) < self.truth.length_s:
            away = any(one.is_on(now_s) for one in self.truth.no_table)
            self.table.reachable = self.archive.reachable = not away
            self.board.fails = away
            for az in self.chance.sample(AZS, len(AZS)):
                await self._turn(az)
                self.clock.advance(STEP_S / len(AZS))
            self.judge.looked(self.clock.elapsed_s())

    async def _turn(self, az: str) -> None:
        if self.truth.is_gone(az, self.clock.elapsed_s()):
            self.planners.pop(az, None)
            return
        if az not in self.planners:
            self.planners[az] = self._started(az)
        await self.planners[az].run_once()
        await self.enactor.run_once()
        item = self.table.items.get("shop")
        if item is not None and item.head:
            body, behind = self.archive.bodies[item.head_id], unapplied_plans(item) - 1
            self.judge.heard(body, self.clock.elapsed_s(), behind=behind)

    def _started(self, az: str) -> _Planner:
        clock, jitter = self.clock, SeededJitter(self.chance.getrandbits(32))

        def opening(_: Feed) -> Source:
            return _List(self.truth, clock)

        watch = Watch(self.wanted.watched, self.eyes[az], clock=clock, jitter=jitter)
        sourcing = Sourcing(self.wanted.feeds, opening, clock=clock, jitter=jitter)
        board = self.board if self.on.vantage_points else FakeVantageBoard()
        vantage = VantagePoint(board, clock=clock, az=az)
        cycle = PlanCycle(
            table=self.table,
            archive=self.archive,
            clock=clock,
            jitter=jitter,
            author=f"planner/{az}",
            plans_per_min_max=self.wanted.plans_per_min_max,
        )
        cycle.wait_s = lambda label: vantage.wait_s(label, stagger_s=STEP_S)
        outlook = Outlook(self.wanted, watch, sourcing)
        planning = PlanPass(self.wanted.wishes, table=self.table, cycle=cycle)
        return _Planner(watch, sourcing, outlook, vantage, planning)
