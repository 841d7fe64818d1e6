"""systemd's own tools read the units, and strace sees that the daemons live within their bounds."""

import os
import re
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import boto3
import pytest

from sandbox.aws.threaded import serve_in_thread
from tests.deploy.units import AZ, BIN, INSTALLED, UNITS, command_of, read_unit, services
from tests.system.required import program

pytestmark = pytest.mark.system

# systemd's scale goes to 10; its own strictest services stand near 1.
EXPOSURE_MAX = 1.2
STARTED_WITHIN_S = 60.0
PASSES_S = 3.0


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """The units as this environment would install them: only the commands' folder differs."""
    for path in (*UNITS.glob("*.service"), *UNITS.glob("*.timer")):
        text = path.read_text().replace(INSTALLED, f"{BIN}/")
        (tmp_path / path.name).write_text(text)
    return tmp_path


def analyze(*arguments: str, units: Path) -> subprocess.CompletedProcess[str]:
    """Run systemd-analyze with these units before those of the machine."""
    return subprocess.run(
        [program("systemd-analyze"), "--no-pager", *arguments],
        env={**os.environ, "SYSTEMD_UNIT_PATH": f"{units}:"},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


@pytest.mark.parametrize("name", [*services(), "dns-planner-cleanup.timer"])
def test_systemd_understands_every_line(name: str, installed: Path) -> None:
    """Not a warning; and a misspelt key would be one."""
    instance = name.replace("@.", f"@{AZ}.")
    found = analyze("verify", "--man=no", instance, units=installed)
    assert (found.returncode, found.stdout + found.stderr) == (0, "")
    text = (installed / name).read_text()
    (installed / name).write_text(text.replace("[Unit]\n", "[Unit]\nDescripton=misspelt\n"))
    assert "Descripton" in analyze("verify", "--man=no", instance, units=installed).stderr


@pytest.mark.parametrize("name", services())
def test_a_service_is_hardly_exposed(name: str, installed: Path) -> None:
    """As systemd counts it; the same unit with its system calls let loose is over the limit."""
    limit = f"--threshold={EXPOSURE_MAX * 10:.0f}"
    path = installed / name
    found = analyze("security", "--offline=true", limit, str(path), units=installed)
    assert found.returncode == 0, found.stdout + found.stderr
    path.write_text(path.read_text().replace("SystemCallFilter=", "# SystemCallFilter="))
    loose = analyze("security", "--offline=true", limit, str(path), units=installed)
    assert loose.returncode != 0, loose.stdout


@cache
def call_sets() -> dict[str, list[str]]:
    """systemd's named sets of system calls."""
    printed = subprocess.run(
        [program("systemd-analyze"), "--no-pager", "syscall-filter"],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    ).stdout
    sets: dict[str, list[str]] = {}
    for line in printed.splitlines():
        word = line.strip()
        if line.startswith("@"):
            sets[word] = []
        elif line.startswith(" ") and word and not word.startswith("#"):
            sets[next(reversed(sets))].append(word)
    return sets


def expanded(name: str) -> Iterator[str]:
    """A set's calls, and those of the sets in it."""
    for word in call_sets()[name]:
        if word.startswith("@"):
            yield from expanded(word)
        else:
            yield word


def calls_allowed(unit: str) -> set[str]:
    """What a unit's filter lets pass."""
    allowed: set[str] = set()
    for line in read_unit(unit)["Service"]["SystemCallFilter"]:
        named = {call for word in line.strip("~").split() for call in expanded(word)}
        allowed = allowed - named if line.startswith("~") else allowed | named
    return allowed


CONFIG = """
azs: [use1-az1]
state_dir: {folder}
zones:
  shop:
    name: example.com
    names:
      www: {{pool: web}}
      mail: {{records: [{{type: MX, ttl_s: 60, values: ["10 mx.example.net."]}}]}}
pools:
  web:
    targets: [{{id: a, address: 127.0.0.1}}]
    health: {{tcp: {{port: 9}}, interval_s: 0.5, timeout_s: 0.2}}
enactor: {{interval_s: 0.5}}
sentinel: {{name_servers: ["127.0.0.1:9"], alarms: [{{log: {{}}}}]}}
"""


def until(is_so: Callable[[], bool], what: str) -> None:
    """Wait, with a bound."""
    deadline_s = time.monotonic() + STARTED_WITHIN_S
    while not is_so():
        assert time.monotonic() < deadline_s, f"after {STARTED_WITHIN_S:g} s there is not: {what}"
        time.sleep(0.05)


def traced(command: list[str], folder: Path) -> str:
    """Run under strace, a daemon some passes long, a single pass to its end; what it called."""
    said, trace = folder / "said", folder / "trace"
    with said.open("wb") as errors:
        process = subprocess.Popen(
            [program("strace"), "-f", "-qq", "-o", str(trace), *command],
            stdout=subprocess.DEVNULL,
            stderr=errors,
            start_new_session=True,
        )
    try:
        if "run" in command:
            until(lambda: "daemon_started" in said.read_text(), f"a start of {command}")
            time.sleep(PASSES_S)
            os.killpg(process.pid, signal.SIGTERM)
        assert process.wait(STARTED_WITHIN_S) == 0, said.read_text()
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    return trace.read_text()


@pytest.mark.parametrize("name", services())
def test_a_process_lives_within_its_bounds(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It calls nothing outside its filter, opens no other sockets, and maps nothing to write and
    execute."""
    config = tmp_path / "dns.yaml"
    config.write_text(CONFIG.format(folder=tmp_path))
    with serve_in_thread() as aws:
        monkeypatch.setenv("AWS_ENDPOINT_URL", aws.endpoint_url)
        client = boto3.client("route53")
        client.create_hosted_zone(Name="example.com", CallerReference="1")
        client.close()
        for before in (["dns-planner", "init"], ["dns-planner", "plan", "--publish"]):
            command = [str(BIN / before[0]), *before[1:], "--config", str(config)]
            subprocess.run(command, capture_output=True, check=True, timeout=STARTED_WITHIN_S)
        if name == "dns-planner-cleanup.service":  # it holds until an enactor has told the zone
            once = [str(BIN / "dns-enactor"), "once", "--config", str(config)]
            subprocess.run(once, capture_output=True, check=True, timeout=STARTED_WITHIN_S)
        trace = traced(command_of(name, config), tmp_path)
    called = set(re.findall(r"^\d+ +([a-z_0-9]+)\(", trace, re.MULTILINE))
    assert {"execve", "connect", "read"} <= called
    assert called - calls_allowed(name) == set()
    families = set(re.findall(r" socket\((AF_\w+)", trace))
    assert families <= set(read_unit(name)["Service"]["RestrictAddressFamilies"][0].split())
    assert re.findall(r"(?:mmap|mprotect)\(.*PROT_WRITE\|PROT_EXEC.*", trace) == []
