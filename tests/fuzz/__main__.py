"""`python -m tests.fuzz --cases N`: hostile input for every decoder, and what became of it."""

import argparse
import sys
import time

from tests.fuzz.running import run
from tests.fuzz.targets import targets


def main() -> int:
    """Run, print a line a target, and give 1 when something broke."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--cases", type=int, default=50_000)
    parser.add_argument("--first", type=int, default=1, help="the number of the first case")
    parser.add_argument("--only", default="", help="targets whose name contains this")
    options = parser.parse_args()
    started_s = time.monotonic()
    with targets() as known:
        chosen = [one for one in known if options.only in one.name]
        if not chosen:
            parser.error(f"no target is called {options.only}; there are {[o.name for o in known]}")
        outcome = run(chosen, options.cases, options.first, _progress)
    lines = [
        f"{one.name:26} {outcome.taken[one.name]:8} taken {outcome.refused[one.name]:8} refused"
        for one in chosen
    ]
    taken_s = time.monotonic() - started_s
    lines.append(
        f"{options.cases} cases in {taken_s:.0f} s; slowest {outcome.slowest_s:.2f} s"
        f" ({outcome.slowest}); memory grew by {outcome.grown_mb:.0f} MB;"
        f" {len(outcome.broken)} broken"
    )
    sys.stdout.write("\n".join([*lines, *map(str, outcome.broken)]) + "\n")
    return 1 if outcome.broken else 0


def _progress(case: int) -> None:
    if sys.stderr.isatty():
        sys.stderr.write(f"\r{case}")
        sys.stderr.flush()


if __name__ == "__main__":
    sys.exit(main())
