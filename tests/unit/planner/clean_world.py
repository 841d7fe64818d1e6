"""A world for cleanup: ten published plans, a fence to turn, an archive that may die."""

from dataclasses import dataclass, field

from dnsplan.codec import seal
from dnsplan.errors import ReadFailed
from dnsplan.fence import FenceRecord, NoFence, SeenFence, to_record_set
from dnsplan.generation import GenerationItem
from dnsplan.plan import Generation, PlanId
from dnsplan.ports import PlanRow, Zone
from planner.cleanup import CleanReport, CleanupCycle, Outside
from planner.rules.outcomes import Held, HoldRule
from planner.rules.retention import Retention
from tests.fakes.archive import FakeArchive
from tests.fakes.clock import FakeClock, SeededJitter
from tests.fakes.table import FakeTable
from tests.unit.planner.cases import ZONE, a, plan
from tests.unit.planner.test_retention import fence, item

HEAD = 10


@dataclass
class FakeFences:
    """Reads the fence that a test put there; every question is counted."""

    seen: FenceRecord | NoFence | Exception
    asked: list[Zone] = field(default_factory=list)

    async def read_fence(self, zone: Zone) -> SeenFence | NoFence:
        """The fence, no fence, or trouble."""
        self.asked.append(zone)
        if isinstance(self.seen, Exception):
            raise self.seen
        if isinstance(self.seen, NoFence):
            return self.seen
        return SeenFence(self.seen, to_record_set(self.seen, ZONE))


class FragileArchive(FakeArchive):
    """An archive that dies after so many burials, or tombstones that it forgot."""

    burials_left = forgets_left = 1_000

    async def forget(self, tombstone: PlanRow) -> None:
        """Delete a tombstone, or fail."""
        if self.forgets_left == 0:
            raise ReadFailed("forget: connection lost")
        self.forgets_left -= 1
        await super().forget(tombstone)

    async def bury(self, row: PlanRow, *, by: str, now_s: int) -> None:
        """Bury, or fail half-way: the tombstone stands, the body is still there."""
        body = self.bodies[row.plan_id]
        await super().bury(row, by=by, now_s=now_s)
        if self.burials_left == 0:
            self.bodies[row.plan_id] = body
            raise ReadFailed("bury: connection lost")
        self.burials_left -= 1

    async def sweep(self, label: str, *, below: Generation) -> int:
        """Delete bodies that no row speaks of, or only a tombstone."""
        doomed = [
            one
            for one in self.bodies
            if one.label == label
            and one.generation < below
            and (one not in self.kept or self.kept[one].deleted_s is not None)
        ]
        for one in doomed:
            del self.bodies[one]
        return len(doomed)


@dataclass
class World:
    """Ten published plans, the newest applied, and a zone that says so."""

    clock: FakeClock = field(default_factory=FakeClock)
    table: FakeTable = field(default_factory=FakeTable)
    archive: FragileArchive = field(default_factory=FragileArchive)
    fences: FakeFences = field(default_factory=lambda: FakeFences(fence(HEAD)))

    async def begin(self, **fields: object) -> None:
        """Store plans 1 to 10, a thousand seconds old."""
        self.table.items["shop"] = item(HEAD, **fields)  # type: ignore[arg-type]  # as they are
        for generation in range(1, HEAD + 1):
            await self.store(generation)

    async def store(self, generation: int, *, age_s: int = 1000, text: str = "x") -> PlanId:
        """Store one plan."""
        created_s = int(self.clock.now_s()) - age_s
        made = plan(
            a(f"{text}.example.com.", "192.0.2.1"), generation=generation, created_s=created_s
        )
        sealed = seal(made)
        kept = PlanRow(
            plan_id=sealed.plan_id,
            created_s=created_s,
            author="planner",
            reason="x",
            base=made.base,
            chunks=1,
            record_sets=1,
        )
        await self.archive.store(sealed, kept)
        return sealed.plan_id

    async def clean(
        self, *, keep: int = 2, min_age_s: int = 100, history: int = 100
    ) -> CleanReport:
        """One cleanup pass."""
        outside = Outside(
            table=self.table,
            archive=self.archive,
            fences=self.fences,
            clock=self.clock,
            jitter=SeededJitter(),
            graveyard=self.archive,
        )
        wish = Retention(keep, min_age_s, history)
        cycle = CleanupCycle(outside, retention=wish, by="cleanup")
        return await cycle.run_once("shop", ZONE)

    @property
    def item(self) -> GenerationItem:
        """The zone's item."""
        return self.table.items["shop"]

    @property
    def left(self) -> list[int]:
        """Generations that still have a body."""
        return sorted(one.generation for one in self.archive.bodies)


def rule_of(report: CleanReport) -> HoldRule:
    """The rule of a hold."""
    assert isinstance(report.outcome, Held), report.outcome
    return report.outcome.rule
