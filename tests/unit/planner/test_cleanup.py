"""The cleanup cycle on strict fakes: floor first, bodies after, and in doubt nothing at all."""

from dataclasses import dataclass, field

import pytest
from msgspec import structs

from dnsplan.codec import seal
from dnsplan.errors import FenceDamaged, ReadFailed
from dnsplan.fence import FenceRecord, NoFence, SeenFence, to_record_set
from dnsplan.generation import GenerationItem, claim
from dnsplan.plan import Generation, PlanId
from dnsplan.ports import PlanRow, Zone
from planner.cleanup import CleanReport, CleanupCycle, Outside
from planner.rules.outcomes import Cleaned, Held, HoldRule, Overtaken, Unsettled
from planner.rules.retention import Keep, Retention
from tests.fakes.archive import FakeArchive
from tests.fakes.clock import FakeClock, SeededJitter
from tests.fakes.table import FakeTable, TableFault
from tests.unit.planner.cases import ZONE, a, plan
from tests.unit.planner.test_retention import fence, item
from tests.unit.planner.world import StaleTable

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
    """An archive that dies after so many burials."""

    burials_left = 1_000

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

    async def clean(self, *, keep: int = 2, min_age_s: int = 100) -> CleanReport:
        """One cleanup pass."""
        outside = Outside(
            table=self.table,
            archive=self.archive,
            fences=self.fences,
            clock=self.clock,
            jitter=SeededJitter(),
        )
        cycle = CleanupCycle(outside, retention=Retention(keep, min_age_s), by="cleanup")
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


async def test_old_plans_go_and_tombstones_stay() -> None:
    """The floor rises as far as it may, bodies below it go, and each leaves a tombstone."""
    world = World()
    await world.begin()
    report = await world.clean()
    assert report.outcome == Cleaned(Generation(8), deleted=7, swept=0)
    assert (world.item.floor, world.left) == (8, [8, 9, 10])
    rows = await world.archive.rows("shop")
    assert [one.deleted_by for one in rows] == ["cleanup"] * 7 + [None] * 3


async def test_a_second_pass_finds_nothing_and_asks_no_fence() -> None:
    """Without anything to gain Route 53 is not asked."""
    world = World()
    await world.begin()
    await world.clean()
    world.fences.asked.clear()
    report = await world.clean()
    assert report.outcome == Cleaned(Generation(8), deleted=0, swept=0)
    assert world.fences.asked == []


async def test_the_fence_is_asked_of_the_zone_the_item_is_bound_to() -> None:
    """The zone's id comes from the item; no zone is ever looked up by name."""
    world = World()
    await world.begin()
    await world.clean()
    assert world.fences.asked == [Zone("shop", "Z1", ZONE)]


@pytest.mark.parametrize(
    ("fields", "seen", "kept_at", "reason"),
    [
        ({}, fence(4), 4, Keep.LIVE),
        ({}, fence(HEAD, step=1, steps=2, base=4), 4, Keep.BASE),
        ({"claimed": Generation(4)}, fence(HEAD), 4, Keep.CLAIMED),
        ({"applied": Generation(4)}, fence(HEAD), 4, Keep.APPLIED),
        ({"last_known_good": Generation(4)}, fence(HEAD), 4, Keep.LAST_KNOWN_GOOD),
        ({"pin": Generation(4)}, fence(HEAD), 4, Keep.PINNED),
        ({}, fence(HEAD), 8, Keep.WITHIN_KEEP),
    ],
)
async def test_what_must_stay_stays_and_says_why(
    fields: dict[str, object], seen: FenceRecord, kept_at: int, reason: Keep
) -> None:
    """Everything below the bound goes, the bound and all above it stay, with the reason named."""
    world = World()
    await world.begin(**fields)
    world.fences.seen = seen
    report = await world.clean()
    assert world.left == list(range(kept_at, HEAD + 1))
    (verdict,) = [one for one in report.verdicts if one.row.plan_id.generation == kept_at]
    assert reason in verdict.kept_because


async def test_young_plans_stay_and_say_so() -> None:
    """min_age_s keeps plans whatever their number."""
    world = World()
    await world.begin()
    report = await world.clean(min_age_s=2000)
    assert report.outcome == Cleaned(Generation(0), deleted=0, swept=0)
    assert world.left == list(range(1, HEAD + 1))
    assert all(Keep.TOO_YOUNG in one.kept_because for one in report.verdicts)
    assert world.fences.asked == []


async def test_no_fence_refuses() -> None:
    """A zone without a fence says nothing about what is live."""
    world = World()
    await world.begin()
    world.fences.seen = NoFence.MISSING
    report = await world.clean()
    assert rule_of(report) is HoldRule.FENCE_MISSING
    assert (world.item.floor, len(world.left)) == (0, HEAD)


async def test_a_damaged_fence_refuses() -> None:
    """What cannot be read is not guessed at."""
    world = World()
    await world.begin()
    world.fences.seen = FenceDamaged("step 3 of 2")
    assert rule_of(await world.clean()) is HoldRule.FENCE_DAMAGED
    assert (world.item.floor, len(world.left)) == (0, HEAD)


async def test_a_foreign_fence_refuses() -> None:
    """A zone that belongs to another deployment is none of ours."""
    world = World()
    await world.begin()
    world.fences.seen = structs.replace(fence(HEAD), owner="f" * 32)
    assert rule_of(await world.clean()) is HoldRule.FOREIGN_OWNER
    assert (world.item.floor, len(world.left)) == (0, HEAD)


async def test_a_fence_above_head_refuses() -> None:
    """The table has lost history, which must not be thinned out further."""
    world = World()
    await world.begin()
    world.fences.seen = fence(HEAD + 1)
    assert rule_of(await world.clean()) is HoldRule.AHEAD
    assert len(world.left) == HEAD


async def test_an_unreadable_fence_holds() -> None:
    """A failed read is no answer."""
    world = World()
    await world.begin()
    world.fences.seen = ReadFailed("throttled")
    assert rule_of(await world.clean()) is HoldRule.READ_FAILED
    assert len(world.left) == HEAD


@pytest.mark.parametrize(
    ("fields", "rule"),
    [
        ({"frozen": "f1"}, HoldRule.FROZEN),
        ({"ahead": Generation(12)}, HoldRule.AHEAD),
        ({"incarnation": "table-0"}, HoldRule.FOREIGN_TABLE),
        ({"zone_id": None}, HoldRule.FENCE_MISSING),
    ],
)
async def test_an_item_in_doubt_holds(fields: dict[str, object], rule: HoldRule) -> None:
    """Frozen, ahead, restored or never claimed: history is left alone."""
    world = World()
    await world.begin(**fields)
    assert rule_of(await world.clean()) is rule
    assert len(world.left) == HEAD


async def test_a_zone_without_an_item_has_nothing_to_clean() -> None:
    """No item is a hold that says so."""
    assert rule_of(await World().clean()) is HoldRule.NO_ITEM


async def test_a_pin_that_came_first_wins() -> None:
    """A plan pinned between the reading and the writing keeps its body: the floor is refused."""
    world = World()
    await world.begin()
    seen = world.table.snapshot()
    world.table.items["shop"] = structs.replace(world.item, pin=Generation(4))
    world.table = StaleTable(world.table, seen)
    report = await world.clean()
    assert isinstance(report.outcome, Overtaken)
    assert "pin" in report.outcome.why
    assert (world.item.floor, len(world.left)) == (0, HEAD)


async def test_nobody_claims_below_a_raised_floor() -> None:
    """The two meet in one item: after the floor a claim of what goes is refused."""
    world = World()
    await world.begin()
    await world.clean()
    late = claim(world.item, Generation(7), zone_id="Z1", nonce="late")
    before = world.item
    await world.table.write(late)
    assert world.item == before


async def test_without_the_floor_nothing_is_deleted() -> None:
    """A floor whose write got no answer deletes nothing in this pass."""
    world = World()
    await world.begin()
    world.table.write_faults.append(TableFault.LOSE_REPLY)
    report = await world.clean()
    assert isinstance(report.outcome, Unsettled)
    assert (world.item.floor, len(world.left)) == (8, HEAD)


async def test_the_next_pass_resumes_from_the_floor() -> None:
    """What lies below a floor that was raised before is deleted without asking the fence again."""
    world = World()
    await world.begin()
    world.table.write_faults.append(TableFault.LOSE_REPLY)
    await world.clean()
    world.fences.asked.clear()
    report = await world.clean()
    assert report.outcome == Cleaned(Generation(8), deleted=7, swept=0)
    assert (world.left, world.fences.asked) == ([8, 9, 10], [])


@pytest.mark.parametrize("burials", [0, 1, 6])
async def test_a_crash_while_deleting_is_resumed(burials: int) -> None:
    """A pass that dies after any number of burials is finished by the next one."""
    world = World()
    await world.begin()
    world.archive.burials_left = burials
    assert rule_of(await world.clean()) is HoldRule.READ_FAILED
    world.archive.burials_left = 1_000
    report = await world.clean()
    assert report.outcome == Cleaned(Generation(8), deleted=6 - burials, swept=1)
    assert world.left == [8, 9, 10]


async def test_orphans_of_crashed_planners_go_with_their_number() -> None:
    """A body that never became head goes once the floor has passed its number."""
    world = World()
    await world.begin()
    await world.store(3, text="orphan")
    rowless = seal(plan(a("rowless.example.com.", "192.0.2.1"), generation=5))
    world.archive.bodies[rowless.plan_id] = rowless
    report = await world.clean()
    assert report.outcome == Cleaned(Generation(8), deleted=8, swept=1)
    assert world.left == [8, 9, 10]


async def test_a_table_swapped_before_the_write_holds() -> None:
    """The floor is written only in the table that the item was read from."""
    world = World()
    await world.begin()

    class Swapping(FakeFences):
        async def read_fence(self, zone: Zone) -> SeenFence | NoFence:
            """The fence; meanwhile the table is restored."""
            world.table.id = "table-2"
            return await super().read_fence(zone)

    world.fences = Swapping(fence(HEAD))
    assert rule_of(await world.clean()) is HoldRule.FOREIGN_TABLE
    assert (world.item.floor, len(world.left)) == (0, HEAD)
