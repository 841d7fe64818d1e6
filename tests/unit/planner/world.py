"""A small world for the planner's cycles: one table, one archive, and any number of planners."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from dnsplan.codec import Envelope, seal, unseal
from dnsplan.errors import ItemUnreadable, PlanDamaged, ReadFailed
from dnsplan.generation import GenerationItem, Transition
from dnsplan.outcomes import WriteOutcome
from dnsplan.plan import Plan, PlanId
from dnsplan.ports import PlanRow
from dnsplan.records import RecordSet
from dnsplan.transitions import create, publish
from planner.cycle import PlanCycle, ZoneReport
from planner.passes import PlanPass
from planner.rules.candidate import ZoneWish
from planner.rules.health import Sight
from planner.rules.outcomes import (
    Held,
    HoldRule,
)
from tests.fakes.archive import FakeArchive
from tests.fakes.clock import FakeClock, SeededJitter
from tests.fakes.table import FakeTable
from tests.unit.planner.cases import healthy, multivalue, plan, pool, sick, sight, wish

GOOD = sight(a=healthy(), b=healthy(), c=healthy())
B_DEAD = sight(a=healthy(), b=sick(), c=healthy())
WEB = wish(pool("a", "b", "c"))


class StrictArchive(FakeArchive):
    """A shared archive that can lose a store or give back damaged bodies."""

    def __init__(self) -> None:
        """Start without faults."""
        super().__init__()
        self.store_fails = False
        self.damaged = False

    async def store(self, envelope: Envelope, row: PlanRow) -> None:
        """Store, or fail before anything is written."""
        if self.store_fails:
            raise ReadFailed("store: throttled")
        await super().store(envelope, row)

    async def load(self, plan_id: PlanId) -> Envelope:
        """Load, or find damage."""
        if self.damaged:
            raise PlanDamaged("chunks [0] of [2]")
        return await super().load(plan_id)


class StaleTable(FakeTable):
    """Reads what somebody read a while ago; writes go to the one true table."""

    def __init__(self, table: FakeTable, seen: Mapping[str, GenerationItem]) -> None:
        """Share the table's items."""
        super().__init__(table.id)
        self.items = table.items
        self.seen = dict(seen)

    async def read_each(
        self, labels: Sequence[str]
    ) -> Mapping[str, GenerationItem | ItemUnreadable]:
        """The old reading."""
        return {label: self.seen[label] for label in labels if label in self.seen}


class MissingTable(StaleTable):
    """A table that nobody made."""

    async def incarnation(self) -> str:
        """What the adapter says of it."""
        raise ReadFailed("describe table dnsplan: ResourceNotFoundException: not found")


class FailingCreate(StaleTable):
    """A table whose write breaks the port's promise of an outcome."""

    async def write(self, transition: Transition) -> WriteOutcome:
        """Raise where an outcome is due."""
        raise ReadFailed(f"{transition.name}: connection reset")


class SwappedAtStore(StrictArchive):
    """Between the storing of a body and the move of head the table is restored."""

    def __init__(self, table: FakeTable) -> None:
        """Know the table to swap."""
        super().__init__()
        self.table = table

    async def store(self, envelope: Envelope, row: PlanRow) -> None:
        """Store, and let the table be swapped."""
        await super().store(envelope, row)
        self.table.id = "table-2"


@dataclass
class World:
    """One table and archive, and as many planners as a test makes."""

    clock: FakeClock = field(default_factory=FakeClock)
    table: FakeTable = field(default_factory=FakeTable)
    archive: StrictArchive = field(default_factory=StrictArchive)
    made: int = 0

    def cycle(self, *, plans_per_min_max: int = 100, table: FakeTable | None = None) -> PlanCycle:
        """A planner's cycle as after a restart, with chance of its own."""
        self.made += 1
        return PlanCycle(
            table=table or self.table,
            archive=self.archive,
            clock=self.clock,
            jitter=SeededJitter(self.made),
            author=f"planner/{self.made}",
            plans_per_min_max=plans_per_min_max,
        )

    def planner(
        self, *wishes: ZoneWish, cycle: PlanCycle | None = None, table: FakeTable | None = None
    ) -> PlanPass:
        """A planner over these zones, which may see the table through another's eyes."""
        made = cycle or self.cycle(table=table)
        return PlanPass(wishes or (WEB,), table=table or self.table, cycle=made)

    async def once(
        self, view: Sight = GOOD, *wishes: ZoneWish, may_write: bool = True
    ) -> ZoneReport:
        """One pass of a fresh planner over one zone."""
        (report,) = await self.planner(*wishes).run_once(view, may_write=may_write)
        return report

    @property
    def item(self) -> GenerationItem:
        """The zone's item."""
        return self.table.items["shop"]

    async def head(self) -> Plan:
        """The newest plan, through the archive as an enactor reads it."""
        return unseal(await self.archive.load(self.item.head_id))

    async def begin(self, generation: int = 7, *content: RecordSet, **fields: object) -> Plan:
        """Publish a plan by hand, as another writer would."""
        made = plan(
            *(content or multivalue("a", "b", "c")),
            generation=generation,
            created_s=int(self.clock.now_s()) - 1000,
            **fields,  # type: ignore[arg-type]  # forwarded as they are
        )
        sealed = seal(made)
        row = PlanRow(
            plan_id=sealed.plan_id,
            created_s=made.created_s,
            author="x",
            reason="x",
            base=made.base,
            chunks=1,
            record_sets=len(made.content),
        )
        await self.archive.store(sealed, row)
        if "shop" not in self.table.items:
            item = GenerationItem(
                label="shop", owner=made.owner, incarnation=self.table.id, nonce="n0"
            )
            await self.table.write(create(item))
        await self.table.write(publish(self.item, sealed.plan_id, nonce=f"n{generation}"))
        return made


def rule_of(report: ZoneReport) -> HoldRule:
    """The rule of a hold."""
    assert isinstance(report.outcome, Held), report.outcome
    return report.outcome.rule
