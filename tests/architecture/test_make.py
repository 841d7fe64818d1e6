"""What people type first takes what they have."""

import os
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_a_config_may_lie_in_a_folder_with_a_space() -> None:
    """`make run CONFIG=...` passes it on as one argument; the shell would make two of it."""
    shown = subprocess.run(
        ["make", "--dry-run", "--old-file=.venv/run.stamp", "run", "CONFIG=my zones/dns.yaml"],
        cwd=ROOT,
        # The suite itself is run by make, which would have its say.
        env={key: value for key, value in os.environ.items() if not key.startswith("MAKE")},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert shown.stdout.splitlines()[-1:] == [
        '.venv/bin/dns-sandbox run --config "my zones/dns.yaml"'
    ], shown.stderr
