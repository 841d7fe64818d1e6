"""The command: play a scenario, show what differs from its text, or write what was narrated."""

import argparse
import sys
from difflib import unified_diff
from pathlib import Path

from tests.simulation.scenario.playing import played, vocabulary
from tests.simulation.scenario.script import read, written


def main() -> int:
    """Exit code 0 when each text is what is narrated."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.simulation.scenario", description=__doc__
    )
    parser.add_argument("files", nargs="*", type=Path, help="scenarios to play")
    parser.add_argument("--write", action="store_true", help="write the narration into the files")
    parser.add_argument("--words", action="store_true", help="list the steps that there are")
    given = parser.parse_args()
    if given.words:
        sys.stdout.write(f"{vocabulary()}\n")
    return max((_played(path, write=given.write) for path in given.files), default=0)


def _played(path: Path, *, write: bool) -> int:
    expected = path.read_text()
    script = read(expected)
    actual = written(script, played(script))
    if write:
        path.write_text(actual)
        return 0
    shown = unified_diff(
        expected.splitlines(), actual.splitlines(), f"{path}", "narrated now", lineterm=""
    )
    sys.stdout.writelines(f"{line}\n" for line in shown)
    return int(expected != actual)


if __name__ == "__main__":
    sys.exit(main())
