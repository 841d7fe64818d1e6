"""Starts trials, each in a process of its own, and collects what they found.

A product that is rewritten must never be imported beside one that is not, so nothing of it is
imported here.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from tests.simulation.sabotage.sabotage import Sabotage

ROOT = Path(__file__).parents[3]

# A trial takes seconds; one that takes minutes hangs.
TIMEOUT_S = 240


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    """What became of one sabotage. `promise` is empty when nobody noticed."""

    name: str
    promise: str
    text: str
    after: str
    seconds: float

    def __str__(self) -> str:
        """One line for a person."""
        found = f"{self.promise} after {self.after}" if self.promise else f"UNNOTICED: {self.after}"
        return f"{self.name}: {found}, {self.seconds} s"


class TrialFailed(Exception):
    """The sabotage could not be tried; what the process said."""


def tried(sabotage: Sabotage) -> Tried:
    """Try one and wait for it. Hashes are fixed, so that a failure can be seen again."""
    ended = subprocess.run(
        [sys.executable, "-m", "tests.simulation.sabotage.trial", sabotage.name],
        cwd=ROOT,
        env={**os.environ, "PYTHONHASHSEED": "0"},
        capture_output=True,
        text=True,
        check=False,
        timeout=TIMEOUT_S,
    )
    lines = ended.stdout.splitlines()
    if not lines:
        raise TrialFailed(f"{sabotage.name}: {ended.stderr}")
    return Tried(**json.loads(lines[-1]))


def all_tried(sabotages: Iterable[Sabotage], *, jobs: int) -> Iterator[Tried]:
    """Try several side by side; in their order."""
    with ThreadPoolExecutor(jobs) as pool:
        yield from pool.map(tried, sabotages)
