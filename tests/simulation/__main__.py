"""Run many schedules, or show one line by line.

    python -m tests.simulation --seeds 3000      # figures, and a line for each seed that failed
    python -m tests.simulation --seed 1526       # the whole story of one seed
    python -m tests.simulation --profile rewound # more of one kind of trouble, see profiles.py

Exit code 1 when a promise broke.
"""

import argparse
import os
import shlex
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed

from tests.simulation.profiles import PROFILES
from tests.simulation.world import Report, run

# What is played when no profile is named.
EVERYTHING = "everything"

# Seeds that one worker plays before it reports: few enough for progress to be seen.
CHUNK = 5


def main(arguments: Sequence[str]) -> int:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m tests.simulation", description=__doc__)
    parser.add_argument("--seed", type=int, help="show this one")
    parser.add_argument("--seeds", type=int, default=200, help="how many to play (200)")
    parser.add_argument("--first", type=int, default=1, help="the first seed (1)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="processes (one a core)")
    parser.add_argument("--stack", action="store_true", help="over the SDK and the adapters")
    parser.add_argument("--profile", default=EVERYTHING, help="which troubles (everything)")
    chosen = parser.parse_args(arguments)
    if chosen.profile not in PROFILES:
        known = ", ".join(sorted(PROFILES))
        parser.error(f"--profile: there is no {chosen.profile!r}; there are: {known}")
    if chosen.seed is not None:
        return show(chosen.seed, stack=chosen.stack, profile=chosen.profile)
    seeds = range(chosen.first, chosen.first + chosen.seeds)
    return many(seeds, jobs=chosen.jobs or 1, stack=chosen.stack, profile=chosen.profile)


def replay(seed: int, *, stack: bool = False, profile: str = EVERYTHING) -> str:
    """The command that plays this seed again, as a shell takes it."""
    options = ["--stack"] if stack else []
    if profile != EVERYTHING:
        options += ["--profile", profile]
    return shlex.join(["python", "-m", "tests.simulation", *options, "--seed", str(seed)])


def show(seed: int, *, stack: bool = False, profile: str = EVERYTHING) -> int:
    """Tell one run as it happens."""

    def say(at_s: float, who: str, what: str) -> None:
        sys.stdout.write(f"{at_s:10.3f}  {who:<11} {what}\n")

    report = run(seed, profile=PROFILES[profile], stack=stack, say=say)
    sys.stdout.write(f"{report.broken or 'every promise held'}; trace {report.trace}\n")
    return 1 if report.broken else 0


def many(seeds: Sequence[int], *, jobs: int, stack: bool = False, profile: str = EVERYTHING) -> int:
    """Play seeds side by side and sum them up."""
    began_s = time.perf_counter()
    reports: list[Report] = []
    for report in played(seeds, jobs=jobs, stack=stack, profile=profile):
        reports.append(report)
        if report.broken:
            command = replay(report.seed, stack=stack, profile=profile)
            sys.stdout.write(f"seed {report.seed}: {report.broken}\n    replay: {command}\n")
        if sys.stderr.isatty() and len(reports) % CHUNK == 0:
            sys.stderr.write(f"\r{len(reports)} of {len(seeds)}")
    if sys.stderr.isatty():
        sys.stderr.write("\r\033[K")
    sys.stdout.write("\n".join(figures(reports, time.perf_counter() - began_s, jobs=jobs)) + "\n")
    return 1 if any(report.broken for report in reports) else 0


def played(
    seeds: Sequence[int], *, jobs: int, stack: bool = False, profile: str = EVERYTHING
) -> Iterator[Report]:
    """Reports as they come; what each seed does depends on the seed alone."""
    chunks = [seeds[at : at + CHUNK] for at in range(0, len(seeds), CHUNK)]
    with ProcessPoolExecutor(max_workers=jobs) as pool:
        for done in as_completed([pool.submit(_chunk, chunk, stack, profile) for chunk in chunks]):
            yield from done.result()


def _chunk(seeds: Sequence[int], stack: bool, profile: str) -> list[Report]:
    return [_played(seed, stack, profile) for seed in seeds]


def _played(seed: int, stack: bool, profile: str) -> Report:
    try:
        return run(seed, profile=PROFILES[profile], stack=stack)
    except Exception as error:  # the world's own fault: whoever reads of it learns where to look
        error.add_note(f"replay: {replay(seed, stack=stack, profile=profile)}")
        raise


def figures(reports: Sequence[Report], took_s: float, *, jobs: int) -> Iterator[str]:
    """What a set of runs was, in lines for people."""
    steps = sum(report.steps for report in reports)
    landed: Counter[str] = Counter()
    for report in reports:
        landed.update(report.landed)
    broken = sum(bool(report.broken) for report in reports)
    yield (
        f"{len(reports)} schedules in {took_s:.0f} s on {jobs} cores: {broken} broke a promise;"
        f" {len(reports) / took_s:.1f} schedules/s, {steps / took_s / jobs:,.0f} callbacks/s a core"
        " (every callback that the loop ran: a task's step, an arrival, an answer, a timer)"
    )
    yield _spread("callbacks", [report.steps for report in reports])
    yield _spread("generations enacted", [report.generations for report in reports])
    yield _spread("batches of the longest plan", [report.batches_max for report in reports])
    yield _spread("faults and acts landed", [report.landed.total() for report in reports])
    yield _spread("seconds of calm until right", [round(report.calm_s) for report in reports])
    yield _spread("enactor passes until right", [report.calm_passes for report in reports])
    yield _spread("Route 53 requests until right", [report.calm_requests for report in reports])
    yield "landed: " + ", ".join(f"{name} {count:,}" for name, count in landed.most_common())


def _spread(name: str, values: Sequence[int]) -> str:
    ordered = sorted(values)
    at = [ordered[min(len(ordered) - 1, int(len(ordered) * share))] for share in (0, 0.5, 0.99)]
    return f"{name}: min {at[0]:,}, median {at[1]:,}, 99 % {at[2]:,}, max {ordered[-1]:,}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
