"""`dns-sandbox run` with the bundled example: what a newcomer sees, does and stops."""

import os
import re
import signal
import subprocess
from pathlib import Path

import pytest

from sandbox.run.output import CLOSED_PIPE
from tests.integration.sandbox_process import (
    BIN,
    RunningSandbox,
    eventually,
    is_alive,
    run_to_end,
)
from tests.integration.terminal import on_a_terminal

EVICTED_WITHIN_S = 20.0
WEB = ["127.0.0.11", "127.0.0.12", "127.0.0.13"]
API = {"127.0.0.21", "127.0.0.22"}


def test_the_names_answer_over_dns(demo: RunningSandbox) -> None:
    """Pools, a CNAME, stated records and the fence itself, at the port that was printed."""
    assert demo.ask_often("api.example.test") <= API
    assert demo.ask("www.example.test", "CNAME") == ["example.test."]
    assert demo.ask("hello.example.test", "TXT") == ['"a plan put this here"']
    assert demo.ask("example.test", "MX") == ["10 mail.example.test."]
    assert set(demo.ask("example.test")) <= set(WEB)
    fence = demo.ask("_dnsplan.example.test", "TXT")
    assert len(fence) == 1
    assert '"dnsplan/1 generation=' in fence[0]


def test_a_dead_host_of_three_leaves_and_comes_back(demo: RunningSandbox) -> None:
    """Within 20 s, with the default guardrails; the other two stay throughout."""
    eventually(lambda: demo.ask("example.test") == WEB or None, "all three answer", 20)
    demo.switch("stop", "web-b")
    eventually(
        lambda: demo.ask("example.test") == [WEB[0], WEB[2]] or None,
        "the dead host is out",
        EVICTED_WITHIN_S,
    )
    demo.switch("start", "web-b")
    eventually(lambda: demo.ask("example.test") == WEB or None, "it is back", EVICTED_WITHIN_S)


def test_a_dead_host_of_two_leaves(demo: RunningSandbox) -> None:
    """One of two is half, and half is not below the panic threshold. It is started again."""
    demo.switch("stop", "api-b")
    eventually(
        lambda: demo.ask_often("api.example.test") == {"127.0.0.21"} or None,
        "the dead host is out",
        EVICTED_WITHIN_S,
    )
    demo.switch("start", "api-b")
    eventually(
        lambda: demo.ask_often("api.example.test") == API or None, "it is back", EVICTED_WITHIN_S
    )


def test_each_daemon_is_counted_by_its_own_key(demo: RunningSandbox) -> None:
    """Faults and request counts can address a daemon; cleanup has never written DNS."""
    counts = demo.counts()
    keys = {key for _, _, key in counts}
    daemons = {"planner-use1-az1", "enactor-use1-az1", "enactor-use1-az2", "enactor-use1-az3"}
    assert daemons | {"cleanup"} <= keys
    writers = {key for _, operation, key in counts if operation == "ChangeResourceRecordSets"}
    assert writers <= {"enactor-use1-az1", "enactor-use1-az2", "enactor-use1-az3"}
    assert writers


def test_operators_commands_find_the_sandbox(demo: RunningSandbox) -> None:
    """The file that the first screen names leads `dns-runbook` to it, from an empty shell."""
    done = in_an_empty_shell(demo, "dns-runbook status")
    assert done.stderr == ""
    assert done.stdout.startswith("demo zone example.test. ")
    assert "demo fence generation=" in done.stdout


def test_commands_that_ask_name_servers_find_those_of_the_sandbox(demo: RunningSandbox) -> None:
    """Nobody has to say which, and what is said in the command overrules it."""
    explained = in_an_empty_shell(demo, "dns-runbook explain hello.example.test")
    assert f"answered by {demo.ready['dns']}: " in explained.stdout, explained.stdout
    assert explained.returncode == 0
    checked = in_an_empty_shell(demo, "dns-sentinel check")
    assert checked.returncode == 0, checked.stdout + checked.stderr
    verify = "dns-runbook verify demo hello.example.test --name-server"
    assert in_an_empty_shell(demo, f"{verify} 127.0.0.1:1").returncode == 1
    strange = in_an_empty_shell(demo, f"{verify} shop=127.0.0.1:1")
    assert (strange.returncode, strange.stderr) == (2, "--name-server for shop; zones: demo\n")


def in_an_empty_shell(demo: RunningSandbox, command: str) -> subprocess.CompletedProcess[str]:
    """One of our commands, after the sandbox's exports."""
    return subprocess.run(
        ["sh", "-c", f". {demo.ready['environment']}; exec {BIN}/{command}"],
        env={"PATH": os.defpath, "AWS_PROFILE": "production"},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def test_a_reader_that_goes_away_ends_the_run_quietly() -> None:
    """`dns-sandbox run | head -3`: no wrong reason, a shell's exit code, and nothing left."""
    process = subprocess.Popen(
        [BIN / "dns-sandbox", "run"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stderr is not None
    for _ in range(3):
        process.stdout.readline()
    process.stdout.close()
    said = process.stderr.read()
    process.stderr.close()
    assert (process.wait(timeout=60), said) == (CLOSED_PIPE, "")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_while_starting_leaves_nothing_behind(number: signal.Signals) -> None:
    """Also in the middle of making the table, exit 0."""
    sandbox = RunningSandbox()
    sandbox.wait_for(lambda line: line["event"] == "started", "a first process")
    assert sandbox.stop(number) == 0


def test_a_run_killed_outright_leaves_nothing_behind() -> None:
    """SIGKILL gives it no chance to stop its daemons; they end all the same."""
    sandbox = RunningSandbox()
    sandbox.wait_for(lambda line: line["who"] == "cleanup", "all processes", after=1)
    sandbox.kill()
    for who, pid in sandbox.pids().items():
        eventually(lambda pid=pid: not is_alive(pid) or None, f"{who} ends", 15)  # type: ignore[misc]  # a default of a lambda has no type


def test_a_run_that_is_out_of_time_says_what_is_missing() -> None:
    """Exit 1, the zones' reasons on standard error, and no half status on standard output."""
    done = run_to_end("run", "--until-converged", "--json", "--timeout-s", "1")
    assert (done.returncode, done.stdout) == (1, "")
    assert "not converged after 1 s:" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_terminal_shows_the_live_picture_and_gets_the_terminal_back() -> None:
    """Zones, names with what they answer, processes and events; Ctrl-C at the terminal ends it."""
    text, code = on_a_terminal("dns-sandbox", "run", interrupt_at="in sync, converged")
    assert code == 0, text
    for needle in ("example.test.", "127.0.0.11", "enactor-use1-az1", "curl -X POST", "Ctrl-C"):
        assert needle in text
    assert "\x1b[?25h" in text, "the cursor is shown again"


def test_plain_lines_in_a_pipe_say_what_to_try(demo: RunningSandbox, tmp_path: Path) -> None:
    """A newcomer without a terminal reads the same first screen, one line an event.

    It runs beside the first sandbox, which has taken the example's ports; nothing is left in the
    folder it was started in.
    """
    done = run_to_end("run", "--until-converged", cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"dig @127\.0\.0\.1 -p \d+ example\.test A", done.stdout)
    assert re.search(r"curl -X POST http://127\.0\.0\.1:\d+/stop/web-b", done.stdout)
    assert "demo (example.test.) in sync" in done.stdout
    assert "Traceback" not in done.stdout + done.stderr
    assert list(tmp_path.iterdir()) == []
    assert demo.process.poll() is None
