"""Delegation mismatch with real processes: a sentinel that finds servers and parent by itself.

It asks port 53 and the resolver of its host, so it is played in a network and a view of the disk of
its own, which end with it.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.system.required import program
from tests.system.sentinel.delegation_play import APART, PARENT_HOST

pytestmark = [pytest.mark.system, pytest.mark.timeout(400)]

PLAY = Path(__file__).with_name("delegation_play.py")
ENDS_WITHIN_S = 360.0


def test_a_real_sentinel_pages_a_delegation_that_does_not_fit(tmp_path: Path) -> None:
    """Other servers at the registrar, none at all, other ones in the zone: each within the promise,
    and its end."""
    unshare, ip = program("unshare"), program("ip")
    apart = [unshare, "--map-root-user", "--mount", "--net"]
    if subprocess.run([*apart, "true"], check=False, capture_output=True).returncode:
        pytest.skip("this machine lets no process have a network of its own")
    resolvers = tmp_path / "resolv.conf"
    resolvers.write_text(f"nameserver {PARENT_HOST}\n")
    played = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:randomly"]
    done = subprocess.run(
        [*apart, "sh", "-c", APART, "sh", ip, str(resolvers), *played, str(PLAY)],
        check=False,
        capture_output=True,
        text=True,
        timeout=ENDS_WITHIN_S,
        env={**os.environ, "PYTEST_ADDOPTS": ""},
    )
    assert done.returncode == 0, done.stdout[-6_000:] + done.stderr[-2_000:]
    assert "1 passed" in done.stdout
