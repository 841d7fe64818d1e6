"""The whole sandbox in processes of its own, on the bundled example, and what its events tell."""

import json
import os
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.processes import PROJECT
from sandbox.run.demo import example_text
from sandbox.run.environment import child_environment

READY_WITHIN_S = 300.0
ENDS_WITHIN_S = 30.0

Event = dict[str, Any]


class Whole:
    """A sandbox that runs. `heard` is told each event, in a thread of its own."""

    def __init__(self, process: "subprocess.Popen[str]", heard: Callable[[Event], None]) -> None:
        """Wait until it is in sync."""
        self._process = process
        self._heard = heard
        self._ready = threading.Event()
        self.pids: dict[str, int] = {}
        self.pages: dict[str, str] = {}
        self.restarts = 0
        self.endpoint_url = self.backends = ""
        threading.Thread(target=self._read, daemon=True).start()
        if not self._ready.wait(READY_WITHIN_S):
            raise TimeoutError("the sandbox is not in sync")

    def _read(self) -> None:
        # To the end of it: whoever writes into a full pipe stands still.
        for line in self._process.stdout or ():
            event = json.loads(line)
            match event["event"]:
                case "ready":
                    self.endpoint_url, self.backends = event["endpoint_url"], event["backends"]
                case "started":
                    self.restarts += event["who"] in self.pids
                    self.pids[event["who"]] = int(event["facts"]["pid"])
                case "page_served":
                    self.pages[event["who"]] = event["facts"]["url"]
                case "converged":
                    self._ready.set()
            self._heard(event)

    def host(self, do: str, name: str) -> None:
        """Stop or start a host."""
        request = urllib.request.Request(f"{self.backends}/{do}/{name}", method="POST")
        urllib.request.urlopen(request, timeout=10.0).close()


@contextmanager
def whole(
    *edits: tuple[str, str], access_key: str, heard: Callable[[Event], None] = lambda _: None
) -> Iterator[Whole]:
    """A sandbox with these texts of the example replaced, for as long as the block lasts."""
    text = example_text()
    for old, new in edits:
        if old not in text:
            raise ValueError(f"the example says nothing of {old!r}")
        text = text.replace(old, new)
    with TemporaryDirectory(prefix="dnsplan-whole-") as folder:
        config = Path(folder) / "dns.yaml"
        config.write_text(text)
        command = [str(Path(sys.executable).parent / "dns-sandbox"), "run", "--json"]
        command += ["--config", str(config), "--backends"]
        environment = child_environment(os.environ, endpoint_url="", access_key=access_key)
        with subprocess.Popen(
            command, cwd=PROJECT, env=environment, stdout=subprocess.PIPE, text=True
        ) as process:
            try:
                yield Whole(process, heard)
            finally:
                process.terminate()
                try:
                    process.wait(ENDS_WITHIN_S)
                except subprocess.TimeoutExpired:
                    process.kill()
