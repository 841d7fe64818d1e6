"""Starts what is measured and what it is measured against, and asks the stand-in what it saw.

Each process gets an access key of its own, so that the stand-in counts its requests apart. All of
them end with the block that started them.
"""

import json
import os
import subprocess
import sys
import urllib.request
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sandbox.run.environment import child_environment

PROJECT = Path(__file__).parents[1]
OCTODNS_PYTHON = PROJECT / "build" / "octodns" / "bin" / "python"
ENDS_WITHIN_S = 30.0
ASKED_WITHIN_S = 60.0


class SideFailedError(Exception):
    """A measured process ended, or did something else than it was asked: no figure counts."""


@dataclass(frozen=True, slots=True)
class StandIn:
    """The AWS stand-in in a process of its own: its CPU is nobody's."""

    endpoint_url: str

    def requests(self, access_key: str) -> tuple[Counter[str], Counter[str]]:
        """Requests by operation since the last `forget`: Route 53's, and DynamoDB's."""
        counted: dict[str, Counter[str]] = {"route53": Counter(), "dynamodb": Counter()}
        for one in self._ask("GET", "requests")["counts"]:
            if one["access_key"] == access_key and one["service"] in counted:
                counted[one["service"]][one["operation"]] += one["count"]
        return counted["route53"], counted["dynamodb"]

    def forget(self) -> None:
        """Count from zero."""
        self._ask("POST", "reset-counters")

    def _ask(self, method: str, what: str) -> Any:
        url = f"{self.endpoint_url}/_sandbox/{what}"
        request = urllib.request.Request(url, method=method)
        with urllib.request.urlopen(request, timeout=ASKED_WITHIN_S) as answer:
            return json.load(answer)


class Side:
    """A measured process that takes commands."""

    def __init__(self, process: "subprocess.Popen[str]", log: Path) -> None:
        """Wait until it is ready: that was its start-up."""
        self._process = process
        self._log = log
        self._heard()

    def do(self, command: str, **asked: Any) -> Mapping[str, Any]:
        """Have a command carried out and give its answer, or raise SideFailedError."""
        if self._process.stdin is None:
            raise SideFailedError("no way to ask")
        self._process.stdin.write(json.dumps({"do": command, **asked}) + "\n")
        self._process.stdin.flush()
        answer = self._heard()
        if "error" in answer:
            raise SideFailedError(f"{answer['error']}; log: {self._tail()}")
        return answer

    def _heard(self) -> Mapping[str, Any]:
        line = self._process.stdout.readline() if self._process.stdout else ""
        if not line:
            raise SideFailedError(f"{self._process.args!s} ended; log: {self._tail()}")
        heard: Mapping[str, Any] = json.loads(line)
        return heard

    def _tail(self) -> str:
        return self._log.read_text()[-2_000:]


@contextmanager
def stand_in(folder: Path, zones: Sequence[str]) -> Iterator[StandIn]:
    """A fresh stand-in with these zones, empty and without a limit of requests."""
    command = [str(Path(sys.executable).parent / "dns-sandbox"), "aws", "--json"]
    for zone in zones:
        command += ["--zone", zone]
    with _started(command, folder / "stand-in.log", dict(os.environ)) as process:
        line = process.stdout.readline() if process.stdout else ""
        if not line:
            raise SideFailedError(f"the stand-in ended: {(folder / 'stand-in.log').read_text()}")
        yield StandIn(json.loads(line)["endpoint_url"])


@contextmanager
def side(name: str, folder: Path, aws: StandIn, *, access_key: str) -> Iterator[Side]:
    """One of our measured processes."""
    log = folder / f"{name}.log"
    command = [sys.executable, "-m", f"benchmarks.sides.{name}", str(folder / "dns.yaml")]
    environment = child_environment(
        os.environ, endpoint_url=aws.endpoint_url, access_key=access_key
    )
    with _started(command, log, environment) as process:
        yield Side(process, log)


def run_octodns(folder: Path, aws: StandIn, *, access_key: str) -> Mapping[str, Any]:
    """One octodns-sync in its own environment, and what it says that it cost."""
    log = folder / "octodns.log"
    command = [str(OCTODNS_PYTHON), str(PROJECT / "benchmarks" / "sides" / "octodns_sync.py")]
    environment = child_environment(
        os.environ, endpoint_url=aws.endpoint_url, access_key=access_key
    )
    with log.open("w") as said:
        done = subprocess.run(
            [*command, "octodns.yaml"],
            cwd=folder,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=said,
            text=True,
            check=False,
        )
    if done.returncode != 0:
        raise SideFailedError(f"octoDNS ended with {done.returncode}: {log.read_text()[-2_000:]}")
    answer: Mapping[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return answer


@contextmanager
def _started(
    command: Sequence[str], log: Path, environment: Mapping[str, str]
) -> Iterator["subprocess.Popen[str]"]:
    with log.open("w") as said:
        process = subprocess.Popen(
            command,
            cwd=PROJECT,
            env=dict(environment),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=said,
            text=True,
        )
    with process:
        try:
            yield process
        finally:
            process.terminate()
            try:
                process.wait(ENDS_WITHIN_S)
            except subprocess.TimeoutExpired:
                process.kill()
