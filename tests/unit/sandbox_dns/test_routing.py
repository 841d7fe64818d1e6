"""Routing policies: which record sets of a group answer."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox.dns.routing import MULTIVALUE_ANSWERS_MAX, by_weight, choose, index, shuffled
from sandbox.route53.model import Geo, StoredRecordSet
from tests.unit.sandbox_dns.memory_zone import Share, record

NAME = "api.example.com."


@dataclass
class Draws:
    """Chance that draws the given whole numbers, one after the other."""

    numbers: list[int]

    def uniform(self, low: float, high: float, /) -> float:
        """Give the next number, a little above it as a real draw is."""
        drawn = self.numbers.pop(0) + 0.5
        assert low <= drawn <= high
        return drawn


def weighted(*weights: int, sick: Sequence[int] = ()) -> list[StoredRecordSet]:
    """Make a weighted group whose sets are called by their place."""
    return [
        record(
            NAME,
            "A",
            "192.0.2.1",
            set_id=str(at),
            weight=weight,
            check="sick" if at in sick else None,
        )
        for at, weight in enumerate(weights)
    ]


def checked(one: StoredRecordSet) -> bool:
    """Take sets with a health check for unhealthy."""
    return one.health_check_id is None


def ids(sets: Sequence[StoredRecordSet]) -> list[str | None]:
    """Name the chosen sets."""
    return [one.set_id for one in sets]


@given(st.lists(st.integers(0, 255), min_size=2, max_size=8).filter(any))
def test_each_set_answers_in_proportion_to_its_weight(weights: list[int]) -> None:
    """Over all draws, a set is answered exactly as often as its weight says; 0 is never."""
    group = weighted(*weights)
    drawn = Counter(by_weight(group, Draws([n])).set_id for n in range(sum(weights)))
    assert {str(at): w for at, w in enumerate(weights) if w} == dict(drawn)


def test_all_weights_zero_are_all_equal() -> None:
    """Draining everything drains nothing."""
    group = weighted(0, 0, 0)
    assert [by_weight(group, Draws([n])).set_id for n in range(3)] == ["0", "1", "2"]


@pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
def test_a_zero_weight_answers_when_no_weighted_set_is_healthy(share: float) -> None:
    """Weight 0 is a reserve: it answers once all others are sick."""
    group = weighted(10, 20, 0, sick=[0, 1])
    assert ids(choose(group, checked, Share(share))) == ["2"]


def test_a_sick_set_is_passed_over() -> None:
    """A set known to be unhealthy is not drawn beside healthy ones."""
    group = weighted(200, 1, sick=[0])
    assert ids(choose(group, checked, Share(0.0))) == ["1"]


def test_with_all_sick_all_are_taken_for_healthy() -> None:
    """Health fails open: weights decide as if nothing were known."""
    group = weighted(3, 0, 5, sick=[0, 1, 2])
    drawn = Counter(ids(choose(group, checked, Draws([n])))[0] for n in range(8))
    assert dict(drawn) == {"0": 3, "2": 5}


def multi(size: int, sick: Sequence[int] = ()) -> list[StoredRecordSet]:
    """Make a multivalue group."""
    return [
        record(
            NAME,
            "A",
            f"192.0.2.{at}",
            set_id=f"{at:02}",
            multivalue=True,
            check="sick" if at in sick else None,
        )
        for at in range(size)
    ]


@given(st.integers(1, 20), st.integers())
def test_multivalue_answers_up_to_eight(size: int, seed: int) -> None:
    """Eight different sets at most, all of them when there are fewer."""
    chosen = ids(choose(multi(size), checked, Random(seed)))
    assert min(size, MULTIVALUE_ANSWERS_MAX) == len(chosen) == len(set(chosen))


def test_every_multivalue_set_is_answered_at_some_time() -> None:
    """No set beyond the eighth is out of reach."""
    group = multi(20)
    seen = {name for seed in range(50) for name in ids(choose(group, checked, Random(seed)))}
    assert set(ids(group)) == seen


def test_multivalue_leaves_out_the_sick() -> None:
    """Only healthy sets are answered, while there is one."""
    chosen = choose(multi(4, sick=[1, 3]), checked, Share())
    assert ids(chosen) == ["00", "02"]


def test_multivalue_with_all_sick_answers_up_to_eight_of_them() -> None:
    """Health fails open here too."""
    assert len(choose(multi(12, sick=range(12)), checked, Share())) == MULTIVALUE_ANSWERS_MAX


def failover(*, primary_sick: bool, secondary_sick: bool) -> list[StoredRecordSet]:
    """Make a failover pair, the secondary first by identifier."""
    return [
        record(
            NAME,
            "A",
            "192.0.2.2",
            set_id="a",
            failover="SECONDARY",
            check="sick" if secondary_sick else None,
        ),
        record(
            NAME,
            "A",
            "192.0.2.1",
            set_id="b",
            failover="PRIMARY",
            check="sick" if primary_sick else None,
        ),
    ]


@pytest.mark.parametrize(
    ("primary_sick", "secondary_sick", "expected"),
    [(False, False, "b"), (False, True, "b"), (True, False, "a"), (True, True, "b")],
)
def test_failover_prefers_the_primary(
    primary_sick: bool, secondary_sick: bool, expected: str
) -> None:
    """The secondary answers only while the primary alone is sick."""
    group = failover(primary_sick=primary_sick, secondary_sick=secondary_sick)
    assert [expected] == ids(choose(group, checked, Share()))


def test_a_lone_secondary_answers() -> None:
    """A failover group without its primary is not empty."""
    group = failover(primary_sick=False, secondary_sick=False)[:1]
    assert ids(choose(group, checked, Share())) == ["a"]


def test_latency_takes_the_region_that_sorts_first() -> None:
    """The stand-in has no distances; its stated rule makes answers repeatable."""
    regions = ["us-west-2", "eu-west-1", "us-east-1"]
    group = [record(NAME, "A", "192.0.2.1", set_id=r, region=r) for r in regions]
    assert ids(choose(group, checked, Share())) == ["eu-west-1"]


def located(*places: Geo) -> list[StoredRecordSet]:
    """Make a geolocation group, called by place in the list."""
    return [
        record(NAME, "A", "192.0.2.1", set_id=str(at), geo=place) for at, place in enumerate(places)
    ]


def test_the_default_location_answers_a_client_that_is_nowhere() -> None:
    """The default set answers when there is one, wherever it stands."""
    group = located(Geo("EU", None, None), Geo(None, "US", "WA"), Geo(None, "*", None))
    assert ids(choose(group, checked, Share())) == ["2"]


def test_without_a_default_location_the_first_set_answers() -> None:
    """By the stated rule the client is in the first place by identifier."""
    group = located(Geo("EU", None, None), Geo(None, "US", None))
    assert ids(choose(group, checked, Share())) == ["0"]


def test_policies_that_are_only_kept_answer_with_the_first_set() -> None:
    """Geoproximity and CIDR sets are stored verbatim and answered by identifier."""
    other = (("CidrRoutingConfig", "<CidrRoutingConfig/>"),)
    group = [
        StoredRecordSet(NAME, "A", 60, ("192.0.2.1",), set_id=name, other=other) for name in "ab"
    ]
    assert ids(choose(group, checked, Share())) == ["a"]


def test_one_set_answers_whatever_is_known_of_it() -> None:
    """A group of one is never emptied by health or weight."""
    group = weighted(0, sick=[0])
    assert group == choose(group, checked, Share())


def test_no_sets_choose_nothing() -> None:
    """An empty group stays empty."""
    assert choose([], checked, Share()) == []


def test_each_order_is_equally_likely() -> None:
    """Every sequence of draws gives another order, and all orders are reached."""
    orders = [tuple(shuffled("abc", Draws([i, j]))) for i in range(3) for j in range(2)]
    assert sorted(permutations("abc")) == sorted(orders)


@pytest.mark.parametrize(("share", "expected"), [(0.0, 0), (0.99, 9), (1.0, 9)])
def test_the_upper_bound_of_a_draw_is_within_reach(share: float, expected: int) -> None:
    """A draw that gives its very upper bound still names an item."""
    assert expected == index(10, Share(share))
