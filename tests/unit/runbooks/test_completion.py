"""A shell completes commands, and zones by the labels of the config that is found."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

RUN = "import sys; sys.argv[0] = 'dns-runbook'; from runbooks.main import run; run()"
CONFIG = """
azs: [use1-az1]
zones:
  shop: {name: example.com, names: {www: {records: [{type: A, values: [192.0.2.1]}]}}}
  shed: {name: example.net, names: {www: {records: [{type: A, values: [192.0.2.1]}]}}}
"""


def completed(folder: Path, *words: str) -> list[str]:
    """What bash would offer for the last word."""
    asked = {
        "_DNS_RUNBOOK_COMPLETE": "complete_bash",
        "COMP_WORDS": " ".join(("dns-runbook", *words)),
        "COMP_CWORD": str(len(words)),
    }
    done = subprocess.run(
        [sys.executable, "-c", RUN],
        cwd=folder,
        env={**os.environ, **asked},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.stderr == ""
    return done.stdout.split()


@pytest.mark.parametrize("command", ["history", "verify", "status", "explain", "freeze"])
def test_zones_are_completed_from_the_config(tmp_path: Path, command: str) -> None:
    """Those that begin so, sorted."""
    (tmp_path / "dns.yaml").write_text(CONFIG)
    assert completed(tmp_path, command, "sh") == ["shed", "shop"]
    assert completed(tmp_path, command, "sho") == ["shop"]


def test_without_a_config_that_can_be_read_nothing_is_offered(tmp_path: Path) -> None:
    """And nothing is complained of in the middle of a line."""
    assert completed(tmp_path, "history", "sh") == []
    (tmp_path / "dns.yaml").write_text("zones: [")
    assert completed(tmp_path, "history", "sh") == []


def test_commands_are_completed(tmp_path: Path) -> None:
    """By their names."""
    assert completed(tmp_path, "ver") == ["verify"]
