"""A target that keeps falling sick stays out ever longer, and never where it would be missed."""

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs

from dnsplan.records import RecordSet, Weighted
from dnsplan.velocity import VelocityLimit
from planner.rules.health import NEVER_SEEN, Hysteresis, Observation, Phase, TargetHealth, observed
from planner.rules.notes import Place, Why
from planner.rules.pools import Policy, PoolUnit
from planner.rules.probation import PROBATION_S_MAX, held_until_s, slow_share
from planner.rules.rendering import render
from planner.rules.selection import LeftOut, select
from tests.unit.planner.cases import (
    NAME,
    NOW_S,
    address,
    chosen,
    healthy,
    ids,
    multivalue,
    pool,
    sick,
    sight,
    why,
)

RULE = Hysteresis(rise=1, fall=1, gap_s=60.0)


def back(since_s: float, *fell: float) -> TargetHealth:
    """Healthy again after these falls."""
    return replace(healthy(since_s), fell=fell)


def on_probation(
    *members: str, slow_start_s: float = 0.0, policy: Policy = Policy.MULTIVALUE
) -> PoolUnit:
    """A pool whose fallen targets stay out for a minute."""
    return replace(pool(*members, policy=policy), probation_s=60.0, slow_start_s=slow_start_s)


def test_a_fall_is_from_healthy_to_unhealthy() -> None:
    """A target that was never up did not fall, and the last falls are kept."""
    state = NEVER_SEEN
    for at_s, good in enumerate((False, True, False, True, True, False)):
        state = observed(state, Observation(float(at_s), good, ""), RULE)
    assert (state.phase, state.fell) == (Phase.UNHEALTHY, (2.0, 5.0))


def test_one_that_looked_well_before_it_was_known_falls_too() -> None:
    """What comes and goes from the first look on is held like any other; what starts sick, as a
    host does whose service is not up yet, is not."""
    rule = Hysteresis(rise=2, fall=2, gap_s=60.0)
    fell = []
    for looks in ((True, False, False), (False, False, True, True)):
        state = NEVER_SEEN
        for at_s, good in enumerate(looks):
            state = observed(state, Observation(float(at_s), good, ""), rule)
        fell.append(state.fell)
    assert fell == [(2.0,), ()]


def test_a_probation_counts_from_the_fall() -> None:
    """Who was away for longer than its probation waits for nothing; nobody fell, nobody waits."""
    assert held_until_s((), 60.0) == float("-inf")
    assert held_until_s((100.0,), 60.0) == 160.0


def test_a_probation_doubles_with_each_fall_that_comes_soon() -> None:
    """Soon is before it was up for as long as it had been held; it ends at a stated length."""
    assert held_until_s((0.0, 61.0), 60.0) == 61.0 + 120.0
    assert held_until_s((0.0, 61.0, 182.0), 60.0) == 182.0 + 240.0
    assert held_until_s((0.0, 120.0), 60.0) == 120.0 + 60.0
    fell = [0.0]
    for _ in range(7):
        fell.append(held_until_s(tuple(fell), 60.0) + 1.0)
    assert held_until_s(tuple(fell), 60.0) == fell[-1] + PROBATION_S_MAX


def test_who_fell_stays_out_though_it_looks_well() -> None:
    """Looking well ends no probation, time does."""
    unit = on_probation("a", "b", "c")
    states = {"a": healthy(), "b": healthy(), "c": back(70.0, 65.0)}
    early = chosen(unit, sight(now_s=124.9, **states), multivalue("a", "b"))
    assert (ids(early), why(early)["c"]) == (["a", "b"], (Place.OUT, Why.PROBATION))
    late = chosen(unit, sight(now_s=125.0, **states), multivalue("a", "b"))
    assert ids(late) == ["a", "b", "c"]


def test_who_answers_goes_on_answering() -> None:
    """A probation takes nobody out: who could not go in time, and is well again, stays."""
    unit = on_probation("a", "b", "c")
    view = sight(now_s=71.0, a=healthy(), b=healthy(), c=back(70.0, 65.0))
    assert ids(chosen(unit, view, multivalue("a", "b", "c"))) == ["a", "b", "c"]


def test_a_pool_that_would_be_short_waits_for_nobody() -> None:
    """Where too few would be left without those on probation, they come at once."""
    unit = on_probation("a", "b", "c", "d")
    fallen = back(70.0, 65.0)
    view = sight(now_s=71.0, a=healthy(), b=fallen, c=fallen, d=sick())
    result = chosen(unit, view, multivalue("a", "d"))
    assert {"a", "b", "c"} <= set(ids(result))
    spared = chosen(
        unit,
        sight(now_s=71.0, a=healthy(), b=healthy(), c=fallen, d=sick()),
        multivalue("a", "b", "d"),
    )
    assert why(spared)["c"] == (Place.OUT, Why.PROBATION)


def test_one_bad_look_more_ends_no_probation() -> None:
    """A held target whose newest look was bad is held all the same."""
    unit = on_probation("a", "b", "c")
    wavering = replace(back(70.0, 65.0), last=Observation(71.0, False, "refused"))
    view = sight(now_s=72.0, a=healthy(), b=healthy(), c=wavering)
    assert why(chosen(unit, view, multivalue("a", "b")))["c"] == (Place.OUT, Why.PROBATION)


def test_the_floor_takes_those_on_probation_first() -> None:
    """Rather who looks well and fell than who was never seen."""
    unit = on_probation("a", "b", "c", "d")
    unit = replace(unit, limit=VelocityLimit(3, 0.25, 300), panic_threshold=0.0)
    view = sight(now_s=71.0, a=healthy(), b=healthy(), c=back(70.0, 65.0))
    assert ids(chosen(unit, view, multivalue("a", "b"))) == ["a", "b", "c"]


@settings(max_examples=30)
@given(st.integers(1, 20), st.integers(0, 20))
def test_what_comes_and_goes_makes_two_changes_a_minute(up_s: int, down_s: int) -> None:
    """Whatever the beat of a flapping target, its name changes at most twice in any minute."""
    unit = on_probation("a", "b", "c", "d")
    state, there = healthy(), frozenset("abcd")
    changed_s: list[int] = []
    for now_s in range(2, 900):
        good = now_s % (up_s + down_s + 1) < up_s
        state = observed(state, Observation(float(now_s), good, ""), RULE)
        view = sight(now_s=float(now_s), a=healthy(), b=healthy(), c=healthy(), d=state)
        heard = frozenset(ids(chosen(unit, view, multivalue(*sorted(there)))))
        if heard != there:
            changed_s.append(now_s)
        there = heard
    for at_s in changed_s:
        assert sum(at_s <= one < at_s + 60 for one in changed_s) <= 2, changed_s


def test_slow_start_rises_in_few_steps() -> None:
    """A quarter, half, all: each is a plan."""
    unit = on_probation("a", slow_start_s=30.0)
    shares = [slow_share(unit, healthy(100.0), now_s=100.0 + at) for at in (0, 9, 10, 19, 20, 99)]
    assert shares == [0.25, 0.25, 0.5, 0.5, 1.0, 1.0]


def test_slow_start_begins_when_the_probation_ends() -> None:
    """The time on probation is none of use to a cold target."""
    unit = on_probation("a", slow_start_s=30.0)
    assert slow_share(unit, back(110.0, 100.0), now_s=161.0) == 0.25


def weights(
    unit: PoolUnit, standing: tuple[RecordSet, ...], **states: TargetHealth
) -> dict[str, int]:
    """What each target gets a little after 100 s."""
    result = select(unit, standing, None, sight(now_s=101.0, **states), now_s=NOW_S)
    assert not isinstance(result, LeftOut)
    made = render(unit, result, standing)
    return {
        one.set_id: one.routing.weight
        for one in made
        if one.set_id is not None and isinstance(one.routing, Weighted)
    }


def weighted(target_id: str, weight: int) -> RecordSet:
    """One weighted member."""
    return RecordSet(NAME, "A", 30, (address(target_id),), target_id, Weighted(weight))


def test_one_that_comes_gets_a_part_of_its_weight() -> None:
    """And nobody who answers loses any: not for the other, not after a restart."""
    unit = on_probation("a", "b", policy=Policy.WEIGHTED, slow_start_s=30.0)
    both = (weighted("a", 255), weighted("b", 127))
    coming = weights(unit, (weighted("a", 255),), a=healthy(), b=healthy(100.0))
    assert coming == {"a": 255, "b": 63}
    assert weights(unit, both, a=healthy(100.0), b=healthy(100.0)) == {"a": 255, "b": 127}
    assert weights(unit, both) == {"a": 255, "b": 127}


def test_one_that_got_another_id_keeps_its_weight() -> None:
    """It answered under the old one: were it spared, all of a pool that is named anew would weigh
    the same until they are known, and the small ones be overrun."""
    unit = on_probation("a", "b", policy=Policy.WEIGHTED, slow_start_s=30.0)
    both = (weighted("a", 255), weighted("b", 127))
    there = tuple(structs.replace(one, set_id=f"old-{one.set_id}") for one in both)
    assert weights(unit, there) == {"a": 255, "b": 127}
    assert weights(unit, there, a=healthy(100.0), b=healthy(100.0)) == {"a": 255, "b": 127}


def test_a_name_without_weights_starts_at_once() -> None:
    """A new name, and one that answered by another policy, has nobody to spare."""
    unit = on_probation("a", "b", policy=Policy.WEIGHTED, slow_start_s=30.0)
    assert weights(unit, (), a=healthy(100.0), b=healthy(100.0)) == {"a": 255, "b": 255}
    assert weights(unit, multivalue("a", "b")) == {"a": 255, "b": 255}
