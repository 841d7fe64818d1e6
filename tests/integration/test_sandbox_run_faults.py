"""Daemons killed and AWS lost under a running sandbox: it converges, and nothing is lost.

An observer asks the DNS server all the while: the fence never goes back (P1) and the name is never
without an answer (P2).
"""

import os
import re
import signal
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.integration.sandbox_process import DEMO, RunningSandbox, eventually, free_copy

CHANGED_WITHIN_S = 25.0
# A minute was run by hand; ten seconds outlast every time-out and retry of the daemons too.
AWAY_S = 10.0
FENCE = re.compile(r"generation=(\d+) step=(\d+)/")
ALL = ["127.0.0.11", "127.0.0.12", "127.0.0.13"]


class Observer:
    """Asks for a name and its fence, over and over, from a thread of its own."""

    def __init__(self, sandbox: RunningSandbox) -> None:
        self.tokens: list[tuple[int, int]] = []
        self.empty = 0
        self.asked = 0
        self._sandbox = sandbox
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self.failure: Exception | None = None

    def __enter__(self) -> "Observer":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join(timeout=10)
        if self.failure is not None:
            raise self.failure

    def _watch(self) -> None:
        try:
            while not self._stop.wait(0.03):
                self.asked += 1
                self.empty += not self._sandbox.ask("example.test")
                match = FENCE.search(self._sandbox.ask("_dnsplan.example.test", "TXT")[0])
                assert match is not None
                self.tokens.append((int(match[1]), int(match[2])))
        except Exception as error:  # noqa: BLE001 - handed to the test's own thread
            self.failure = error

    def promises_held(self) -> bool:
        """Forward only, never empty, and it did look."""
        return self.asked > 20 and self.tokens == sorted(self.tokens) and self.empty == 0


@pytest.fixture(scope="module")
def sandbox(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningSandbox]:
    """The bundled example with a velocity window of one second, so that rounds can follow."""
    path = free_copy(DEMO, tmp_path_factory.mktemp("faults"))
    pace = "\nguardrails: {window_s: 1}\n"
    path.write_text(
        path.read_text().replace("planner: {", "planner: {max_plans_per_min: 600, ") + pace
    )
    running = RunningSandbox("--backends", config=path)
    try:
        running.converged()
        yield running
    finally:
        assert running.stop() == 0


def answers(sandbox: RunningSandbox, expected: list[str], why: str) -> None:
    """Wait until the name answers exactly this."""
    eventually(
        lambda: sandbox.ask("example.test") == expected or None,
        f"{why}: {expected}",
        CHANGED_WITHIN_S,
    )


@pytest.mark.parametrize("victims", [("enactor-use1-az1", "enactor-use1-az2"), ("planner",)])
def test_killed_daemons_lose_nothing(sandbox: RunningSandbox, victims: tuple[str, ...]) -> None:
    """SIGKILL while a change is under way, three times over: each change arrives all the same."""
    answers(sandbox, ALL, "before")
    with Observer(sandbox) as observer:
        for round_number in range(3):
            action, expected = [("stop", ALL[1:]), ("start", ALL), ("stop", ALL[1:])][round_number]
            heard = len(sandbox.lines)
            sandbox.switch(action, "web-a")
            for who, pid in sandbox.pids().items():
                if who.startswith(victims):
                    os.kill(pid, signal.SIGKILL)
            for victim in victims:
                sandbox.wait_for(
                    lambda line, victim=victim: (  # type: ignore[misc]  # a default of a lambda has no type
                        line["event"] == "started" and line["who"].startswith(victim)
                    ),
                    f"{victim} is started again",
                    after=heard,
                )
            answers(sandbox, expected, f"round {round_number}")
        sandbox.switch("start", "web-a")
        answers(sandbox, ALL, "after")
    assert observer.promises_held(), (observer.asked, observer.empty, observer.tokens)
    sandbox.in_sync()


def test_two_of_three_azs_lost_for_good_do_not_stop_a_change(sandbox: RunningSandbox) -> None:
    """While two enactors are frozen in place, the third applies alone (any one can do all)."""
    answers(sandbox, ALL, "before")
    stopped = [
        pid for who, pid in sandbox.pids().items() if who.endswith(("r-use1-az1", "r-use1-az3"))
    ]
    enactors = [pid for pid in stopped if pid != sandbox.pids()["planner-use1-az1"]]
    assert len(enactors) == 2
    for pid in enactors:
        os.kill(pid, signal.SIGSTOP)
    try:
        sandbox.switch("stop", "web-c")
        answers(sandbox, ALL[:2], "with one enactor")
        sandbox.switch("start", "web-c")
        answers(sandbox, ALL, "with one enactor")
    finally:
        for pid in enactors:
            os.kill(pid, signal.SIGCONT)
    sandbox.in_sync()


def test_without_aws_everything_holds_and_nothing_exits(sandbox: RunningSandbox) -> None:
    """The change made meanwhile arrives once AWS is back; until then DNS stays as it was."""
    answers(sandbox, ALL, "before")
    before, heard = sandbox.pids(), len(sandbox.lines)
    with Observer(sandbox) as observer:
        sandbox.control("away", {"for_s": AWAY_S})
        sandbox.switch("stop", "web-b")
        done = sandbox.run("dns-runbook", "status", "--config", str(sandbox.config))
        assert done.returncode == 1
        assert "could not be read" in done.stdout
        assert "Traceback" not in done.stdout + done.stderr
        assert sandbox.ask("example.test") == ALL
        answers(sandbox, [ALL[0], ALL[2]], "after AWS is back")
        sandbox.switch("start", "web-b")
        answers(sandbox, ALL, "after")
    died = [line for line in sandbox.lines[heard:] if line["event"] == "died"]
    assert (before, []) == (sandbox.pids(), died)
    assert observer.promises_held(), (observer.asked, observer.empty, observer.tokens)
    sandbox.in_sync()


def test_a_config_that_is_broken_meanwhile_ends_the_run_with_its_words(tmp_path: Path) -> None:
    """A daemon that is started again and refuses its config is not tried for ever."""
    path = free_copy(DEMO, tmp_path)
    running = RunningSandbox(config=path)
    try:
        running.converged()
        path.write_text("azs: []\n")
        os.kill(running.pids()["enactor-use1-az2"], signal.SIGKILL)
        assert running.process.wait(timeout=30) == 1
    finally:
        running.kill()
    assert any(f"{path}:1: azs" in line for line in running.raw), running.raw[-10:]
