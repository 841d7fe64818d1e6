"""The cleanup cycle on strict fakes: floor first, bodies after, and in doubt nothing at all."""

import pytest
from msgspec import structs

from dnsplan.codec import seal
from dnsplan.errors import FenceDamaged, ReadFailed
from dnsplan.fence import FenceRecord, NoFence, SeenFence
from dnsplan.generation import AtMost, failed
from dnsplan.plan import Generation
from dnsplan.ports import Zone
from dnsplan.transitions import claim
from planner.rules.outcomes import Cleaned, HoldRule, Overtaken, Unsettled
from planner.rules.retention import Keep
from tests.fakes.table import TableFault
from tests.unit.planner.cases import ZONE, a, plan
from tests.unit.planner.clean_world import HEAD, FakeFences, World, rule_of
from tests.unit.planner.test_retention import fence
from tests.unit.planner.world import StaleTable


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


async def test_history_is_bounded_and_no_plan_that_stands_is_forgotten() -> None:
    """Of the tombstones so many stay as are wished for, once they are old enough."""
    world = World()
    await world.begin()
    await world.clean(history=3)
    assert len(world.archive.kept) == HEAD
    world.clock.advance(100)
    await world.clean(history=3)
    assert sorted(one.generation for one in world.archive.kept) == [5, 6, 7, 8, 9, 10]
    assert world.left == [8, 9, 10]


async def test_a_forgotten_plan_that_is_stored_late_is_deleted_again() -> None:
    """Nobody can claim it below the floor, no head names it, and the next pass finds it."""
    world = World()
    await world.begin()
    plan_id = await world.store(3)
    late, row = await world.archive.load(plan_id), world.archive.kept[plan_id]
    await world.clean(history=0)
    world.clock.advance(100)
    await world.clean(history=0)
    assert plan_id not in world.archive.kept
    await world.archive.store(late, row)
    before = world.item
    assert isinstance((await world.clean(history=0)).outcome, Cleaned)
    assert (plan_id in world.archive.bodies, world.item) == (False, before)
    assert world.archive.kept[plan_id].deleted_s is not None
    wish = claim(world.item, Generation(3), zone_id="Z1", nonce="late")
    assert AtMost("floor", Generation(3)) in failed(wish.conditions, world.item)


async def test_a_crash_while_forgetting_is_resumed() -> None:
    """What could not be deleted is deleted by the next pass; nothing else waits for it."""
    world = World()
    await world.begin()
    await world.clean(history=0)
    world.clock.advance(100)
    world.archive.forgets_left = 2
    assert rule_of(await world.clean(history=0)) is HoldRule.READ_FAILED
    assert len(world.archive.kept) == HEAD - 2
    world.archive.forgets_left = 1_000
    await world.clean(history=0)
    assert sorted(one.generation for one in world.archive.kept) == [8, 9, 10]
