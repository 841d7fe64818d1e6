"""Two releases of the daemons as processes: this tree's, and the previous one's by its commit."""

import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
NAMED = Path(__file__).parent / "previous"
RUN = "import sys; sys.argv[0] = {name!r}; from {module}.main import run; run()"
MODULES = {"dns-planner": "planner", "dns-enactor": "enactor"}
STOPS_WITHIN_S = 50.0


def previous_commit() -> str:
    """The commit that the file names."""
    lines = [line for line in NAMED.read_text().splitlines() if not line.startswith("#")]
    [commit] = lines
    return commit


def unpack_previous(folder: Path) -> Path:
    """The previous release's tree; without its history a skip, or a failure with REQUIRE_ALL=1."""
    commit = previous_commit()
    packed = subprocess.run(
        ["git", "-C", str(ROOT), "archive", commit], capture_output=True, check=False, timeout=60
    )
    if packed.returncode != 0:
        reason = (
            f"{commit[:12]}, named by {NAMED.relative_to(ROOT)}, is not in this history "
            f"({packed.stderr.decode().strip()}); fetch it: git fetch --unshallow"
        )
        if os.environ.get("REQUIRE_ALL") == "1":
            pytest.fail(reason)
        pytest.skip(reason)
    folder.mkdir()
    subprocess.run(["tar", "-xC", str(folder)], input=packed.stdout, check=True, timeout=60)
    return folder


@dataclass
class Release:
    """One release: where its code is, and what it finds in its environment."""

    tree: Path
    environment: Mapping[str, str]

    def __post_init__(self) -> None:
        """The code that runs is this tree's, and not what is installed."""
        for module in (*MODULES.values(), "dnsplan"):
            said = subprocess.run(
                [sys.executable, "-c", f"import {module}; print({module}.__file__)"],
                env=self._environment(),
                cwd="/",
                capture_output=True,
                text=True,
                check=True,
            )
            assert said.stdout.startswith(f"{self.tree}/"), said.stdout

    def start(self, command: str, *arguments: str, folder: Path) -> "subprocess.Popen[bytes]":
        """Start a daemon; what it says goes into a file of its own."""
        with (folder / f"{command}.log").open("ab") as log:
            return subprocess.Popen(
                [
                    sys.executable,
                    "-c",
                    RUN.format(name=command, module=MODULES[command]),
                    *arguments,
                ],
                env=self._environment(),
                cwd=folder,
                stdout=log,
                stderr=log,
                stdin=subprocess.DEVNULL,
                start_new_session=True,
            )

    def _environment(self) -> dict[str, str]:
        return {**self.environment, "PYTHONPATH": str(self.tree), "PYTHONUNBUFFERED": "1"}


@dataclass
class Place:
    """What runs in one AZ, as `role` of any release; one process a role at a time."""

    az: str
    folder: Path
    running: dict[str, "subprocess.Popen[bytes]"] = field(default_factory=dict)

    def change(self, command: str, release: Release) -> None:
        """Stop what runs there as systemd does, and start this release's."""
        if (old := self.running.pop(command, None)) is not None:
            self._end(old)
        state = self.folder / f"state-{self.az}-{command}"
        state.mkdir(exist_ok=True)
        self.running[command] = release.start(
            command,
            "run",
            "--config",
            str(self.folder / "dns.yaml"),
            "--log-only",
            "--state-dir",
            str(state),
            "--az",
            self.az,
            folder=self.folder,
        )

    def stop(self) -> None:
        """End all; each has to end well."""
        for process in self.running.values():
            self._end(process)

    def kill(self) -> None:
        """Leave nothing behind."""
        for process in self.running.values():
            process.kill()
            process.wait()

    @staticmethod
    def _end(process: "subprocess.Popen[bytes]") -> None:
        process.send_signal(signal.SIGTERM)
        assert process.wait(STOPS_WITHIN_S) == 0
