"""Panic and weights: two small rules with sharp edges."""

from hypothesis import given
from hypothesis import strategies as st

from planner.rules.panic import is_panic
from planner.rules.weights import scaled_weight


def test_panic_begins_below_the_threshold_not_at_it() -> None:
    """One of two healthy is no panic at 0.5; none of two, and one of three, is."""
    assert not is_panic(healthy=1, counted=2, threshold=0.5)
    assert is_panic(healthy=0, counted=2, threshold=0.5)
    assert not is_panic(healthy=2, counted=3, threshold=0.5)
    assert is_panic(healthy=1, counted=3, threshold=0.5)


def test_a_threshold_of_zero_never_panics() -> None:
    """An operator can switch panic off; the floor still holds."""
    assert not is_panic(healthy=0, counted=10, threshold=0.0)


def test_nothing_to_count_is_no_panic() -> None:
    """A pool whose targets are all drained has no share of anything."""
    assert not is_panic(healthy=0, counted=0, threshold=1.0)


def test_weights_scale_to_the_largest_capacity() -> None:
    """The largest gets 255, half of it half, rounded to the nearest."""
    assert [scaled_weight(capacity, capacity_max=100) for capacity in (100, 50, 25, 10)] == [
        255,
        128,
        64,
        26,
    ]


@given(st.integers(1, 1_000_000), st.integers(1, 1_000_000))
def test_a_weight_is_never_zero_and_never_too_large(one: int, other: int) -> None:
    """Whatever the capacities, every answering target has a weight that Route 53 takes."""
    assert 1 <= scaled_weight(min(one, other), capacity_max=max(one, other)) <= 255


@given(st.lists(st.integers(1, 1_000), min_size=2, max_size=2))
def test_more_capacity_is_never_less_weight(capacities: list[int]) -> None:
    """Weights keep the order of capacities."""
    low, high = sorted(capacities)
    assert scaled_weight(low, capacity_max=1_000) <= scaled_weight(high, capacity_max=1_000)


def test_a_drained_pool_has_a_scale_too() -> None:
    """No capacity at all is no division by zero."""
    assert scaled_weight(0, capacity_max=0) == 1
