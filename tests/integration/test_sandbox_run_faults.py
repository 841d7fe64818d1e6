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

VICTIMS = ("planner-use1-az1", "enactor-use1-az1", "enactor-use1-az2")


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


def started_again(sandbox: RunningSandbox, who: str, *, after: int) -> None:
    """Wait until a process was started anew."""
    sandbox.wait_for(
        lambda line: line["event"] == "started" and line["who"] == who, f"{who} again", after=after
    )


def test_killed_daemons_lose_nothing(sandbox: RunningSandbox) -> None:
    """SIGKILL of the planner and two enactors while a change is under way, twice over.

    Both changes arrive all the same, through processes that remember nothing.
    """
    answers(sandbox, ALL, "before")
    with Observer(sandbox) as observer:
        for action, expected in (("stop", ALL[1:]), ("start", ALL)):
            heard = len(sandbox.lines)
            sandbox.switch(action, "web-a")
            for victim in VICTIMS:
                os.kill(sandbox.pids()[victim], signal.SIGKILL)
            for victim in VICTIMS:
                started_again(sandbox, victim, after=heard)
            answers(sandbox, expected, f"after {action}")
    assert observer.promises_held(), (observer.asked, observer.empty, observer.tokens)
    sandbox.in_sync()


def test_two_of_three_azs_that_stand_still_do_not_stop_a_change(sandbox: RunningSandbox) -> None:
    """While two enactors are stopped in place, the third applies alone (any one can do all)."""
    answers(sandbox, ALL, "before")
    still = [sandbox.pids()[f"enactor-use1-az{number}"] for number in (1, 3)]
    for pid in still:
        os.kill(pid, signal.SIGSTOP)
    try:
        sandbox.switch("stop", "web-c")
        answers(sandbox, ALL[:2], "with one enactor")
    finally:
        for pid in still:
            os.kill(pid, signal.SIGCONT)
        sandbox.switch("start", "web-c")
    answers(sandbox, ALL, "with all three again")


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
        running.wait_for(
            lambda line: line["event"] == "daemon_started" and line["who"] == "cleanup", "cleanup"
        )
        path.write_text("azs: []\n")
        os.kill(running.pids()["cleanup"], signal.SIGKILL)
        assert running.process.wait(timeout=30) == 1
    finally:
        running.kill()
    assert any(f"{path}:1: azs" in line for line in running.raw), running.raw[-10:]
