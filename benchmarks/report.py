"""What was measured as Markdown tables, so that what is printed can stand in a page as it is."""

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from benchmarks.figures import LIST, STATUS, Middle, Run, middles, times_less
from benchmarks.play import OCTODNS, OURS
from benchmarks.targets import Target, judged


class Report(Struct, frozen=True, kw_only=True):
    """One or more runs of the benchmarks, and on what machine each was made."""

    machines: Sequence[Mapping[str, str]]
    runs: Sequence[Run]
    middles: Sequence[Middle]
    targets: Sequence[Target]


def reported(machines: Sequence[Mapping[str, str]], runs: Sequence[Run]) -> Report:
    """With the medians and the targets that follow from the runs."""
    found = middles(runs)
    return Report(machines=machines, runs=runs, middles=found, targets=judged(found))


def together(reports: Sequence[Report]) -> Report:
    """One report of all runs, smaller zones first."""
    runs = [run for report in reports for run in report.runs]
    machines = [machine for report in reports for machine in report.machines]
    return reported(machines, sorted(runs, key=lambda run: run.size))


Row = tuple[str, ...]

COSTS = ("records", "case", "side", "CPU s", "(least to most)", "with its file", "peak MB")
REQUESTS = ("records", "case", "side", "batches / fewest", "list", "status", "other", "at 5/s")
RATIOS = ("records", "case", "CPU", "CPU with its file", "requests", "peak memory")
TARGETS = ("target", "measured", "")


def lines(report: Report) -> Iterator[str]:
    """The machine, the four tables, and how to read them."""
    for machine in report.machines:
        yield "; ".join(f"{name}: {text}" for name, text in machine.items())
    yield ""
    yield "How many times less this project takes than octoDNS; CPU is without reading the file:"
    yield from _table(RATIOS, _ratios(report.middles))
    yield "CPU after start-up; `with its file` adds the reading of the same YAML file:"
    yield from _table(COSTS, map(_cost, report.middles))
    yield "Requests to Route 53, and the least time that they take where five a second are allowed:"
    yield from _table(REQUESTS, map(_requests, report.middles))
    yield from _table(TARGETS, (_target(one) for one in report.targets))


def _table(heads: Row, rows: Iterator[Row]) -> Iterator[str]:
    yield ""
    yield f"| {' | '.join(heads)} |"
    yield "|" + " --- |" * len(heads)
    for row in rows:
        yield f"| {' | '.join(row)} |"
    yield ""


def _ratios(middles: Sequence[Middle]) -> Iterator[Row]:
    """Of cases that both sides carried out; the refused ones stand in the other tables."""
    theirs = {
        (one.run.size, one.run.case): one.run
        for one in middles
        if one.run.side == OCTODNS and not one.run.refused
    }
    for one in middles:
        our = one.run
        their = theirs.get((our.size, our.case))
        if our.side == OURS and their is not None:
            whole, their_whole = our.cpu_s + our.source_cpu_s, their.cpu_s + their.source_cpu_s
            yield (
                f"{our.size:,}",
                our.case,
                _times(our.cpu_s, their.cpu_s),
                _times(whole, their_whole),
                f"{our.requests} : {their.requests}",
                _times(max(our.peak_mb.values()), max(their.peak_mb.values())),
            )


def _times(ours: float, theirs: float) -> str:
    return f"{times_less(ours, theirs):.3g}"


def _cost(one: Middle) -> Row:
    run = one.run
    parts = ", ".join(f"{name} {cpu_s:.3f}" for name, cpu_s in run.parts.items())
    return (
        f"{run.size:,}",
        run.case,
        _side(run),
        f"{run.cpu_s:.3f} ({parts})" if len(run.parts) > 1 else f"{run.cpu_s:.3f}",
        f"{one.cpu_s_least:.3f} to {one.cpu_s_most:.3f} of {one.repeats}",
        f"{run.cpu_s + run.source_cpu_s:.2f}",
        ", ".join(f"{name} {mb:.0f}" for name, mb in run.peak_mb.items()),
    )


def _requests(one: Middle) -> Row:
    run = one.run
    listed, asked = run.route53.get(LIST, 0), run.route53.get(STATUS, 0)
    return (
        f"{run.size:,}",
        run.case,
        _side(run),
        f"{run.batches} / {run.batches_min}",
        str(listed),
        str(asked),
        str(run.requests - run.batches - listed - asked),
        f"{run.at_limit_s:.1f} s",
    )


def _side(run: Run) -> str:
    if run.refused:
        return f"{run.side}: **refused**"
    most = run.facts.get("max_changes")
    return f"{run.side} (max_changes {most:g})" if most not in (None, 1_000.0) else run.side


def _target(target: Target) -> Row:
    return (target.aim, target.measured, "met" if target.is_met else "**not met**")
