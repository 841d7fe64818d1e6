"""Every command that touches the table, on a DynamoDB that AWS did not make: what operators do in a
zone's life works there as it does on AWS."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import boto3
import pytest

from sandbox.aws.threaded import ThreadedStandIn, serve_in_thread
from tests.contracts.dynalite import serve_dynalite

pytestmark = pytest.mark.system

ENDS_WITHIN_S = 60.0
CONFIG = """
azs: [use1-az1]
cleanup: {{keep: 1, min_age_s: 0}}
zones:
  shop:
    name: example.com
    names:
      www: {{records: [{{type: A, values: [{value}]}}]}}
"""


class Commands:
    """A folder with dns.yaml where commands run; Route 53 is our stand-in, the table dynalite."""

    def __init__(self, folder: Path, stand_in: ThreadedStandIn, table_url: str) -> None:
        """`AWS_ENDPOINT_URL_DYNAMODB` is how an operator points at another engine."""
        self._folder = folder
        self._environ = {
            **os.environ,
            "AWS_ENDPOINT_URL": stand_in.endpoint_url,
            "AWS_ENDPOINT_URL_DYNAMODB": table_url,
        }

    def write(self, value: str) -> None:
        """State the one record."""
        (self._folder / "dns.yaml").write_text(CONFIG.format(value=value))

    def run(self, line: str, *, code: int = 0) -> str:
        """Run a command to its end, and give what it prints."""
        program, *arguments = line.split()
        ended = subprocess.run(
            [Path(sys.executable).parent / program, *arguments],
            cwd=self._folder,
            env=self._environ,
            capture_output=True,
            text=True,
            timeout=ENDS_WITHIN_S,
            check=False,
        )
        assert (line, ended.returncode) == (line, code), ended.stdout + ended.stderr
        return ended.stdout

    def publish(self, value: str) -> None:
        """State another value and make it so."""
        self.write(value)
        self.run("dns-planner plan --publish")
        self.run("dns-enactor once")

    def status(self) -> dict[str, Any]:
        """The zone as `status --json` shows it; it exits 1, since no daemon is at work."""
        (zone,) = json.loads(self.run("dns-runbook status --json", code=1))["zones"]
        return {key: zone[key] for key in ("head", "applied", "floor", "frozen", "pin", "ahead")}


@pytest.fixture
def commands(tmp_path: Path) -> Iterator[Commands]:
    """An empty zone and an empty engine."""
    with serve_in_thread() as stand_in, serve_dynalite() as table_url:
        route53 = boto3.client("route53", endpoint_url=stand_in.endpoint_url)
        route53.create_hosted_zone(Name="example.com", CallerReference="1")
        route53.close()
        made = Commands(tmp_path, stand_in, table_url)
        made.write("192.0.2.1")
        yield made


def test_a_zones_life(commands: Commands) -> None:
    """Init, publish, enact, pin, freeze, thaw, roll back and clean up: each finds what the last
    left, and the item ends as it does on AWS."""
    made, again = commands.run("dns-planner init"), commands.run("dns-planner init")
    assert again == made.replace("made", "is there already")
    for last in range(1, 5):
        commands.publish(f"192.0.2.{last}")
    assert commands.status() == {
        "head": 4,
        "applied": 4,
        "floor": 0,
        "frozen": None,
        "pin": None,
        "ahead": None,
    }
    commands.run("dns-runbook pin shop 4 --yes")
    commands.write("192.0.2.5")
    commands.run("dns-planner plan --publish")
    commands.run("dns-enactor once")
    assert (commands.status()["applied"], commands.status()["pin"]) == (4, 4)
    commands.run("dns-runbook unpin shop --yes")
    frozen = json.loads(commands.run("dns-runbook freeze shop --yes --json"))["frozen"]
    commands.run("dns-enactor once", code=3)
    commands.run(f"dns-runbook thaw shop {frozen} --yes")
    commands.run("dns-enactor once")
    commands.run("dns-runbook rollback shop 2 --yes")
    commands.run("dns-enactor once")
    commands.run("dns-planner cleanup")
    assert commands.status() == {
        "head": 6,
        "applied": 6,
        "floor": 5,
        "frozen": None,
        "pin": None,
        "ahead": None,
    }
