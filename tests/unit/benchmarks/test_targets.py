"""A target is met exactly when its figures say so, and is silent where nothing was measured."""

import pytest

from benchmarks.figures import CHANGE, LIST, STATUS, Run, middles
from benchmarks.play import OCTODNS
from benchmarks.targets import Target, judged
from benchmarks.zones import Case
from tests.unit.benchmarks.runs import run


def verdicts(*runs: Run) -> dict[str, bool]:
    """Whether each target is met, by its first words."""
    return {target.aim: target.is_met for target in judged(middles(runs))}


def only(words: str, *runs: Run) -> Target:
    """The one target that says this."""
    (target,) = [one for one in judged(middles(runs)) if words in one.aim]
    return target


@pytest.mark.parametrize(
    ("case", "limit"), [(Case.ONE, 50.0), (Case.NONE, 500.0), (Case.FIRST, 2.0)]
)
def test_against_octodns(case: Case, limit: float) -> None:
    """Each case has its factor; at the factor it is met, under it not."""
    ours = run(case, cpu_s=1.0)
    for theirs, expected in ((limit, True), (limit * 0.99, False)):
        target = only("octoDNS", ours, run(case, side=OCTODNS, cpu_s=theirs))
        assert (case.value in target.aim, target.is_met) == (True, expected)


def test_only_sizes_that_both_played_are_compared() -> None:
    """A larger zone that octoDNS did not play is no comparison."""
    runs = [run(size=100, cpu_s=1.0), run(size=100, side=OCTODNS, cpu_s=60.0), run(size=900)]
    assert "1 record, 100 records" in only("octoDNS", *runs).aim


@pytest.mark.parametrize(
    ("route53", "expected"),
    [
        ({CHANGE: 1, LIST: 2, STATUS: 1}, True),
        ({CHANGE: 1, LIST: 3, STATUS: 1}, False),
        ({CHANGE: 2, LIST: 1, STATUS: 1}, False),
    ],
)
def test_requests_of_one_record(route53: dict[str, int], expected: bool) -> None:
    """Two requests to acceptance and two to confirm, of which one is a batch."""
    assert only("at most 4 requests", run(route53=route53)).is_met is expected


def test_no_request_without_a_change() -> None:
    """A quiet cycle asks Route 53 nothing."""
    assert only("at most 0", run(Case.NONE, route53={})).is_met
    assert not only("at most 0", run(Case.NONE, route53={LIST: 1})).is_met


@pytest.mark.parametrize(("batches", "expected"), [(200, True), (201, True), (202, False)])
def test_batches_of_a_first_apply(batches: int, expected: bool) -> None:
    """Half a percent over the fewest is allowed."""
    one = run(Case.FIRST, route53={CHANGE: batches}, batches_min=200)
    assert only("0.5 %", one).is_met is expected


def test_memory_counts_the_largest_daemon() -> None:
    """One daemon over the limit is enough to miss it, in whatever case."""
    assert only("each daemon", run(peak_mb=599.0), run(Case.NONE, peak_mb=1.0)).is_met
    target = only("each daemon", run(peak_mb=601.0), run(Case.NONE, peak_mb=1.0))
    assert (target.is_met, target.measured) == (False, "601 MB (planner)")


def test_a_pass_is_measured_by_decoding() -> None:
    """The planner's part of the CPU counts, not the enactor's; without a figure nothing is said."""
    decoded = run(cpu_s=9.0, planner_s=0.3, facts={"decode_s": 0.1})
    assert only("decoding", decoded).is_met
    slow = run(cpu_s=9.0, planner_s=0.31, facts={"decode_s": 0.1})
    assert not only("decoding", slow).is_met
    assert not any("decoding" in aim for aim in verdicts(run()))


def test_flat_from_ten_thousand_on() -> None:
    """CPU a record may differ by half between sizes; zones under 10,000 do not count."""
    runs = [
        run(Case.FIRST, size=1_000, cpu_s=9.0),
        run(Case.FIRST, size=10_000, cpu_s=1.0),
        run(Case.FIRST, size=100_000, cpu_s=15.0),
    ]
    assert only("flat", *runs).is_met
    assert not only("flat", *runs, run(Case.FIRST, size=300_000, cpu_s=46.0)).is_met
    assert not any("flat" in aim for aim in verdicts(*runs[:2]))
