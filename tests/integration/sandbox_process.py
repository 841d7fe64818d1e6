"""A `dns-sandbox run` as a test drives it: a process of its own, its JSON lines, DNS and control.

Waits are bounded and say what they waited for and what was heard instead.
"""

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

import dns.message
import dns.query
import dns.rdatatype

from sandbox.run.environment import aws_variables
from sandbox.run.ports import free_port

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"
DEMO = EXAMPLES / "demo.yaml"
BIN = Path(sys.executable).parent
CONVERGES_WITHIN_S = 60.0
STOPS_WITHIN_S = 20.0

Found = TypeVar("Found")


def eventually(look: Callable[[], Found | None], what: str, within_s: float) -> Found:
    """What `look` finds, asked again until it is not None; AssertionError when the time is up."""
    deadline_s = time.monotonic() + within_s
    while (found := look()) is None:
        assert time.monotonic() < deadline_s, f"after {within_s:g} s there is still not: {what}"
        time.sleep(0.05)
    return found


def free_copy(example: Path, folder: Path) -> Path:
    """A copy of an example config, or of its folder, whose probed port is free just now."""
    port = free_port(0)
    sources = sorted(example.parent.rglob("*.yaml")) if example.name == "dns.yaml" else [example]
    for source in sources:
        copy = folder / source.relative_to(example.parent)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(re.sub(r"\bport: 180\d\d\b", f"port: {port}", source.read_text()))
    return folder / example.name


class RunningSandbox:
    """One sandbox and everything that it has said."""

    def __init__(self, *arguments: str, config: Path | None = None) -> None:
        self.config = config or DEMO
        chosen = () if config is None else ("--config", str(config))
        self.process = subprocess.Popen(
            [str(BIN / "dns-sandbox"), "run", "--json", *chosen, *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            # A terminal's Ctrl-C is sent by the test, to the process it means.
            start_new_session=True,
        )
        self.lines: list[dict[str, Any]] = []
        self.raw: list[str] = []
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        self.ready = self.wait_for(lambda line: line["event"] == "ready", "the ready line")

    def _read(self) -> None:
        assert self.process.stdout is not None
        for text in self.process.stdout:
            self.raw.append(text.rstrip())
            if text.startswith("{"):
                self.lines.append(json.loads(text))

    def wait_for(
        self,
        matches: Callable[[dict[str, Any]], bool],
        what: str,
        within_s: float = CONVERGES_WITHIN_S,
        after: int = 0,
    ) -> dict[str, Any]:
        """The first line from index `after` on that matches."""

        def look() -> dict[str, Any] | None:
            found = next((line for line in self.lines[after:] if matches(line)), None)
            ended = self.process.poll()
            assert found or ended is None, f"ended with {ended} before {what}: {self.raw[-20:]}"
            return found

        try:
            return eventually(look, what, within_s)
        except AssertionError as error:
            raise AssertionError(f"{error}; last lines: {self.raw[-20:]}") from None

    def converged(self, within_s: float = CONVERGES_WITHIN_S) -> dict[str, Any]:
        """The status object of the first convergence."""
        line = self.wait_for(lambda line: line["event"] == "converged", "converged", within_s)
        status: dict[str, Any] = line["status"]
        return status

    def pids(self) -> dict[str, int]:
        """The newest process id of each process that was started."""
        return {
            line["who"]: int(line["facts"]["pid"])
            for line in self.lines
            if line["event"] == "started"
        }

    def ask(self, name: str, kind: str = "A", *, private: bool = False) -> list[str]:
        """The answers of one DNS question, sorted; an empty list for no data."""
        host, _, port = self.ready["dns_private" if private else "dns"].rpartition(":")
        query = dns.message.make_query(name, kind)
        reply = dns.query.udp(query, host, port=int(port), timeout=5)
        if reply.flags & dns.flags.TC:
            reply = dns.query.tcp(query, host, port=int(port), timeout=5)
        wanted = dns.rdatatype.from_text(kind)
        return sorted(
            rdata.to_text() for rrset in reply.answer if rrset.rdtype == wanted for rdata in rrset
        )

    def ask_often(self, name: str, times: int = 40) -> set[str]:
        """Every answer heard in many questions, as weighted names need."""
        return {answer for _ in range(times) for answer in self.ask(name)}

    def switch(self, action: str, backend: str) -> None:
        """Stop or start a demo server."""
        self.post(f"{self.ready['backends']}/{action}/{backend}")

    def control(self, path: str, body: Mapping[str, object] | None = None) -> None:
        """A request to the stand-in's control API."""
        self.post(f"{self.ready['endpoint_url']}/_sandbox/{path}", body)

    def post(self, url: str, body: Mapping[str, object] | None = None) -> None:
        """POST, which must succeed."""
        data = b"" if body is None else json.dumps(body).encode()
        with urllib.request.urlopen(urllib.request.Request(url, data), timeout=5) as answer:
            assert answer.status == 200

    def counts(self) -> dict[tuple[str, str, str], int]:
        """Requests so far, by service, operation and access key id."""
        url = f"{self.ready['endpoint_url']}/_sandbox/requests"
        with urllib.request.urlopen(url, timeout=5) as answer:
            shown = json.load(answer)
        return {
            (one["service"], one["operation"], one["access_key"]): one["count"]
            for one in shown["counts"]
        }

    def environment(self) -> dict[str, str]:
        """What a command needs to find this sandbox's AWS."""
        aws = aws_variables(endpoint_url=self.ready["endpoint_url"], access_key="test")
        return {**os.environ, **aws}

    def run(
        self, command: str, *arguments: str, environment: Mapping[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Run a console command against this sandbox."""
        return subprocess.run(
            [str(BIN / command), *arguments],
            env=environment or self.environment(),
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    def status(self, *arguments: str) -> dict[str, Any]:
        """The status object by `dns-runbook status --json`."""
        done = self.run("dns-runbook", "status", "--json", "--config", str(self.config), *arguments)
        status: dict[str, Any] = json.loads(done.stdout)
        return status

    def in_sync(self, within_s: float = CONVERGES_WITHIN_S) -> dict[str, Any]:
        """The status, as soon as `dns-runbook status` says that all is in sync."""

        def look() -> dict[str, Any] | None:
            done = self.run("dns-runbook", "status", "--json", "--config", str(self.config))
            if done.returncode != 0:
                return None
            status: dict[str, Any] = json.loads(done.stdout)
            return status

        return eventually(look, "in sync", within_s)

    def stop(self, number: signal.Signals = signal.SIGINT) -> int:
        """Ask it to end, and give its exit code once nothing of it is left."""
        pids = self.pids()
        self.process.send_signal(number)
        try:
            code = self.process.wait(timeout=STOPS_WITHIN_S)
        finally:
            self.kill()
        alive = {who: pid for who, pid in pids.items() if is_alive(pid)}
        assert alive == {}, f"left behind: {alive}"
        return code

    def kill(self) -> None:
        """End it at once, whatever state it is in."""
        with suppress(ProcessLookupError):
            self.process.kill()
        self.process.wait()
        self._reader.join(timeout=5)
        if self.process.stdout is not None:
            self.process.stdout.close()


def is_alive(pid: int) -> bool:
    """Whether a process runs; one that has ended and is not yet waited for does not."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


def run_to_end(*arguments: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run `dns-sandbox` to its end."""
    return subprocess.run(
        [str(BIN / "dns-sandbox"), *arguments],
        capture_output=True,
        text=True,
        timeout=150,
        check=False,
        cwd=cwd,
    )
