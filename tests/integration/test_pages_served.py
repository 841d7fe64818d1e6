"""Every daemon of a running system shows itself: page, health, readiness, metrics."""

import json
import socket
import subprocess
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from tests.integration.sandbox_process import BIN, RunningSandbox, eventually

WITH_TABLE = ["planner-use1-az1", "enactor-use1-az1", "enactor-use1-az2", "enactor-use1-az3"]
DAEMONS = [*WITH_TABLE, "cleanup", "sentinel"]
WITHIN_S = 20.0
ENDS_WITHIN_S = 60.0


def url_of(sandbox: RunningSandbox, daemon: str) -> str:
    """What the daemon logged last, since others may have killed it meanwhile."""
    served = [
        line["facts"]["url"]
        for line in sandbox.lines
        if line["event"] == "page_served" and line["who"] == daemon
    ]
    return str(served[-1])


def ask(url: str) -> tuple[int, str]:
    """Status and body."""
    try:
        with urllib.request.urlopen(url, timeout=5) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read().decode()


def state(sandbox: RunningSandbox, daemon: str) -> dict[str, Any]:
    """What its page shows."""
    found: dict[str, Any] = json.loads(ask(f"{url_of(sandbox, daemon)}state")[1])
    return found


@pytest.mark.parametrize("daemon", DAEMONS)
def test_each_is_alive_ready_and_counts(demo: RunningSandbox, daemon: str) -> None:
    """By the name of the process that it is."""
    url = url_of(demo, daemon)
    assert ask(f"{url}healthz") == (200, "alive\n")
    eventually(lambda: ask(f"{url}readyz")[0] == 200 or None, f"{daemon} is ready", WITHIN_S)
    component = daemon.partition("-")[0]
    assert 'dnsplan_build_info{az="' in ask(f"{url}metrics")[1]
    assert f'component="{component}"' in ask(f"{url}metrics")[1]
    # Whoever asks Route 53 says how much of its share is left; a planner has no leave to ask.
    assert ("dnsplan_route53_throttles_total" in ask(f"{url}metrics")[1]) is (
        component != "planner"
    )
    assert "<title>dnsplan</title>" in ask(url)[1]


@pytest.mark.parametrize("daemon", WITH_TABLE)
def test_those_with_the_table_agree_with_dns(demo: RunningSandbox, daemon: str) -> None:
    """The zone is in sync, and its page's answers are those that DNS gives."""

    def agrees() -> bool | None:
        (zone,) = state(demo, daemon)["zones"]
        # Before the daemon has read the first plan its page knows of no name.
        apex = [
            one["answers"]
            for one in zone["names"]
            if (one["name"], one["type"]) == ("example.test.", "A")
        ]
        return (zone["standing"] == "in sync" and apex == [demo.ask("example.test")]) or None

    eventually(agrees, f"the page of {daemon} agrees with DNS", WITHIN_S)


def test_the_sentinel_hears_what_dns_answers(demo: RunningSandbox) -> None:
    """Without the table."""

    def hears() -> bool | None:
        (zone,) = state(demo, "sentinel")["zones"]
        return (zone["standing"] == "answers" and zone["head"] is None) or None

    eventually(hears, "every name answers, says the sentinel's page", WITHIN_S)


def test_a_port_that_is_taken_ends_the_start(demo: RunningSandbox, tmp_path: Path) -> None:
    """With exit code 2 and the setting's name: a daemon that cannot be looked at as stated must
    not seem to be."""
    commands = [
        ("dns-planner", "run"),
        ("dns-planner", "cleanup", "--daemon"),
        ("dns-enactor", "run", "--az", "use1-az1", "--state-dir", str(tmp_path)),
        ("dns-sentinel", "run", "--log-only", "--state-dir", str(tmp_path)),
    ]
    with socket.socket() as holder:
        holder.bind(("127.0.0.1", 0))
        holder.listen()
        taken = f"127.0.0.1:{holder.getsockname()[1]}"
        started = [
            subprocess.Popen(
                [BIN / name, *options, "--config", str(demo.config), "--http", taken],
                env=demo.environment(),
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
            )
            for name, *options in commands
        ]
        ended = [(one.communicate(timeout=ENDS_WITHIN_S)[0], one.returncode) for one in started]
    said = f"--http: {taken}: address already in use"
    assert [(said in text, code) for text, code in ended] == [(True, 2)] * len(commands), ended
