"""One seed is one run, on any machine: whatever the hash seed, whichever version of Python."""

import os
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

pytestmark = [pytest.mark.simulation, pytest.mark.timeout(600)]

ROOT = Path(__file__).parents[2]
OWN = f"3.{sys.version_info.minor}"
VERSIONS = ("3.11", "3.12", "3.13", "3.14")
TIMEOUT_S = 200.0
# Over fakes and over the whole stack; the second stack run meets what the first left in the SDK.
PLAYED = """
from tests.simulation.world import run
for seed in range(1, 9):
    print("fakes", seed, run(seed).trace)
for seed in (1, 6):
    print("stack", seed, run(seed, stack=True).trace)
"""


@cache
def _traces(python: str, hash_seed: str) -> list[str]:
    """What each run's digest is, in a process of its own."""
    ran = _ran(python, PLAYED, hash_seed)
    assert ran.returncode == 0, ran.stderr[-2_000:]
    return ran.stdout.splitlines()


def _ran(python: str, code: str, hash_seed: str = "random") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [python, "-c", code],
        cwd=ROOT,
        env={**os.environ, "PYTHONHASHSEED": hash_seed},
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        check=False,
    )


@pytest.mark.parametrize("hash_seed", ["1", "random"])
def test_hash_seeds_make_no_difference(hash_seed: str) -> None:
    """No order of a set reaches a run."""
    expected = _traces(sys.executable, "0")
    assert expected == _traces(sys.executable, hash_seed)
    assert len(set(expected)) == len(expected)


@pytest.mark.parametrize("version", [one for one in VERSIONS if one != OWN])
def test_versions_of_python_make_no_difference(version: str) -> None:
    """Nor does any detail of asyncio that changed from one version to another."""
    python = shutil.which(f"python{version}")
    if python is None:
        pytest.skip(f"no python{version} on PATH")
    probed = _ran(python, "import tests.simulation.stack.ground")
    if probed.returncode != 0:
        why = (probed.stderr.strip().splitlines() or ["it does not start"])[-1]
        pytest.skip(
            f"python{version} cannot import the product ({why}); only those are compared that can"
        )
    assert _traces(sys.executable, "0") == _traces(python, "random")
