"""The product's daemons as processes of a pretended world: one enactor an AZ, two planners, one
cleanup. Their code is the product's own; only ports, clock and chance are pretended."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from random import Random

from dnsplan.plan import SCHEMA
from dnsplan.ports import Zone
from dnsplan.runtime.periodic import Periodic, Stop, keep_doing
from dnsplan.vouch import UNCHECKED, Keyring, Signer
from enactor.daemon import EnactorDaemon
from enactor.ports import Outside as EnactorOutside
from enactor.settings import Pace, ZoneTask
from planner.cleanup import CleanupCycle
from planner.cleanup import Outside as CleanupOutside
from planner.cycle import PlanCycle, ZoneReport
from planner.passes import CleanupPass, PlanPass
from planner.ports import SentinelPage
from planner.rules.retention import Retention
from planner.rules.waves import Waves
from planner.vantage import VantagePoint
from planner.watch import Watch
from planner.waving import Waving
from runbooks.controls.outside import Operator
from runbooks.controls.outside import Outside as ControlsOutside
from tests.simulation import keys
from tests.simulation.checkers import Checkers
from tests.simulation.cloud import Cloud
from tests.simulation.loop import SimLoop
from tests.simulation.processes import Process, ProcessClock, ProcessJitter
from tests.simulation.reach import Reach, Reached
from tests.simulation.wire import Wire
from tests.simulation.workload import LIMITS, Intent, watched_of, wish_of, worded

AZS = ("az1", "az2", "az3")
PLANNERS = ("planner1", "planner2")
PACE = Pace(
    interval_s=2.0,
    fence_check_s=20.0,
    stagger_s=5.0,
    requests_per_s=5.0,
    announce_s=5.0,
    confirm_max_s=120.0,
)
PLAN_EVERY_S = 5.0
PLANS_PER_MIN_MAX = 6
CLEAN_EVERY_S = 15.0
RETENTION = Retention(keep=1, min_age_s=0)


@dataclass(slots=True, kw_only=True)
class House:
    """All processes of one run, and how each is started again."""

    loop: SimLoop
    wire: Wire
    cloud: Cloud
    judge: Checkers
    reach: Reach
    chance: Random
    zones: Mapping[str, Zone]
    intents: dict[str, dict[str, Intent]] = field(default_factory=dict)
    processes: dict[str, Process] = field(default_factory=dict)
    everybody: list[Process] = field(default_factory=list)
    repair_drift: bool = True
    signs: bool = False
    away: set[str] = field(default_factory=set)
    cleaning: bool = False
    operators_schema: int = SCHEMA
    waves: tuple[Waves, SentinelPage] | None = None
    reports: dict[str, tuple[ZoneReport, ...]] = field(default_factory=dict)

    def start_all(self) -> None:
        """Everybody starts, in some order."""
        for name in (*AZS, *PLANNERS, "cleanup"):
            self.start(name)

    def start(self, name: str) -> None:
        """Start a process, or start it again with nothing in its memory."""
        if name in self.away:
            return
        before = self.processes.get(name)
        life = 1 if before is None else before.life + 1
        process = Process(name, self.loop, Random(f"{self.chance.random()} {name} {life}"), life)
        if before is not None:
            before.kill()
            process.skew_s, process.packing = before.skew_s, before.packing
            process.schema = before.schema
        self._keep(process)
        process.start(self._life(process))

    def restart(self, name: str) -> None:
        """End a process in good order and start it again: a new config, an upgrade."""
        self.start(name)

    def revive(self, process: Process) -> None:
        """Start a killed process again, if nobody did before."""
        if self.processes[process.name] is process and not process.name.startswith("operator"):
            self.start(process.name)

    def operator(self, number: int) -> Process:
        """A person at a keyboard."""
        name = f"operator{number}"
        process = Process(name, self.loop, Random(f"{self.chance.random()} {name}"))
        process.schema = self.operators_schema
        self._keep(process)
        return process

    def _keep(self, process: Process) -> None:
        """The dead are kept too: a task that nobody holds would end by the garbage collector."""
        self.processes[process.name] = process
        self.judge.reads[process.name, process.life] = process.schema
        self.everybody.append(process)

    def person(self, process: Process) -> Operator:
        """Who types there, with a key where plans are signed."""
        return Operator(process.name, "rehearsal", keys.OPERATOR if self.signs else None)

    def controls(self, process: Process) -> ControlsOutside:
        """What a runbook command reaches."""
        reached = self._reached(process, keys.OPERATOR)
        return ControlsOutside(
            table=reached.table,
            archive=reached.archive,
            records=reached.records,
            audit=reached.audit,
            clock=ProcessClock(process),
            jitter=ProcessJitter(process),
        )

    def _reached(self, process: Process, signer: Signer | None) -> Reached:
        """A process's ports; where plans are signed, it signs with this key."""
        reached = self.reach(process)
        return keys.vouched(reached, signer) if self.signs else reached

    def _keyring(self) -> Keyring:
        return keys.keyring() if self.signs else UNCHECKED

    async def _life(self, process: Process) -> None:
        """What a process does from start to end."""
        await process.wait(self.chance.uniform(0.0, 3.0))
        if process.name in AZS:
            await self._enact(process)
        elif process.name in PLANNERS:
            await self._plan(process)
        else:
            await self._clean(process)

    async def _enact(self, process: Process) -> None:
        reached = self._reached(process, None)
        outside = EnactorOutside(
            table=reached.table,
            archive=reached.archive,
            keyring=self._keyring(),
            records=reached.records,
            exceptions=reached.exceptions,
            clock=ProcessClock(process),
            jitter=ProcessJitter(process),
            quotas=reached.quotas,
        )
        daemon = EnactorDaemon(outside, reached.board, az=process.name, azs=AZS, pace=PACE)
        for zone in self.zones.values():
            daemon.admit(
                ZoneTask(zone, observe=False, repair_drift=self.repair_drift, limits=LIMITS)
            )
        await self._keep_doing(process, "enact", PACE.interval_s, daemon.run_once)

    async def _plan(self, process: Process) -> None:
        reached = self._reached(process, keys.PLANNER)
        clock, jitter = ProcessClock(process), ProcessJitter(process)
        intents = self.intents[process.name]
        for intent in intents.values():
            self.judge.staying.intended(intent)
        targets = {one.key: one for intent in intents.values() for one in watched_of(intent)}
        watch = Watch(tuple(targets.values()), reached.prober, clock=clock, jitter=jitter)
        cycle = PlanCycle(
            table=reached.table,
            archive=reached.archive,
            clock=clock,
            jitter=jitter,
            author=process.name,
            plans_per_min_max=PLANS_PER_MIN_MAX,
        )
        cycle.keyring = self._keyring()
        vantage = VantagePoint(reached.vantage, clock=clock, az=process.name)
        cycle.wait_s = lambda label: vantage.wait_s(label, stagger_s=PLAN_EVERY_S)
        wishes = [wish_of(intent, label) for label, intent in intents.items()]
        if self.waves is None:
            planning = PlanPass(wishes, table=reached.table, cycle=cycle)
        else:
            waves, page = self.waves
            waving = Waving(reached.board, page, clock)
            planning = PlanPass((), table=reached.table, cycle=cycle, waving=waving)
            planning.plan_for([*map(worded, wishes)], waves)

        async def plan() -> None:
            sight = await vantage.look(watch.sight())
            self.reports[process.name] = await planning.run_once(sight, may_write=True)

        process.start(watch.run())
        await self._keep_doing(process, "plan", PLAN_EVERY_S, plan)

    async def _clean(self, process: Process) -> None:
        reached = self._reached(process, None)
        outside = CleanupOutside(
            table=reached.table,
            archive=reached.archive,
            fences=reached.fences,
            clock=ProcessClock(process),
            jitter=ProcessJitter(process),
        )
        zones = [(label, zone.name) for label, zone in self.zones.items()]
        cycle = CleanupCycle(outside, retention=RETENTION, by="cleanup")
        cleaning = CleanupPass(zones, cycle)

        async def clean() -> None:
            self.cleaning = True
            try:
                await cleaning.run_once()
            finally:
                self.cleaning = False

        await self._keep_doing(process, "clean", CLEAN_EVERY_S, clean)

    async def _keep_doing(
        self, process: Process, name: str, every_s: float, once: Callable[[], Awaitable[None]]
    ) -> None:
        await keep_doing(
            Periodic(name, every_s, once),
            clock=ProcessClock(process),
            jitter=ProcessJitter(process),
            stop=Stop(),
        )
