"""Takes guards away, one at a time, and says what noticed: exit code 0 when each was, 1 when not.

python -m tests.simulation.sabotage                       all of them
python -m tests.simulation.sabotage "claim with <"        one
python -m tests.simulation.sabotage --write               all, and write the table of promises.md
"""

import argparse
import os
import sys

from tests.simulation.sabotage.catalogue import named
from tests.simulation.sabotage.table import table, write
from tests.simulation.sabotage.trials import Tried, all_tried

NOTICED, UNNOTICED = 0, 1


def main(arguments: list[str] | None = None) -> int:
    """Try what the command line asks for."""
    asked = _parser().parse_args(arguments)
    catalogue = named()
    unknown = [name for name in asked.names if name not in catalogue]
    if unknown:
        sys.stderr.write(f"no such sabotage: {', '.join(unknown)}; known: {', '.join(catalogue)}\n")
        return 2
    wanted = [one for one in catalogue.values() if not asked.names or one.name in asked.names]
    results: dict[str, Tried] = {}
    wrong: list[str] = []
    for sabotage, result in zip(wanted, all_tried(wanted, jobs=asked.jobs), strict=True):
        results[result.name] = result
        sys.stdout.write(f"{result}\n")
        if result.promise not in sabotage.breaks:
            wrong.append(f"{result.name}: {', '.join(sabotage.breaks)} should break; {result.text}")
    sys.stdout.writelines(f"{line}\n" for line in wrong)
    if asked.write and not asked.names and not wrong:
        write(table(wanted, results))
    return UNNOTICED if wrong else NOTICED


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m tests.simulation.sabotage",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("names", nargs="*", help="sabotages; all when none is named")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes at once")
    parser.add_argument("--write", action="store_true", help="write the table when all is noticed")
    return parser


if __name__ == "__main__":
    sys.exit(main())
