"""The floor never passes what must stay, and every plan that stays has a reason."""

from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from dnsplan.fence import FenceRecord
from dnsplan.generation import GenerationItem
from dnsplan.plan import ERA, Digest, Generation, PlanId
from dnsplan.ports import PlanRow
from planner.rules.retention import (
    Keep,
    Retention,
    deletable_below,
    forgettable,
    highest_floor,
    verdicts,
)
from tests.unit.planner.cases import NOW_S, OWNER

KEEP_TWO = Retention(keep=2, min_age_s=100)


def row(generation: int, *, age_s: int = 1000, deleted: bool = False) -> PlanRow:
    """A plan's row."""
    return PlanRow(
        plan_id=PlanId("shop", Generation(generation), Digest("d" * 64)),
        created_s=NOW_S - age_s,
        author="planner",
        reason="x",
        base=Generation(generation - 1),
        chunks=1,
        record_sets=1,
        deleted_s=NOW_S if deleted else None,
        deleted_by="cleanup" if deleted else None,
    )


def item(head: int, *, at: int | None = None, **fields: object) -> GenerationItem:
    """An item whose claimed, applied and last known good are all at `at`, or at head."""
    there = Generation(head if at is None else at)
    made = GenerationItem(
        label="shop",
        owner=OWNER,
        incarnation="table-1",
        nonce="n",
        zone_id="Z1",
        head=Generation(head),
        claimed=there,
        applied=there,
        last_known_good=there,
    )
    return structs.replace(made, **fields)


def fence(generation: int, *, step: int = 1, steps: int = 1, base: int = 0) -> FenceRecord:
    """What the zone says."""
    return FenceRecord(
        generation=Generation(generation),
        step=step,
        steps=steps,
        base=Generation(base),
        held=0,
        owner=OWNER,
        writer="az1",
        nonce="f",
        digest=Digest("d" * 64),
    )


ROWS = [row(generation) for generation in range(1, 11)]


def floor_of(
    zone: GenerationItem, seen: FenceRecord | None, rows: list[PlanRow] | None = None
) -> int:
    """The highest floor under `keep: 2, min_age_s: 100`."""
    return highest_floor(zone, rows or ROWS, KEEP_TWO, fence=seen, now_s=NOW_S)


def test_all_but_the_newest_kept_may_go() -> None:
    """When everything is at head the floor leaves `keep` plans below it."""
    assert floor_of(item(10), fence(10)) == 8


def test_each_bound_holds_alone() -> None:
    """Live, base of an unfinished plan, claimed, applied, last known good and pin each bound it."""
    bounds = {
        "live": floor_of(item(10), fence(4)),
        "base": floor_of(item(10), fence(10, step=1, steps=3, base=4)),
        "claimed": floor_of(item(10, claimed=Generation(4)), fence(10)),
        "applied": floor_of(item(10, applied=Generation(4)), fence(10)),
        "last_known_good": floor_of(item(10, last_known_good=Generation(4)), fence(10)),
        "pin": floor_of(item(10, pin=Generation(4)), fence(10)),
    }
    assert bounds == dict.fromkeys(bounds, 4)


def test_the_base_of_a_finished_plan_binds_nobody() -> None:
    """Once the whole plan stands its base is history."""
    assert floor_of(item(10), fence(10, step=3, steps=3, base=4)) == 8


def test_a_young_plan_stays_and_all_above_it() -> None:
    """No plan younger than min_age_s goes, exactly at the age it may."""
    young = [row(n, age_s=1000 if n < 4 else 99) for n in range(1, 11)]
    assert floor_of(item(10), fence(10), young) == 4
    old = [row(n, age_s=1000 if n < 4 else 100) for n in range(1, 11)]
    assert floor_of(item(10), fence(10), old) == 8


def test_a_clock_that_went_back_keeps_everything() -> None:
    """A plan from the future is young."""
    assert floor_of(item(10), fence(10), [row(n, age_s=-50) for n in range(1, 11)]) == 1


def test_the_kept_are_counted_in_plans_not_in_numbers() -> None:
    """After a jump to the next era the newest plans of the old one are still kept."""
    rows = [row(n) for n in (6, 7, 8, 9, 10, ERA)]
    assert floor_of(item(ERA), fence(ERA), rows) == 9


def test_the_floor_never_goes_back() -> None:
    """Whatever the bounds say, the present floor stands."""
    assert floor_of(item(10, floor=Generation(5), pin=Generation(3)), fence(10)) == 5


def test_a_zone_that_nobody_claimed_has_no_floor() -> None:
    """Before the first claim nothing may go."""
    assert floor_of(item(10, at=0), None) == 0


def test_deletable_are_bodies_below_the_floor_oldest_first() -> None:
    """Tombstones are not deleted again, and two bodies of one number both go."""
    orphan = structs.replace(row(2), plan_id=PlanId("shop", Generation(2), Digest("e" * 64)))
    rows = [row(3), orphan, row(2), row(1, deleted=True)]
    expected = (row(2), orphan)
    assert deletable_below(rows, Generation(3)) == expected


def reasons(zone: GenerationItem, seen: FenceRecord | None, floor: int) -> dict[int, set[Keep]]:
    """Why each plan stays."""
    found = verdicts(zone, ROWS, KEEP_TWO, fence=seen, floor=Generation(floor), now_s=NOW_S)
    return {one.row.plan_id.generation: set(one.kept_because) for one in found}


def test_every_reason_is_named() -> None:
    """Each plan that something points at says what."""
    zone = item(
        9,
        claimed=Generation(8),
        applied=Generation(6),
        last_known_good=Generation(5),
        pin=Generation(4),
    )
    found = reasons(zone, fence(7, step=1, steps=2, base=3), 2)
    assert found == {
        1: set(),
        2: {Keep.ABOVE_FLOOR},
        3: {Keep.BASE},
        4: {Keep.PINNED},
        5: {Keep.LAST_KNOWN_GOOD},
        6: {Keep.APPLIED},
        7: {Keep.LIVE, Keep.WITHIN_KEEP},
        8: {Keep.CLAIMED, Keep.WITHIN_KEEP},
        9: {Keep.HEAD},
        10: {Keep.UNPUBLISHED},
    }


def test_a_young_plan_says_so() -> None:
    """Age is a reason of its own."""
    young = [row(1, age_s=5)]
    (one,) = verdicts(item(10), young, KEEP_TWO, fence=None, floor=Generation(0), now_s=NOW_S)
    assert Keep.TOO_YOUNG in one.kept_because


def test_below_an_earlier_floor_nothing_is_kept() -> None:
    """What a floor closed once can never be claimed again, so nothing keeps it."""
    zone = item(10, floor=Generation(4), pin=Generation(2))
    assert reasons(zone, fence(10), 4)[2] == set()


GENERATIONS = st.integers(0, 30)


@given(
    st.tuples(*[GENERATIONS] * 6),
    st.one_of(st.none(), GENERATIONS),
    st.lists(st.tuples(st.integers(1, 30), st.integers(0, 300), st.booleans()), max_size=40),
    st.integers(1, 5),
)
def test_no_state_lets_the_floor_pass_what_must_stay(
    points: tuple[int, ...],
    pin: int | None,
    plans: list[tuple[int, int, bool]],
    keep: int,
) -> None:
    """P5 over random states: what is deletable is never live, base, claimed, applied, last known
    good, pinned, young or among the newest, and the floor is one that the item's own conditions
    admit."""
    head, claimed, applied, good, live, base = points
    zone = item(
        head,
        claimed=Generation(claimed),
        applied=Generation(applied),
        last_known_good=Generation(good),
        pin=None if pin is None else Generation(pin),
    )
    seen = fence(live, step=1, steps=2, base=base)
    rows = [row(number, age_s=age, deleted=gone) for number, age, gone in plans]
    wish = Retention(keep=keep, min_age_s=100)
    floor = highest_floor(zone, rows, wish, fence=seen, now_s=NOW_S)
    doomed = {one.plan_id.generation for one in deletable_below(rows, floor)}
    pointed = {head, claimed, applied, good, live, base} | ({pin} if pin is not None else set())
    assert not doomed & pointed
    assert all(floor <= one for one in (claimed, applied, good, live, base)) or floor == 0
    assert floor <= max(0, head - keep)
    assert pin is None or floor <= pin
    living = sorted({n for n, _, gone in plans if not gone and n < head}, reverse=True)
    assert not doomed & set(living[:keep])
    assert not doomed & {n for n, age, gone in plans if age < 100 and not gone}


def grave(generation: int, *, age_s: int = 1000) -> PlanRow:
    """The tombstone of a plan that was deleted so long ago."""
    return structs.replace(row(generation, deleted=True), deleted_s=NOW_S - age_s)


def forgotten(rows: list[PlanRow], history: int, *, floor: int = 10) -> list[int]:
    """The generations whose tombstones go."""
    wish = Retention(keep=2, min_age_s=100, history=history)
    found = forgettable(rows, wish, floor=Generation(floor), now_s=NOW_S)
    return [one.plan_id.generation for one in found]


def test_all_but_the_newest_tombstones_go() -> None:
    """In whatever order they are read; the rows of plans that stand are none of them."""
    rows = [grave(n) for n in (3, 1, 2, 4)] + [row(5), row(6)]
    assert [forgotten(rows, history) for history in (5, 4, 2, 0)] == [
        [],
        [],
        [1, 2],
        [1, 2, 3, 4],
    ]


def test_a_tombstone_stays_while_it_is_young_or_not_below_the_floor() -> None:
    """However many there are; and exactly at the age it may go."""
    rows = [grave(1), grave(2, age_s=99), grave(3, age_s=100), grave(4), grave(5)]
    assert forgotten(rows, 0, floor=5) == [1, 3, 4]


def test_a_clock_that_went_back_forgets_nothing() -> None:
    """A burial in the future is young."""
    assert forgotten([grave(n, age_s=-50) for n in range(1, 9)], 0) == []
