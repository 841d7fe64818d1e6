"""A zone's life at random: plans, hands in the zone, tables that go back, freezes, and operators
who restore and reconcile and may die at it. What must never happen is looked for from outside."""

import random
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

from dnsplan.errors import DnsplanError
from dnsplan.fence import NoFence, SeenFence
from dnsplan.formats.planfile import PlanFile
from dnsplan.generation import Equals, GenerationItem
from dnsplan.ports import Zone
from dnsplan.records import RecordSet
from enactor.ports import ZoneRecords
from enactor.rules.outcomes import InSync, Outcome
from planner.rules.outcomes import Published
from runbooks.controls.freezing import Freezing
from runbooks.controls.froze import Frozen
from runbooks.controls.outside import Operator, Outside
from runbooks.reconciling.preparing import NothingToReconcile
from runbooks.reconciling.reconciling import ReconcileLost
from runbooks.reconciling.rules import Word as ReconcileWord
from runbooks.restoring.rules import Word as RestoreWord
from tests.fakes.audit import FakeAudit
from tests.fakes.clock import SeededJitter
from tests.fakes.cutting import Crashed, Cut, Moment
from tests.fakes.table import FakeTable
from tests.fakes.world import World, a
from tests.fakes.zone_records import Fault
from tests.unit.adopting.hands import names, newest, outside, planned, quiet
from tests.unit.reconciling import hands as reconciling
from tests.unit.restoring import hands as restoring

NAMES = ("www.example.com", "api.example.com", "old.example.com")
CALLS_MAX = 18
STEPS = 25


@dataclass
class History:
    """One seed's play. `numbers` is every generation ever published or fenced, by owner, with
    the digests that it was seen with."""

    seed: int
    world: World = field(default_factory=World)
    numbers: dict[tuple[str, int], set[str]] = field(default_factory=dict)
    files: list[PlanFile] = field(default_factory=list)
    backups: list[dict[str, GenerationItem]] = field(default_factory=list)
    frozen: str | None = None
    done: Counter[str] = field(default_factory=Counter)
    drawn: int = 10_000

    def __post_init__(self) -> None:
        """Chance of its own, and eyes on everything that is written."""
        self.chance = random.Random(self.seed)
        self._written, self._accepted, self._tables = 0, 0, 1
        self._wish = self._content()

    async def play(self) -> None:
        """Begin in order, let anything happen, and end in order."""
        await self._automation()
        await self._automation()
        acts: list[Callable[[], Awaitable[None]]] = [
            self._new_wish,
            self._plan,
            self._automation,
            self._automation,
            self._back_up,
            self._go_back,
            self._edit,
            self._restore,
            self._reconcile,
            self._freeze,
            self._thaw,
            self._new_table,
        ]
        for _ in range(STEPS):
            await self.chance.choice(acts)()
            self._look()
        await self._put_in_order()

    def _look(self) -> None:
        """P1, P4 and P9, told from the writes alone."""
        accepted = self.world.route53.accepted
        tokens = [batch.fence.token for batch in accepted]
        assert tokens == sorted(tokens), "P1"
        for batch in accepted[self._accepted :]:
            self._number(batch.fence.owner, batch.fence.generation, batch.fence.digest)
            by_az = batch.fence.writer.startswith("az")
            assert not (by_az and self.frozen), f"P9: {batch.fence}"
        self._accepted = len(accepted)
        writes = self.world.table.writes
        for write in writes[self._written :]:
            put = dict(write.put)
            if put.get("head"):
                (owner,) = (
                    one.value
                    for one in write.conditions
                    if isinstance(one, Equals) and one.field == "owner"
                )
                self._number(str(owner), int(put["head"] or 0), str(put["head_digest"]))
        self._written = len(writes)

    def _number(self, owner: str, generation: int, digest: str) -> None:
        seen = self.numbers.setdefault((owner, generation), set())
        seen.add(digest)
        assert generation == 0 or len(seen) == 1, f"P4: {generation} is {seen}"

    async def _new_wish(self) -> None:
        self._wish = self._content()

    async def _automation(self) -> None:
        """A pass of the planner, two of enactors; some batches are lost on the way."""
        await self._plan()
        for az in ("az1", "az2"):
            if self.chance.random() < 0.2:
                self.world.route53.submit_faults.append(self.chance.choice(list(Fault)))
            cycle = self.world.az(az, seed=self._draw())
            await self.world.enact(cycle)
            if self.chance.random() < 0.7:
                await self.world.settle(cycle)
        self.world.route53.submit_faults.clear()
        if self.world.route53.held and self.chance.random() < 0.5:
            self.world.route53.land(*self.world.route53.held.pop())

    async def _plan(self) -> None:
        """A pass of the planner alone."""
        outcome = await planned(self.world, names(*self._wish), seed=self._draw())
        if isinstance(outcome, Published):
            self.files.append(restoring.file_of(await newest(self.world)))

    async def _back_up(self) -> None:
        self.backups.append(self.world.table.snapshot())

    async def _go_back(self) -> None:
        if self.backups and self.chance.random() < 0.5:
            self._tables += 1
            backup = self.chance.choice(self.backups)
            reconciling.go_back(self.world, backup, incarnation=f"table-{self._tables}")

    async def _new_table(self) -> None:
        """The table is deleted and made anew; the backups are of the former one."""
        if self.chance.random() < 0.15:
            self._tables += 1
            writes = self.world.table.writes
            self.world.table = FakeTable(f"table-{self._tables}")
            self.world.table.writes = writes
            self.world.archive = type(self.world.archive)()

    async def _edit(self) -> None:
        """A hand in the zone: a name goes, comes or changes, beside the fence."""
        name = self.chance.choice(NAMES)
        there = [
            one for one in self.world.route53.content(self.world.zone) if one.name == name + "."
        ]
        new = a(name, f"198.51.100.{self.chance.randrange(250)}")
        gone = [("DELETE", one) for one in there]
        come = [("CREATE", new)] if self.chance.random() < 0.6 else []
        if gone or come:
            self.world.route53.edit(self.world.zone, *gone, *come)

    async def _restore(self) -> None:
        if not self.files:
            return
        cut = self._cut()
        file, records = self.chance.choice(self.files[-6:]), cut.wrap(self.world.records)
        fence = await self.world.records.read_fence(self.world.zone)
        owner = None if isinstance(fence, NoFence) else fence.record.owner
        frozen = None if isinstance(fence, NoFence) else fence.record.frozen
        word = RestoreWord(
            take_over=owner,
            thaw=frozen if self.chance.random() < 0.5 else None,
            above=self._above(fence),
        )
        if word.thaw is not None:
            self.frozen = None
        with suppress(Crashed, DnsplanError):
            ready = await restoring.prepared(self.world, file, word, records=records)
            await restoring.done(self.world, ready, word, seed=self._draw(), records=records)
            self.done["restored again" if ready.target.resumes else "restored"] += 1
        self.world.clock.advance(self.chance.choice([1.0, 90.0]))

    async def _reconcile(self, *, dies: bool = True) -> None:
        ports = self._ports(self._cut() if dies else Cut(-1, Moment.BEFORE))
        fence = await self.world.records.read_fence(self.world.zone)
        owner = None if isinstance(fence, NoFence) else fence.record.owner
        word = ReconcileWord(take_over=owner, above=self._above(fence))
        config = names(*self._wish)
        with suppress(Crashed, NothingToReconcile, ReconcileLost, DnsplanError):
            ready = await reconciling.prepared(self.world, config, word, ports=ports)
            await reconciling.done(self.world, ready, ports=ports)
            self.done["kept" if ready.keeps else "opened"] += 1
        self.world.clock.advance(self.chance.choice([1.0, 90.0]))

    async def _freeze(self) -> None:
        ports = self._ports(Cut(-1, Moment.BEFORE))
        hand = Freezing(ports, Operator("eva", ""), quiet)
        (ended,) = await hand.freeze(["shop"], _zones(ports.records, self.world.zone))
        if isinstance(ended, Frozen):
            self._look()
            self.frozen = ended.freeze_id

    async def _thaw(self) -> None:
        """End what the table says, then what the fence says."""
        self.frozen = None
        item = self.world.table.items.get("shop")
        fence = await self.world.records.read_fence(self.world.zone)
        in_fence = None if isinstance(fence, NoFence) else fence.record.frozen
        hand = Freezing(self._ports(Cut(-1, Moment.BEFORE)), Operator("eva", ""), quiet)
        for freeze_id in (None if item is None else item.frozen, in_fence):
            if freeze_id is not None:
                with suppress(DnsplanError):
                    await hand.thaw(self.world.zone, freeze_id, self.world.records)

    async def _put_in_order(self) -> None:
        """What the runbooks say: restore if need be, reconcile, thaw; then automation converges."""
        self._wish = self._content()
        for _ in range(8):
            there = {one.name for one in self.world.route53.content(self.world.zone)}
            if self.files and there.isdisjoint(one.name for one in self._wish):
                await self._restore()
            await self._reconcile(dies=False)
            await self._thaw()
            await self._automation()
            await self._automation()
            self.world.route53.submit_faults.clear()
            self._look()
            last = await self._audited()
            missing = set(self._wish) - set(self.world.route53.content(self.world.zone))
            fence = await self.world.records.read_fence(self.world.zone)
            held = 0 if isinstance(fence, NoFence) else fence.record.held  # strangers' records
            if isinstance(last, InSync) and len(missing) <= held:
                return
        raise AssertionError(f"seed {self.seed} does not end: {last}; missing {missing}")

    async def _audited(self) -> Outcome:
        """What an enactor says that looks through the zone and mends what hands did there."""
        cycle, world = self.world.az("az3", seed=self._draw()), self.world
        for _ in range(3):
            item, incarnation = await world.item(), await world.table.incarnation()
            last = await cycle.run_once(world.task, item, incarnation=incarnation, audits=True)
            if not isinstance(last, InSync):
                await world.settle(cycle)
        return last

    def _content(self) -> list[RecordSet]:
        kept = NAMES[: self.chance.choice([2, 3])]
        return [a(name, f"192.0.2.{self.chance.randrange(250)}") for name in kept]

    def _cut(self) -> Cut:
        """Half of the operators live."""
        at = self.chance.randrange(1, CALLS_MAX) if self.chance.random() < 0.5 else -1
        return Cut(at, self.chance.choice(list(Moment)))

    def _ports(self, cut: Cut) -> Outside:
        real = outside(self.world, seed=self._draw(), audit=FakeAudit())
        return Outside(
            table=cut.wrap(real.table),
            archive=cut.wrap(real.archive),
            records=cut.wrap(real.records),
            audit=real.audit,
            clock=real.clock,
            jitter=SeededJitter(self._draw()),
        )

    def _above(self, fence: SeenFence | NoFence) -> int:
        """Where the fence is lost, somebody remembers the highest number that was ever seen."""
        if not isinstance(fence, NoFence):
            return 0
        self._look()
        return max((number for _, number in self.numbers), default=0)

    def _draw(self) -> int:
        self.drawn += 1
        return self.seed * 1_000_000 + self.drawn


@dataclass(frozen=True, slots=True)
class _Zones:
    records: ZoneRecords
    zone: Zone

    async def zone_of(self, item: GenerationItem) -> Zone:
        """The one zone."""
        assert item.label == self.zone.label
        return self.zone


def _zones(records: ZoneRecords, zone: Zone):  # type: ignore[no-untyped-def]  # what freeze opens
    @asynccontextmanager
    async def opened() -> AsyncIterator[_Zones]:
        yield _Zones(records, zone)

    return opened
