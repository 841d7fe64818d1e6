"""What the project set itself to reach, and how far the medians of one run got. Pure.

A target whose figures were not measured in this run is left out, never taken as met.
"""

from collections.abc import Iterator, Sequence

from msgspec import Struct

from benchmarks.figures import CHANGE, Middle, Run, found, times_less
from benchmarks.play import OCTODNS, OURS
from benchmarks.zones import Case

ONE_TIMES_LESS = 50.0
NONE_TIMES_LESS = 500.0
FIRST_TIMES_LESS = 2.0
BATCHES_FOR_ONE_MORE = 200  # half a percent
PERCENT_BATCHES_MORE = 2
DAEMON_MB_MAX = 600.0
PASS_OVER_DECODE_MAX = 3.0
FLAT_WITHIN = 1.5
ONE_REQUESTS_MAX = 4


class Target(Struct, frozen=True, kw_only=True):
    """One aim, what was measured, and whether that is enough."""

    aim: str
    measured: str
    is_met: bool


def judged(middles: Sequence[Middle]) -> list[Target]:
    """Every target that this run can speak about; sizes compared are the largest measured."""
    ours = _largest(middles, OURS)
    shared = min(ours, _largest(middles, OCTODNS))
    return [*_against_octodns(middles, shared), *_alone(middles, ours), *_flat(middles)]


def _largest(middles: Sequence[Middle], side: str) -> int:
    return max((one.run.size for one in middles if one.run.side == side), default=0)


def _against_octodns(middles: Sequence[Middle], size: int) -> Iterator[Target]:
    for case, wanted in (
        (Case.ONE, ONE_TIMES_LESS),
        (Case.NONE, NONE_TIMES_LESS),
        (Case.FIRST, FIRST_TIMES_LESS),
    ):
        our, their = (found(middles, side, size, case) for side in (OURS, OCTODNS))
        if our is not None and their is not None:
            ratio = times_less(our.cpu_s, their.cpu_s)
            yield Target(
                aim=f"{case.value}, {size:,} records: CPU {wanted:g} times under octoDNS without"
                " its YAML",
                measured=f"{ratio:.1f} times ({our.cpu_s:.3f} s and {their.cpu_s:.2f} s)",
                is_met=ratio >= wanted,
            )


def _alone(middles: Sequence[Middle], size: int) -> Iterator[Target]:
    if (one := found(middles, OURS, size, Case.ONE)) is not None:
        yield _requests(one, ONE_REQUESTS_MAX)
        yield from _against_decoding(one)
    if (none := found(middles, OURS, size, Case.NONE)) is not None:
        yield _requests(none, 0)
    if (first := found(middles, OURS, size, Case.FIRST)) is not None:
        most = first.batches_min + first.batches_min // BATCHES_FOR_ONE_MORE
        yield _batches(first, most, "within 0.5 % of the fewest batches")
    if (percent := found(middles, OURS, size, Case.PERCENT)) is not None:
        most = percent.batches_min + PERCENT_BATCHES_MORE
        yield _batches(percent, most, "the fewest batches and 2")
    runs = [one.run for one in middles if one.run.side == OURS and one.run.size == size]
    name, peak = max(
        ((name, mb) for run in runs for name, mb in run.peak_mb.items()), key=lambda one: one[1]
    )
    yield Target(
        aim=f"{size:,} records: each daemon under {DAEMON_MB_MAX:g} MB",
        measured=f"{peak:.0f} MB ({name})",
        is_met=peak < DAEMON_MB_MAX,
    )


def _requests(run: Run, most: int) -> Target:
    said = ", ".join(f"{count} {name}" for name, count in sorted(run.route53.items())) or "none"
    return Target(
        aim=f"{run.case}, {run.size:,} records: at most {most} requests to Route 53",
        measured=said,
        is_met=run.requests <= most and run.route53.get(CHANGE, 0) <= 1,
    )


def _batches(run: Run, most: int, words: str) -> Target:
    return Target(
        aim=f"{run.case}, {run.size:,} records: {words}",
        measured=f"{run.batches} (fewest: {run.batches_min})",
        is_met=run.batches <= most,
    )


def _against_decoding(run: Run) -> Iterator[Target]:
    if (decode_s := run.facts.get("decode_s")) is not None:
        ratio = run.parts["planner"] / decode_s
        yield Target(
            aim=f"{run.case}, {run.size:,} records: a planning pass within"
            f" {PASS_OVER_DECODE_MAX:g} times the decoding of the plan",
            measured=f"{ratio:.1f} times ({run.parts['planner']:.3f} s and {decode_s:.3f} s)",
            is_met=ratio <= PASS_OVER_DECODE_MAX,
        )


def _flat(middles: Sequence[Middle]) -> Iterator[Target]:
    """CPU a record at first apply: the same for small and large zones."""
    runs = [
        one.run
        for one in middles
        if one.run.side == OURS and one.run.case == Case.FIRST.value and one.run.size >= 10_000
    ]
    if len(runs) > 1:
        each = {run.size: run.cpu_s / run.size * 1e6 for run in runs}
        spread = max(each.values()) / min(each.values())
        said = ", ".join(f"{value:.0f} us at {size:,}" for size, value in sorted(each.items()))
        yield Target(
            aim=f"first apply: CPU a record flat within {FLAT_WITHIN:g} times",
            measured=f"{spread:.2f} times ({said})",
            is_met=spread <= FLAT_WITHIN,
        )
