"""A small world for cycle tests: one zone, a table, an archive, Route 53, and any number of AZs.

Plans are published straight through the ports, as a planner would, without guardrails: what the
enactor must refuse has to be publishable first. `Stage` works on any adapters; `World` is the stage
on strict fakes.
"""

from dnsplan.codec import seal
from dnsplan.generation import GenerationItem
from dnsplan.guardrails import Limits
from dnsplan.names import parse_name
from dnsplan.normal import normal_form
from dnsplan.outcomes import Written
from dnsplan.plan import (
    SCHEMA,
    Digest,
    Generation,
    NameLedger,
    Plan,
    PlanId,
    Retirement,
    Waiver,
    next_generation,
    sorted_content,
)
from dnsplan.ports import Clock, GenerationTable, PlanArchive, Zone
from dnsplan.records import RecordSet
from dnsplan.transitions import create, publish
from dnsplan.velocity import VelocityLimit
from enactor.cycle import EnactCycle
from enactor.ports import ExceptionsLog, Outside, ZoneRecords
from enactor.rules.outcomes import Outcome
from enactor.settings import Pace, ZoneTask
from planner.publishing import row_of
from sandbox.route53.account import Route53Settings
from tests.fakes.archive import FakeArchive
from tests.fakes.clock import FakeClock, SeededJitter
from tests.fakes.notes import FakeExceptionsLog
from tests.fakes.table import FakeTable
from tests.fakes.zone_records import FakeRoute53

OWNER = "0" * 31 + "1"
PACE = Pace(interval_s=2.0, fence_check_s=60.0, stagger_s=5.0, requests_per_s=1.7)
LIMITS = Limits(VelocityLimit(min_targets=1, max_removed_share=0.25, window_s=300))


def a(name: str, *values: str, ttl_s: int = 60) -> RecordSet:
    """A simple A record set."""
    return normal_form(RecordSet(parse_name(name), "A", ttl_s, values))


def cname(name: str, value: str) -> RecordSet:
    """A CNAME."""
    return normal_form(RecordSet(parse_name(name), "CNAME", 300, (value,)))


class Stage:
    """One zone and the ports around it, real or fake."""

    table: GenerationTable
    archive: PlanArchive
    records: ZoneRecords
    exceptions: ExceptionsLog
    clock: Clock
    zone: Zone
    task: ZoneTask
    label: str = "shop"
    made: int = 0

    def az(self, az: str = "az1", *, seed: int | None = None) -> EnactCycle:
        """An enactor's cycle as after a restart."""
        self.made += 1
        return EnactCycle(self.outside(self.made if seed is None else seed), az=az, pace=PACE)

    def outside(self, seed: int) -> Outside:
        """What a cycle reaches, with chance of its own."""
        return Outside(
            table=self.table,
            archive=self.archive,
            records=self.records,
            exceptions=self.exceptions,
            clock=self.clock,
            jitter=SeededJitter(seed),
        )

    async def publish(
        self,
        *content: RecordSet,
        ledger: tuple[NameLedger, ...] = (),
        retired: tuple[Retirement, ...] = (),
        waivers: tuple[Waiver, ...] = (),
        owner: str = OWNER,
    ) -> Plan:
        """Make these record sets the head."""
        item = await self.item_or_new()
        plan = Plan(
            schema=SCHEMA,
            owner=owner,
            label=self.label,
            zone=self.zone.name,
            generation=next_generation(item.head),
            base=item.head,
            created_s=int(self.clock.now_s()),
            author="test",
            reason="test",
            content=sorted_content(content),
            ledger=ledger,
            retired=retired,
            waivers=waivers,
        )
        envelope = seal(plan)
        await self.archive.store(envelope, row_of(plan, envelope))
        moved = publish(item, envelope.plan_id, nonce=f"publish{plan.generation}")
        assert await self.table.write(moved) == Written()
        return plan

    async def item_or_new(self) -> GenerationItem:
        """The zone's generation item, made if there is none."""
        found = await self.table.read([self.label])
        if self.label in found:
            return found[self.label]
        item = GenerationItem(
            label=self.label,
            owner=OWNER,
            incarnation=await self.table.incarnation(),
            nonce="made",
        )
        assert await self.table.write(create(item)) == Written()
        return item

    async def item(self) -> GenerationItem:
        """The zone's generation item."""
        return (await self.table.read([self.label]))[self.label]

    async def enact(self, cycle: EnactCycle) -> Outcome:
        """One pass, without waiting for sync."""
        found = await self.table.read_each([self.label])
        incarnation = await self.table.incarnation()
        return await cycle.run_once(self.task, found.get(self.label), incarnation=incarnation)

    async def settle(self, cycle: EnactCycle, *, passes_max: int = 20) -> Outcome | None:
        """Confirm until there is nothing to wait for; the last outcome."""
        last = None
        for _ in range(passes_max):
            await self.clock.sleep(2.0)
            outcome = await cycle.confirm(await self.item())
            if outcome is None:
                return last
            last = outcome
        raise AssertionError(f"still waiting after {passes_max} passes: {last}")

    async def digest_at(self, generation: int) -> Digest:
        """The digest of a published plan."""
        rows = await self.archive.rows(self.label)
        return next(r.plan_id.digest for r in rows if r.plan_id.generation == generation)

    def plan_id(self, generation: int, digest: Digest) -> PlanId:
        """A plan's id in this zone."""
        return PlanId(self.label, Generation(generation), digest)


class World(Stage):
    """The stage on strict fakes; time stands still until somebody waits."""

    table: FakeTable
    archive: FakeArchive
    exceptions: FakeExceptionsLog
    clock: FakeClock

    def __init__(self) -> None:
        """One empty zone in an open table."""
        self.clock = FakeClock()
        self.table = FakeTable()
        self.archive = FakeArchive()
        self.exceptions = FakeExceptionsLog()
        self.route53 = FakeRoute53(self.clock.elapsed_s, Route53Settings())
        self.records = self.route53
        self.zone = self.route53.make_zone(self.label, "example.com.")
        self.task = ZoneTask(self.zone, observe=False, repair_drift=True, limits=LIMITS)
