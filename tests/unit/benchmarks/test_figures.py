"""Medians, ratios and the time at the limit are what they are called."""

from benchmarks.figures import CHANGE, LIST, Middle, found, middles, times_less
from benchmarks.play import OCTODNS
from benchmarks.zones import Case
from tests.unit.benchmarks.runs import run


def test_the_median_run_of_each_kind() -> None:
    """Repeats of one side, size and case are one line; with an even number the lower one stands."""
    three = [run(cpu_s=cpu_s) for cpu_s in (3.0, 1.0, 2.0)]
    four = [run(Case.FIRST, cpu_s=cpu_s) for cpu_s in (4.0, 1.0, 3.0, 2.0)]
    assert middles([*three, *four]) == [
        Middle(run=three[2], repeats=3, cpu_s_least=1.0, cpu_s_most=3.0),
        Middle(run=four[3], repeats=4, cpu_s_least=1.0, cpu_s_most=4.0),
    ]


def test_a_refusal_is_no_measurement() -> None:
    """What was refused is shown apart and compared with nothing."""
    refused = run(side=OCTODNS, cpu_s=1.0, refused="InvalidChangeBatch")
    again = run(side=OCTODNS, cpu_s=5.0)
    both = middles([refused, again])
    assert [one.run for one in both] == [refused, again]
    assert found(both, OCTODNS, 10_000, Case.ONE) == again
    assert found(middles([refused]), OCTODNS, 10_000, Case.ONE) is None


def test_time_at_the_limit() -> None:
    """Every request counts, at five a second."""
    one = run(route53={CHANGE: 2, LIST: 8})
    assert (one.requests, one.batches, one.at_limit_s) == (10, 2, 2.0)


def test_times_less() -> None:
    """A ratio says how many times less ours is, and nothing measured is no division by zero."""
    assert times_less(2.0, 8.0) == 4.0
    assert times_less(0.0, 1.0) == 1e6
