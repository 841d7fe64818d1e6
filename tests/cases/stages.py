"""The ground of the cases: real planner, enactor and AWS adapters, on the stand-in without sockets.

`Wire` is one zone whose plans a test publishes by hand, without guardrails. `House` goes the whole
way: dns.yaml, probes, planner, enactor, Route 53. The table is the strict fake, since no case is
about DynamoDB. Time is one fake clock for all sides, so hours pass in a moment.
"""

from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from dnsplan.fence import FENCE_TYPE, FenceRecord, SeenFence, fence_name
from dnsplan.names import parse_name
from dnsplan.ports import Zone
from dnsplan.records import RecordSet
from dnsplan.runtime.aws import AwsClients, CallBounds
from dnsplan.runtime.bucket import BucketRate, TokenBucket
from dnsplan.runtime.retry import RetryBudget, Retrying
from dnsplan.runtime.route53_forms import zone_id_from_aws
from dnsplan.runtime.zones import ZoneFinder
from enactor.adapters.route53 import Route53Records
from enactor.cycle import EnactCycle
from enactor.daemon import EnactorDaemon
from enactor.rules.outcomes import Applied, Outcome
from enactor.settings import ZoneTask
from planner.cycle import PlanCycle, ZoneReport
from planner.passes import PlanPass
from planner.settings import PlannerSettings, planner_settings
from planner.watch import Watch
from sandbox.aws.faults import Armed, Delay, Where
from sandbox.aws.in_process import InProcessStandIn
from sandbox.aws.settings import Chance
from sandbox.route53.model import Change
from tests.contracts.aws.talk import loop_session
from tests.fakes.archive import FakeArchive
from tests.fakes.clock import FakeClock, SeededJitter
from tests.fakes.notes import FakeBoard, FakeExceptionsLog
from tests.fakes.prober import FakeProber
from tests.fakes.table import FakeTable
from tests.fakes.world import LIMITS, PACE, Stage
from tests.fakes.zone_records import from_stored, to_stored
from tests.unit.dnsplan.config.texts import loaded

CHANGE, LIST, STATUS = "ChangeResourceRecordSets", "ListResourceRecordSets", "GetChange"
AZS = ("az1", "az2", "az3")

# A request that the stand-in holds at its door is given up after this; everything else is at once.
PATIENCE_S = 0.2


class Wire(Stage):
    """One zone behind the real Route 53 adapter; table, archive and notes in memory."""

    table: FakeTable
    archive: FakeArchive
    clock: FakeClock
    aws: InProcessStandIn

    def __init__(self, aws: InProcessStandIn, clock: FakeClock, client: Any, zone: Zone) -> None:
        """An empty table beside an empty zone."""
        self.aws, self.clock, self.client = aws, clock, client
        self.route53 = aws.route53
        self.table, self.archive = FakeTable(), FakeArchive()
        self.exceptions = FakeExceptionsLog()
        self.zone = zone
        self.task = ZoneTask(self.zone, observe=False, repair_drift=True, limits=LIMITS)
        self.records = self.adapter(per_s=10_000.0)

    async def make_zone(self, label: str, name: str, *, private: bool = False) -> Zone:
        """One more hosted zone of the account."""
        return await make_zone(self.client, label, name, private=private)

    def adapter(
        self, *, per_s: float, labels: tuple[str, ...] = ("shop",), seed: int = 0
    ) -> Route53Records:
        """The real adapter with a share of the account's rate and a retry budget of its own."""
        bucket = TokenBucket(self.clock, BucketRate(per_s, max(1, int(2 * per_s)), per_s / 8))
        retrying = self.retrying(bucket, seed=seed)
        return Route53Records(dict.fromkeys(labels, self.client), retrying=retrying, bucket=bucket)

    def retrying(self, bucket: TokenBucket | None = None, *, seed: int = 0) -> Retrying:
        """The one retry layer, with chance from a seed."""
        return Retrying(self.clock, SeededJitter(seed), budget=RetryBudget(), bucket=bucket)

    def finder(self, *labels: str) -> ZoneFinder:
        """The real zone finder, asking this account for each label."""
        return ZoneFinder(dict.fromkeys(labels, self.client), self.retrying())

    def daemon(self, az: str, board: FakeBoard, *, task: ZoneTask | None = None) -> EnactorDaemon:
        """An enactor's daemon as after a start."""
        self.made += 1
        daemon = EnactorDaemon(self.outside(self.made), board, az=az, azs=AZS, pace=PACE)
        daemon.admit(task or self.task)
        return daemon

    async def apply(self, *content: RecordSet, **fields: Any) -> Outcome:
        """Publish, enact and confirm as a healthy AZ would; the outcome of the enacting."""
        await self.publish(*content, **fields)
        return await self.enact_and_settle()

    async def enact_and_settle(self, cycle: EnactCycle | None = None) -> Outcome:
        """One pass of an AZ and its confirmation."""
        cycle = cycle or self.az()
        outcome = await self.enact(cycle)
        if isinstance(outcome, Applied):
            await self.settle(cycle)
        return outcome

    def content(self, zone: Zone | None = None) -> set[RecordSet]:
        """All of a zone but NS and SOA at its apex and the fence, as a listing shows it."""
        zone = zone or self.zone
        hidden = {(zone.name, "NS"), (zone.name, "SOA"), (fence_name(zone.name), FENCE_TYPE)}
        listed = map(from_stored, self.route53.zone(zone.zone_id).records())
        return {one for one in listed if (one.name, one.type) not in hidden}

    def at(self, name: str) -> tuple[RecordSet, ...]:
        """What stands at a name."""
        sets = self.route53.zone(self.zone.zone_id).sets_at(parse_name(name))
        return tuple(map(from_stored, sets.values()))

    def by_hand(self, *changes: tuple[str, RecordSet], zone: Zone | None = None) -> None:
        """A foreign hand: an unfenced batch of ("CREATE" | "DELETE" | "UPSERT", record set)."""
        made = [Change(action, to_stored(one)) for action, one in changes]  # type: ignore[arg-type]  # tests pass literals
        self.route53.submit((zone or self.zone).zone_id, made)

    async def fence(self, zone: Zone | None = None) -> FenceRecord:
        """What the zone's fence says, outside of any counted request."""
        before = self.aws.ledger.requests.copy()
        seen = await self.records.read_fence(zone or self.zone)
        self.aws.ledger.requests = before
        assert isinstance(seen, SeenFence)
        return seen.record

    def spent(self) -> Counter[str]:
        """Route 53 requests by operation since the last look."""
        counted: Counter[str] = Counter()
        for (service, operation, _), count in self.aws.ledger.requests.items():
            if service == "route53":
                counted[operation] += count
        self.aws.ledger.reset()
        return counted

    def refusals(self) -> int:
        """Change batches that Route 53 refused since the last reset of the ledger."""
        return self.aws.ledger.outcomes["route53", CHANGE, "InvalidChangeBatch"]

    def tap(self) -> "Tap":
        """Keep every change batch from now on, word for word."""
        where = Where(service="route53", operation=CHANGE, times=None)
        return Tap(self.aws.faults.arm(Delay(0.0), where))


@dataclass(frozen=True, slots=True)
class Tap:
    """Change batches as they went over the wire."""

    armed: Armed

    @property
    def bodies(self) -> list[str]:
        """Each batch's body."""
        return [strike.call.body.decode() for strike in self.armed.strikes]

    def changes(self) -> list[list[tuple[str, str, str]]]:
        """Each batch as (action, name, type), in order."""
        found = []
        for body in self.bodies:
            pieces = body.split("<Change>")[1:]
            found.append([tuple(_text(piece, tag) for tag in _TOLD) for piece in pieces])
        return found  # type: ignore[return-value]  # three tags make three texts


_TOLD = ("Action", "Name", "Type")


def _text(piece: str, tag: str) -> str:
    return piece.split(f"<{tag}>", 1)[1].split(f"</{tag}>", 1)[0]


class House(Wire):
    """The whole way, from dns.yaml to the zone; targets answer as the prober is told."""

    settings: PlannerSettings

    folder: Path

    def __init__(self, aws: InProcessStandIn, clock: FakeClock, client: Any, zone: Zone) -> None:
        """Nothing is configured yet."""
        super().__init__(aws, clock, client, zone)
        self.prober = FakeProber()

    def configure(self, text: str) -> None:
        """Read dns.yaml and start a planner on it, as after a restart."""
        self.settings = planner_settings(loaded(self.folder, text).settings)
        self.task = ZoneTask(
            self.zone, observe=False, repair_drift=True, limits=self.settings.wishes[0].limits
        )
        self.restart_planner()

    def restart_planner(self) -> None:
        """A planner that has seen nothing and remembers nothing."""
        self.made += 1
        self.watch = Watch(
            self.settings.watched, self.prober, clock=self.clock, jitter=SeededJitter(self.made)
        )
        cycle = PlanCycle(
            table=self.table,
            archive=self.archive,
            clock=self.clock,
            jitter=SeededJitter(self.made),
            author=f"planner/{self.made}",
            plans_per_min_max=self.settings.plans_per_min_max,
        )
        self.planner = PlanPass(self.settings.wishes, table=self.table, cycle=cycle)

    async def plan(self, *, rounds: int | None = None) -> ZoneReport:
        """Look at the targets until all is proven, then one planning pass."""
        await self.watch.look(rounds=rounds or self.settings.rounds_to_know or 1, pause_s=5.0)
        reports = await self.planner.run_once(self.watch.sight(), may_write=True)
        return reports[0]

    async def turn(self, *, rounds: int | None = None) -> ZoneReport:
        """Plan, enact, confirm: what some seconds of a healthy system do."""
        report = await self.plan(rounds=rounds)
        await self.enact_and_settle()
        return report

    def answers(self, name: str, record_type: str = "A") -> set[str]:
        """The values that a name gives."""
        return {v for one in self.at(name) if one.type == record_type for v in one.values}


async def make_zone(client: Any, label: str, name: str, *, private: bool = False) -> Zone:
    """A hosted zone, made as people make them."""
    vpc: dict[str, Any] = {}
    if private:
        vpc["VPC"] = {"VPCRegion": "us-east-1", "VPCId": "vpc-1"}
        vpc["HostedZoneConfig"] = {"Comment": "", "PrivateZone": True}
    made = await client.create_hosted_zone(Name=name, CallerReference=label, **vpc)
    return Zone(label, zone_id_from_aws(made["HostedZone"]["Id"]), parse_name(name))


@asynccontextmanager
async def _ground(
    monkeypatch: pytest.MonkeyPatch,
) -> AsyncIterator[tuple[InProcessStandIn, FakeClock, Any, Zone]]:
    clock = FakeClock()
    aws = InProcessStandIn(chance=Chance(clock=clock.elapsed_s, wall=clock.now_s))
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://aws.stand-in")
    clients = AwsClients(bounds=CallBounds(read_timeout_s=PATIENCE_S), transport=aws.session)
    clients._sessions[None] = loop_session()  # the SDK's models, read once for all tests
    async with clients.open("route53") as client:
        yield aws, clock, client, await make_zone(client, "shop", "example.com.")
    aws.close()


@pytest.fixture
async def wire(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Wire]:
    """One zone on a stand-in of its own."""
    async with _ground(monkeypatch) as ground:
        yield Wire(*ground)


@pytest.fixture
async def house(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> AsyncIterator[House]:
    """The whole way on a stand-in of its own."""
    async with _ground(monkeypatch) as ground:
        made = House(*ground)
        made.folder = tmp_path
        yield made
