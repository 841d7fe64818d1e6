"""After an outage the account's limit is used, for what is needed, and nothing collapses."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.simulation.fleet.recovery import Recovery, Trouble, recover
from tests.simulation.fleet.world import Size

# Changes are in sync soon, so that a small fleet has work for every second.
SMALL = Size(zones=60, records=10, insync_after_s=10.0)
PROJECT = Path(__file__).parents[2]


def test_a_recovery_wastes_little_and_uses_the_limit() -> None:
    """All three AZs start anew as the outage ends; a tenth of the answers is lost."""
    found = recover(SMALL, Trouble(outage_s=300.0, restarted=True))
    assert found.is_over
    assert (found.overtaken, found.went_back) == (0, 0)
    assert found.useful_share >= 0.85, found
    assert found.minutes[0].sent / 300 >= 0.85, found
    assert found.minutes[0].throttled <= 15, found


@pytest.mark.system
def test_a_flood_of_plans_is_served_as_well_as_a_quiet_recovery() -> None:
    """Ten times what requests can carry: zones take turns, and each gets its newest plan."""
    flood = Trouble(outage_s=300.0, flood_s=60.0, again_s=4.8)
    found = recover(SMALL, flood)
    assert found.is_over
    assert found.went_back == 0
    assert found.useful_share >= 0.85, found
    assert all(one.sent / 300 >= 0.85 for one in found.minutes[:1]), found


@pytest.mark.system
def test_without_pacing_it_collapses() -> None:
    """The same recovery in a process whose product has no bucket, no admission and no budget."""
    command = [sys.executable, "-m", "benchmarks.recovery", "--json", "--zones=60", "--records=10"]
    command += ["--outage-min=5", "--insync-s=10", "--give-up-min=10", "--restarted"]
    command += ["--off=budget", "--off=pacing", "--off=coalescing"]
    done = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, check=False)
    found: dict[str, Any] = json.loads(done.stdout)
    assert found["useful_share"] < 0.2, done.stderr


def test_the_same_seed_is_the_same_recovery() -> None:
    """So that a figure can be looked into."""
    tiny, trouble = Size(12, 5, insync_after_s=5.0), Trouble(outage_s=60.0)
    runs: list[Recovery] = [recover(tiny, trouble, seed=7) for _ in range(2)]
    assert runs[0] == runs[1]
