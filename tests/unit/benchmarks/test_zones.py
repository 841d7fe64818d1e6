"""What both sides are given to do: the right zone, and the fewest batches that could carry it."""

import pytest

from benchmarks.zones import Case, as_octodns_yaml, batches_min, changed, content

SIZE = 250


@pytest.mark.parametrize(
    ("before", "case"),
    [
        (Case.FIRST, Case.NONE),
        (Case.NONE, Case.ONE),
        (Case.ONE, Case.PERCENT),
        (Case.PERCENT, Case.SWITCH),
    ],
)
def test_a_case_changes_what_it_says(before: Case, case: Case) -> None:
    """From the state before it, a case changes exactly as many record sets as it counts."""
    pairs = zip(content(SIZE, before), content(SIZE, case), strict=True)
    assert sum(one != other for one, other in pairs) == changed(SIZE, case)


def test_a_state_is_a_zone() -> None:
    """Names are sorted and none comes twice, and no value of one record set either."""
    for case in Case:
        stated = list(content(SIZE, case))
        labels = [one.label for one in stated]
        assert labels == sorted(set(labels))
        assert len(labels) == SIZE
        assert all(len(set(one.values)) == len(one.values) for one in stated)


@pytest.mark.parametrize(
    ("size", "case", "fenced", "expected"),
    [
        (500, Case.FIRST, False, 1),  # 1,000 elements
        (500, Case.FIRST, True, 2),  # 998 are left beside the fence
        (499, Case.FIRST, True, 1),
        (25_000, Case.PERCENT, False, 1),  # 250 sets, two values gone and two come
        (25_000, Case.PERCENT, True, 2),
        (1_000, Case.SWITCH, False, 4),  # 333 of three elements fill a batch
        (1_000_000, Case.NONE, True, 0),
        (1_000_000, Case.ONE, True, 1),
    ],
)
def test_fewest_batches(size: int, case: Case, fenced: bool, expected: int) -> None:
    """Elements count as Route 53 counts them, and a name's changes stay in one batch."""
    assert batches_min(size, case, fenced=fenced) == expected


def test_the_file_that_both_read() -> None:
    """One value is written as one, several as a list."""
    assert "\n".join(as_octodns_yaml(content(1, Case.SWITCH))) == (
        "---\nh000000:\n  ttl: 300\n  type: CNAME\n  value: t000000.example.net."
    )
    assert "\n".join(as_octodns_yaml(content(1, Case.FIRST))) == (
        "---\nh000000:\n  ttl: 300\n  type: A\n  values:\n  - 10.0.0.0\n  - 11.0.0.0"
    )
