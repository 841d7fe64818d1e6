"""A fleet of zones, its enactors, and the plans that are made for it.

Every zone starts in sync with its first plan. A publisher stands for the planners: it makes a plan
the newest one as they do, whenever it is told that a zone is to change.
"""

import logging
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from random import Random
from typing import Any, TypeVar

import structlog

from dnsplan.errors import DnsplanError
from dnsplan.plan import Generation, Plan, next_generation
from dnsplan.ports import Zone
from dnsplan.runtime.aws import bounds_for
from dnsplan.runtime.bucket import TokenBucket, share_of_account
from dnsplan.runtime.periodic import Periodic, Stop, keep_doing
from dnsplan.runtime.retry import RetryBudget, Retrying
from dnsplan.runtime.zones import ZoneFinder
from enactor.adapters.route53 import Route53Records
from enactor.daemon import EnactorDaemon
from enactor.ports import Outside
from enactor.roster import FIND_EVERY_S, Roster
from enactor.settings import Pace
from planner.publishing import Publisher
from planner.rules.outcomes import Published
from sandbox.route53.account import Account, Route53Settings
from tests.fakes.zone_records import FakeRoute53
from tests.simulation.cloud import FakeCloud
from tests.simulation.fleet.beginning import begin, content_of, plan_of, settings_for
from tests.simulation.fleet.counting import Counts
from tests.simulation.fleet.network import Network
from tests.simulation.fleet.ports import FarPorts
from tests.simulation.fleet.route53 import Route53Client
from tests.simulation.loop import SimLoop
from tests.simulation.processes import START_S, Process, ProcessClock, ProcessJitter

Result = TypeVar("Result")

AZS = ("az1", "az2", "az3")
ACCOUNT_PER_S = 5.0
INSYNC_AFTER_S = 60.0
PUBLISHED_AT_ONCE = 8
PUBLISH_AGAIN_S = 2.0
BODIES_KEPT = 4


@dataclass(frozen=True, slots=True)
class Size:
    """How many zones, and record sets in each."""

    zones: int
    records: int
    account_per_s: float = ACCOUNT_PER_S
    insync_after_s: float = INSYNC_AFTER_S


@dataclass(slots=True)
class Behind:
    """What a zone is to hold that it does not: changes by version, those in plans by generation,
    each with its time."""

    wanted: int = 1
    landed: int = 1
    changed: list[tuple[int, float]] = field(default_factory=list)
    published: list[tuple[int, float]] = field(default_factory=list)

    def since_s(self) -> float | None:
        """When the oldest of them was wished for."""
        return min((at_s for _, at_s in (*self.published, *self.changed)), default=None)


class Fleet:
    """All of it. `main` of a scenario runs inside `play`."""

    def __init__(self, size: Size, *, seed: int) -> None:
        """Every zone in sync; nobody runs yet."""
        structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
        self.size = size
        self.loop = SimLoop(Random(f"loop {seed}"), steps_max=1_000_000_000)
        self.chance = Random(f"fleet {seed}")
        settings = Route53Settings(insync_after_s=size.insync_after_s)
        self.cloud = FakeCloud(FakeRoute53(self.loop.time, settings))
        self.counts = Counts(self.loop, self._landed)
        self.network = _network(self.loop, "route53", seed)
        self.table_network = _network(self.loop, "dynamodb", seed)
        self.processes: dict[str, Process] = {}
        self.everybody: list[Process] = []
        self.daemons: dict[str, EnactorDaemon] = {}
        self.behind: dict[str, Behind] = {}
        self.lags: list[float] = []
        self._versions: dict[tuple[str, int], int] = {}
        self._changed: list[str] = []
        self._free = PUBLISHED_AT_ONCE
        self.zones = {label: self._made(label) for label in _labels(size.zones)}
        self._by_id = {zone.zone_id: label for label, zone in self.zones.items()}
        self.settings = settings_for(self.zones.values(), AZS, size.account_per_s)
        settings.rate_per_s = size.account_per_s

    @property
    def account(self) -> Account:
        """Route 53 as it stands."""
        return self.cloud.route53.account

    def play(self, main: Any) -> None:
        """Run a scenario to its end."""
        self.loop.run(main)
        self.counts.over()
        self.loop.drop_everything()

    def plan_of(self, zone: Zone, generation: Generation, base: Generation, version: int) -> Plan:
        """What a zone is to hold in a version of it."""
        created_s = int(START_S + self.loop.time())
        content = content_of(zone, self.size.records, version)
        return plan_of(zone, generation, base, content, created_s=created_s)

    # What happens to it.

    def start(self, name: str) -> None:
        """Start an AZ's enactor, or start it again with nothing in its memory."""
        before = self.processes.get(name)
        if before is not None:
            before.kill()
        life = 1 if before is None else before.life + 1
        process = Process(name, self.loop, Random(f"{self.chance.random()} {name} {life}"), life)
        self.processes[name] = process
        self.everybody.append(process)
        process.start(self._enact(process))

    def outage(self, *, is_on: bool) -> None:
        """Nobody reaches the table or Route 53."""
        self.network.is_down = self.table_network.is_down = is_on

    def lose(self, share: float) -> None:
        """This part of all answers is lost from now on."""
        self.network.lost_share = self.table_network.lost_share = share

    def change(self, label: str) -> None:
        """Every record set of a zone is to hold another value; a plan follows."""
        behind, now_s = self.behind[label], self.loop.time()
        behind.wanted += 1
        behind.changed.append((behind.wanted, now_s))
        if label not in self._changed:
            self._changed.append(label)

    async def wait(self, seconds: float) -> None:
        """Let time pass."""
        waiting = self.loop.create_future()
        self.loop.call_later(seconds, waiting.set_result, None)
        await waiting

    # What can be seen of it.

    def waiting_s(self) -> list[float]:
        """How long each zone that is behind has been, by the oldest change that is not in it."""
        now_s = self.loop.time()
        return [now_s - at_s for one in self.behind.values() if (at_s := one.since_s()) is not None]

    def is_confirmed(self) -> bool:
        """Whether all of it is known to stand."""
        items = self.cloud.table.items.values()
        return not self.waiting_s() and all(one.applied == one.head for one in items)

    def _landed(self, zone_id: str, generation: int) -> None:
        """The last batch of a plan was accepted."""
        behind = self.behind[self._by_id[zone_id]]
        behind.landed = generation
        self._note_landed(behind)

    def _note_landed(self, behind: Behind) -> None:
        now_s, landed = self.loop.time(), behind.landed
        self.lags += [now_s - at_s for at, at_s in behind.published if at <= landed]
        behind.published = [one for one in behind.published if one[0] > landed]

    # The parts.

    def _made(self, label: str) -> Zone:
        zone = self.cloud.route53.make_zone(label, f"{label}.example.")
        plan = self.plan_of(zone, Generation(1), Generation(0), 1)
        begin(self.cloud, zone, plan)
        self.behind[label] = Behind()
        return zone

    async def _enact(self, process: Process) -> None:
        """One enactor, wired as `enactor.wiring` does."""
        clock, jitter, settings = ProcessClock(process), ProcessJitter(process), self.settings
        share = share_of_account(settings.account_requests_per_s, len(settings.azs))
        bucket, budget = TokenBucket(clock, share), RetryBudget()
        paced = Retrying(clock, jitter, budget=budget, bucket=bucket)
        reached = FarPorts(
            self.cloud, self.table_network, process, Retrying(clock, jitter, budget=budget)
        )
        client = Route53Client(process, self.network, self.account, self.counts)
        clients = dict.fromkeys(self.zones, client)
        outside = Outside(
            table=reached,
            archive=reached,
            records=Route53Records(clients, retrying=paced, bucket=bucket),
            exceptions=self.cloud.exceptions,
            clock=clock,
            jitter=jitter,
        )
        pace = Pace(
            interval_s=settings.enactor.interval_s,
            fence_check_s=settings.enactor.fence_check_s,
            stagger_s=settings.enactor.stagger_s,
            requests_per_s=share.per_s,
            audit_s=settings.enactor.audit_s,
        )
        daemon = EnactorDaemon(
            outside,
            reached,
            az=process.name,
            azs=settings.azs,
            pace=pace,
            line=bucket,
        )
        self.daemons[process.name] = daemon
        finder: Any = client  # it has the one call that many zones are found by
        roster = Roster(settings, ZoneFinder(dict.fromkeys(self.zones, finder), paced), daemon)
        works = (
            Periodic("find_zones", FIND_EVERY_S, roster.run_once),
            Periodic("enact", pace.interval_s, daemon.run_once),
        )
        for work in works:
            process.start(keep_doing(work, clock=clock, jitter=jitter, stop=Stop()))

    async def planners(self) -> None:
        """Publish what is to change, as fast as the table answers, in the order of changes."""
        process, publisher, reached = self._planner()
        for _ in range(PUBLISHED_AT_ONCE):
            process.start(self._publish(process, publisher, reached))

    def planner(self) -> Callable[[str], None]:
        """A planner that publishes a zone's change at once when it is called with the label."""
        process, publisher, reached = self._planner()

        async def publish(label: str) -> None:
            while not await self._published(publisher, reached, label):
                await process.wait(PUBLISH_AGAIN_S)

        return lambda label: process.start(publish(label))

    def _planner(self) -> tuple[Process, Publisher, FarPorts]:
        process = Process("planner", self.loop, Random(f"{self.chance.random()}"))
        self.everybody.append(process)
        clock, jitter = ProcessClock(process), ProcessJitter(process)
        reached = FarPorts(
            self.cloud, self.table_network, process, Retrying(clock, jitter, budget=RetryBudget())
        )
        return process, Publisher(table=reached, archive=reached, jitter=jitter), reached

    async def _publish(self, process: Process, publisher: Publisher, reached: FarPorts) -> None:
        while True:
            if not self._changed or self.table_network.is_down:
                await process.wait(PUBLISH_AGAIN_S)
                continue
            label = self._changed.pop(0)
            if not await self._published(publisher, reached, label):
                self._changed.append(label)
                await process.wait(PUBLISH_AGAIN_S)

    async def _published(self, publisher: Publisher, reached: FarPorts, label: str) -> bool:
        try:
            item = (await reached.read([label]))[label]
        except DnsplanError:
            return False
        behind = self.behind[label]
        wanted = behind.wanted
        generation = item.head
        if self._versions.get((label, generation)) != wanted:  # else only the answer was lost
            generation = next_generation(item.head)
            # One plan for all that changed meanwhile, as planners make it.
            plan = self.plan_of(self.zones[label], generation, item.head, wanted)
            self._versions[label, generation] = wanted
            if not isinstance(await publisher.publish(item, plan), Published):
                return False
        behind.published += [(generation, at_s) for at, at_s in behind.changed if at <= wanted]
        behind.changed = [one for one in behind.changed if one[0] > wanted]
        self._note_landed(behind)  # it may have landed before the planner had its answer
        self.counts.heads[self.zones[label].zone_id] = generation
        self._forget_old(label, generation)
        return True

    def _forget_old(self, label: str, head: int) -> None:
        """As cleanup would."""
        archive, item = self.cloud.archive, self.cloud.table.items[label]
        floor = min(item.applied, head - BODIES_KEPT)
        for one in [one for one in archive.bodies if one.label == label]:
            if one.generation < floor:
                del archive.bodies[one], archive.kept[one]
        self.cloud.table.writes.clear()


def _network(loop: SimLoop, service: str, seed: int) -> Network:
    timeout_s = bounds_for(service).read_timeout_s
    return Network(loop, timeout_s, Random(f"{service} {seed}"))


def _labels(zones: int) -> Iterable[str]:
    return (f"z{at}" for at in range(zones))
