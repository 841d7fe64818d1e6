"""Weights of a whole pool: by capacity, by AZ, and where capacity is measured."""

from collections import Counter
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from dnsplan.records import RecordSet, Weighted
from planner.rules.health import Sight
from planner.rules.pools import Balance, Member, Policy, PoolUnit
from planner.rules.rendering import render
from planner.rules.roll import NOT_READ, attendance
from planner.rules.selection import LeftOut, select
from planner.rules.weights import WEIGHT_MAX, WEIGHT_MIN, full_weights, steadied
from tests.unit.planner.cases import NAME, NOW_S, address, healthy, member, pool, sick, sight


def seat(target_id: str, az: str, capacity: int = 100) -> Member:
    """A target in an AZ."""
    return replace(member(target_id, capacity=capacity), az=az)


def by_az(*members: Member) -> PoolUnit:
    """A weighted pool that is balanced by AZ."""
    return replace(pool(*members, policy=Policy.WEIGHTED), balance=Balance.AZ)


def weights(unit: PoolUnit) -> dict[str, int]:
    """Each target's weight while all are well."""
    return {key[1]: weight for key, weight in full_weights(unit).items()}


def of_azs(unit: PoolUnit, *gone: str) -> Counter[str | None]:
    """What each AZ gets when some targets are out."""
    found: Counter[str | None] = Counter()
    for one in unit.members:
        if one.target_id not in gone:
            found[one.az] += full_weights(unit)[one.key]
    return found


def test_each_az_gets_as_much_as_any_other() -> None:
    """However many targets it has; inside it they share by capacity."""
    unit = by_az(seat("a", "az1"), seat("b", "az1"), seat("c", "az2"), seat("d", "az3", 10))
    assert weights(unit) == {"a": 128, "b": 128, "c": 255, "d": 255}
    inside = by_az(seat("a", "az1", 300), seat("b", "az1", 100), seat("c", "az2"))
    assert weights(inside) == {"a": 191, "b": 64, "c": 255}


def test_what_an_az_loses_spills_over_to_all() -> None:
    """An AZ of which half is gone keeps half, the others what they had: no weight moves."""
    unit = by_az(
        seat("a", "az1"), seat("b", "az1"), seat("c", "az2"), seat("d", "az2"), seat("e", "az3")
    )
    assert of_azs(unit) == {"az1": 256, "az2": 256, "az3": 255}
    assert of_azs(unit, "a") == {"az1": 128, "az2": 256, "az3": 255}
    assert of_azs(unit, "e") == {"az1": 256, "az2": 256}


def test_the_drained_weigh_nothing_in_their_az() -> None:
    """Draining one of two leaves the AZ's share to the other."""
    unit = by_az(seat("a", "az1"), seat("b", "az1", 0), seat("c", "az2"))
    assert weights(unit) == {"a": 255, "c": 255}


@given(
    st.lists(
        st.tuples(st.sampled_from(["az1", "az2", "az3"]), st.integers(0, 1_000_000)),
        min_size=1,
        max_size=30,
    ),
    st.sampled_from(list(Balance)),
)
def test_no_weight_is_zero_and_one_is_the_largest(
    drawn: list[tuple[str, int]], balance: Balance
) -> None:
    """Whatever the capacities: all zero would mean all equal, and the scale is used up."""
    seats = [seat(f"t{at}", az, capacity) for at, (az, capacity) in enumerate(drawn)]
    made = full_weights(replace(by_az(*seats), balance=balance))
    assert set(made) == {one.key for one in seats if one.capacity}
    assert all(WEIGHT_MIN <= weight <= WEIGHT_MAX for weight in made.values())
    if made:
        assert max(made.values()) == WEIGHT_MAX


def weighted(target_id: str, weight: int) -> RecordSet:
    """One weighted member."""
    return RecordSet(NAME, "A", 30, (address(target_id),), target_id, Weighted(weight))


def rendered(unit: PoolUnit, *standing: RecordSet) -> dict[str | None, int]:
    """What each target gets in the next plan."""
    view = Sight({one.key: healthy() for one in unit.members}, 0.0, 100.0)
    result = select(unit, standing, None, view, now_s=NOW_S)
    assert not isinstance(result, LeftOut)
    made = render(unit, result, standing)
    return {one.set_id: one.routing.weight for one in made if isinstance(one.routing, Weighted)}


def test_a_measured_capacity_that_trembles_publishes_nothing() -> None:
    """An eighth either way is noise; more than that is taken as it is."""
    standing = (weighted("a", 255), weighted("b", 128))

    def measured(capacity: int) -> PoolUnit:
        members = (member("a", capacity=100), member("b", capacity=capacity))
        unit = pool(*members, policy=Policy.WEIGHTED)
        return replace(unit, attendance=attendance([NOT_READ], hold_s=60.0))

    assert rendered(measured(44), *standing) == {"a": 255, "b": 128}
    assert rendered(measured(57), *standing) == {"a": 255, "b": 128}
    assert rendered(measured(43), *standing) == {"a": 255, "b": 110}
    assert rendered(measured(60), *standing) == {"a": 255, "b": 153}


def test_a_stated_capacity_is_taken_as_it_is() -> None:
    """What a person wrote is no noise."""
    unit = pool(member("a", capacity=100), member("b", capacity=51), policy=Policy.WEIGHTED)
    assert rendered(unit, weighted("a", 255), weighted("b", 128)) == {"a": 255, "b": 130}


@given(st.lists(st.integers(1, 255), min_size=1, max_size=30))
def test_a_steadied_weight_is_never_far_from_true(measured: list[int]) -> None:
    """Noise does not add up: what stands is within an eighth of what was measured last."""
    weight = measured[0]
    for one in measured:
        weight = steadied(one, weight)
        assert abs(weight - one) * 8 <= max(weight, one)


def test_a_sick_target_that_stays_keeps_its_weight() -> None:
    """Who may not go yet is not made lighter or heavier by its health."""
    unit = pool("a", "b", "c", "d", policy=Policy.WEIGHTED)
    standing = tuple(weighted(one, 255) for one in "abcd")
    view = sight(a=healthy(), b=healthy(), c=sick(1.0), d=sick(2.0))
    result = select(unit, standing, None, view, now_s=NOW_S)
    assert not isinstance(result, LeftOut)
    assert render(unit, result, standing) == tuple(weighted(one, 255) for one in "abd")
