"""dns-planner as people run it: its own process, the AWS stand-in, targets on loopback."""

import json
import os
import pty
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sandbox.aws.threaded import ThreadedStandIn, serve_in_thread

HOST = "127.0.0.1"
RUN = "import sys; sys.argv[0] = 'dns-planner'; from planner.main import run; run()"
ENDS_WITHIN_S = 40.0
SEEN_WITHIN_S = 30.0

HEADER = """
azs: [use1-az1, use1-az2]
planner: {interval_s: 0.2, max_plans_per_min: 600}
cleanup: {keep: 1, min_age_s: 0, interval_s: 0.2}
"""


@dataclass(frozen=True)
class Ended:
    """What a command left behind."""

    code: int
    out: str
    err: str

    @property
    def zones(self) -> list[dict[str, Any]]:
        """The zones of its JSON."""
        found: list[dict[str, Any]] = json.loads(self.out)["zones"]
        return found


@dataclass
class PlannerStage:
    """A stand-in, a folder with dns.yaml, and commands that run there."""

    stand_in: ThreadedStandIn
    folder: Path
    environ: dict[str, str] = field(default_factory=dict)

    def write(self, text: str) -> None:
        """Write dns.yaml; the header gives it azs and a quick pace."""
        (self.folder / "dns.yaml").write_text(HEADER + text)

    def run(self, *args: str, **environ: str) -> Ended:
        """Run a command to its end."""
        done = subprocess.run(
            [sys.executable, "-c", RUN, *args],
            cwd=self.folder,
            env=self._environ(environ),
            capture_output=True,
            text=True,
            timeout=ENDS_WITHIN_S,
            check=False,
        )
        return Ended(done.returncode, done.stdout, done.stderr)

    def run_in_terminal(self, *args: str) -> tuple[str, int]:
        """What a terminal of 200 columns shows."""
        leader, follower = pty.openpty()
        process = subprocess.Popen(
            [sys.executable, "-c", RUN, *args],
            cwd=self.folder,
            env=self._environ({"COLUMNS": "200", "TERM": "xterm"}),
            stdout=follower,
            stderr=subprocess.DEVNULL,
        )
        os.close(follower)
        shown = b""
        while True:
            try:
                piece = os.read(leader, 65_536)
            except OSError:
                break
            if not piece:
                break
            shown += piece
        os.close(leader)
        return shown.decode(), process.wait(ENDS_WITHIN_S)

    @contextmanager
    def daemon(self, *args: str, log: str = "daemon.log") -> Iterator["Daemon"]:
        """Run a daemon for as long as the block lasts."""
        path = self.folder / log
        with path.open("w") as stream:
            process = subprocess.Popen(
                [sys.executable, "-c", RUN, *args],
                cwd=self.folder,
                env=self._environ({}),
                stdout=stream,
                stderr=subprocess.STDOUT,
            )
            try:
                yield Daemon(process, path)
            finally:
                if process.poll() is None:
                    process.kill()
                process.wait(ENDS_WITHIN_S)

    def _environ(self, more: Mapping[str, str]) -> dict[str, str]:
        own = {"AWS_ENDPOINT_URL": self.stand_in.endpoint_url, "DNSPLAN_LOG_LEVEL": "info"}
        return {**os.environ, **own, **self.environ, **more}


@dataclass
class Daemon:
    """A running daemon and its log."""

    process: "subprocess.Popen[bytes]"
    log: Path

    def events(self, name: str) -> list[dict[str, Any]]:
        """Its events of one name so far."""
        lines = [line for line in self.log.read_text().splitlines() if line.startswith("{")]
        return [one for one in map(json.loads, lines) if one["event"] == name]

    def wait_for(self, name: str, *, count: int = 1) -> list[dict[str, Any]]:
        """Its events of one name, once there are so many."""
        until_s = time.monotonic() + SEEN_WITHIN_S
        while len(found := self.events(name)) < count:
            assert self.process.poll() is None, f"it ended:\n{self.log.read_text()}"
            seen = self.log.read_text()
            assert time.monotonic() < until_s, f"no {count} of {name} within time in:\n{seen}"
            time.sleep(0.05)
        return found

    def kill(self) -> None:
        """SIGKILL."""
        self.process.kill()
        self.process.wait(ENDS_WITHIN_S)

    def stop(self) -> int:
        """SIGTERM, and the exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(ENDS_WITHIN_S)


@contextmanager
def planner_stage(folder: Path) -> Iterator[PlannerStage]:
    """A stage with an empty stand-in."""
    with serve_in_thread() as stand_in:
        yield PlannerStage(stand_in, folder)


class Target:
    """A port on loopback that can be opened and closed as one host would live and die."""

    def __init__(self, host: str, port: int = 0) -> None:
        """Take the port, or a free one, and open it."""
        self.host = host
        self._listener: socket.socket | None = None
        self.port = port
        self.open()

    def open(self) -> None:
        """Listen."""
        self._listener = socket.create_server((self.host, self.port), backlog=128)
        self.port = self._listener.getsockname()[1]

    def close(self) -> None:
        """Refuse connections from now on."""
        if self._listener is not None:
            self._listener.close()
            self._listener = None


def plain(text: str) -> str:
    """Terminal output without colours, and with white space folded."""
    return " ".join(re.sub(r"\x1b\[[0-9;]*m", "", text).split())
