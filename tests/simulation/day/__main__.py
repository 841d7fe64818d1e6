"""Play days and print their figures; a line a day, exit code 1 when a promise broke.

python -m tests.simulation.day                       # one day
python -m tests.simulation.day --seed 7 --hours 2
python -m tests.simulation.day --off vantage_points  # a promise breaks
"""

import argparse
import sys
from dataclasses import fields

from tests.simulation.day.house import Switches
from tests.simulation.day.playing import play


def main(arguments: list[str] | None = None) -> int:
    """Play what the command line asks for."""
    parser = argparse.ArgumentParser(prog="python -m tests.simulation.day", description=__doc__)
    parser.add_argument("--seed", type=int, default=3)
    parser.add_argument("--days", type=int, default=1, help="how many, seed after seed")
    parser.add_argument("--hours", type=float, default=24.0, help="how long a day is")
    names = [one.name for one in fields(Switches)]
    parser.add_argument("--off", action="append", choices=names, default=[])
    asked = parser.parse_args(arguments)
    on = Switches(**dict.fromkeys(asked.off, False))
    broken = 0
    for seed in range(asked.seed, asked.seed + asked.days):
        day = play(seed, int(asked.hours * 3_600), on)
        broken += bool(day.broken)
        verdict = day.broken or "every promise kept"
        sys.stdout.write(f"seed {seed}: {verdict}; {day.figures}; {day.probes} probes\n")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
