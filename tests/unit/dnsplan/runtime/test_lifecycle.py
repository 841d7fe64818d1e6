"""A daemon's life: passes at a pace, trouble that it outlives, faults that end it, and signals."""

import asyncio
import os
import signal
from collections.abc import Awaitable, Callable
from itertools import pairwise

import pytest
from structlog.testing import capture_logs

from dnsplan import exits
from dnsplan.errors import AccessDenied, BrokenInvariant, ReadFailed, check
from dnsplan.runtime.clock import SystemClock, SystemJitter
from dnsplan.runtime.lifecycle import run_daemon
from dnsplan.runtime.notify import ServiceManager
from dnsplan.runtime.periodic import SAID_AGAIN_S, Periodic, Stop, keep_doing
from tests.fakes.clock import FakeClock, SeededJitter

NOBODY = ServiceManager({})


class Passes:
    """Work that notes when it ran, fails as told, and asks to stop after so many passes."""

    def __init__(self, stop: Stop, clock: FakeClock, *, passes: int, takes_s: float = 0.0) -> None:
        self.started_s: list[float] = []
        self.failures: dict[int, Exception] = {}
        self._stop, self._clock = stop, clock
        self._passes, self._takes_s = passes, takes_s
        self._running = 0

    async def run_once(self) -> None:
        """One pass."""
        self._running += 1
        assert self._running == 1
        self.started_s.append(self._clock.elapsed_s())
        await asyncio.sleep(0)
        self._clock.advance(self._takes_s)
        self._running -= 1
        number = len(self.started_s)
        if number == self._passes:
            self._stop.request()
        if number in self.failures:
            raise self.failures[number]


async def do(
    passes: int, *, takes_s: float = 0.0, failures: dict[int, Exception] | None = None
) -> Passes:
    """Run so many passes ten seconds apart."""
    clock, stop = FakeClock(), Stop()
    work = Passes(stop, clock, passes=passes, takes_s=takes_s)
    work.failures = failures or {}
    periodic = Periodic("work", 10.0, work.run_once, spread=0.0)
    await keep_doing(periodic, clock=clock, jitter=SeededJitter(), stop=stop)
    return work


@pytest.mark.parametrize(
    ("takes_s", "started_s"),
    [(0.0, [0, 10, 20, 30]), (4.0, [0, 10, 20, 30]), (12.0, [0, 12, 24, 36])],
)
async def test_pace(takes_s: float, started_s: list[float]) -> None:
    """Passes start an interval apart, a long one is followed at once, and never do two overlap."""
    assert (await do(4, takes_s=takes_s)).started_s == started_s


async def test_spread() -> None:
    """The interval varies by its spread, so that daemons do not march in step."""
    clock, stop = FakeClock(), Stop()
    work = Passes(stop, clock, passes=50)
    periodic = Periodic("work", 10.0, work.run_once, spread=0.1)
    await keep_doing(periodic, clock=clock, jitter=SeededJitter(), stop=stop)
    gaps = [after - before for before, after in pairwise(work.started_s)]
    assert min(gaps) >= 9.0
    assert max(gaps) <= 11.0
    assert len(set(gaps)) > 40


async def test_our_own_errors_are_outlived() -> None:
    """A pass that fails is logged, and the next one comes; so is a group of our errors."""
    group = ExceptionGroup("zones", [ExceptionGroup("more", [ReadFailed("b")]), ReadFailed("c")])
    failures = {1: ReadFailed("throttled"), 2: AccessDenied("wrong credentials"), 3: group}
    with capture_logs() as logs:
        work = await do(5, failures=failures)
    assert len(work.started_s) == 5
    said = [(one["event"], one.get("kind"), one.get("reason")) for one in logs]
    assert said == [
        ("pass_failed", "ReadFailed", "throttled"),
        ("pass_failed", "AccessDenied", "wrong credentials"),
        ("pass_failed", "ReadFailed", "b"),
        ("pass_recovered", None, None),
    ]
    assert logs[-1]["failed_passes"] == 3


async def test_a_lasting_failure_is_said_once_a_minute() -> None:
    """The same failure fills no log, and is not forgotten either."""
    failures: dict[int, Exception] = {n: ReadFailed("unreachable") for n in range(1, 21)}
    with capture_logs() as logs:
        await do(20, failures=failures)
    assert [one["passes"] for one in logs] == [1, 7, 13, 19]
    assert SAID_AGAIN_S == 60.0


@pytest.mark.parametrize(
    "fault",
    [
        KeyError("bug"),
        BrokenInvariant("x"),
        ExceptionGroup("mixed", [ReadFailed("ours"), ValueError("bug")]),
    ],
    ids=repr,
)
async def test_faults_of_the_program_go_up(fault: Exception) -> None:
    """Any other error ends the work; nothing catches it on the way."""
    with pytest.raises(type(fault)):
        await do(9, failures={2: fault})


async def run(
    *bodies: Callable[[Stop], Awaitable[None]], grace_s: float = 5.0, stop: Stop | None = None
) -> int:
    """Run a daemon on real time, each body as one work."""
    stop = stop or Stop()

    def bound(body: Callable[[Stop], Awaitable[None]]) -> Callable[[], Awaitable[None]]:
        return lambda: body(stop)

    works = [Periodic(body.__name__, 0.01, bound(body)) for body in bodies]
    return await asyncio.wait_for(
        run_daemon(
            works,
            clock=SystemClock(),
            jitter=SystemJitter(),
            stop=stop,
            manager=NOBODY,
            grace_s=grace_s,
        ),
        timeout=20,
    )


@pytest.mark.parametrize("signal_number", [signal.SIGTERM, signal.SIGINT])
async def test_a_signal_ends_after_the_present_pass(signal_number: int) -> None:
    """The pass under way is finished, the exit code is 0, and the handlers are gone."""
    finished = []

    async def work(stop: Stop) -> None:
        os.kill(os.getpid(), signal_number)
        await stop.asked.wait()
        await asyncio.sleep(0.05)
        finished.append("pass")

    with capture_logs() as logs:
        assert await run(work) == exits.FINE
    assert finished == ["pass"]
    events = [one["event"] for one in logs]
    assert events == ["daemon_started", "daemon_stopping", "daemon_stopped"]
    assert signal.getsignal(signal.SIGTERM) == signal.SIG_DFL


async def test_a_hangup_between_two_configs_ends_nothing() -> None:
    """Who writes a config and asks for it at once may ask while the works begin anew."""
    stop = Stop(hangup=lambda: None)

    async def work() -> None:
        stop.request_anew()

    works = [Periodic("work", 0.01, work)]
    clock, jitter = SystemClock(), SystemJitter()
    try:
        await run_daemon(works, clock=clock, jitter=jitter, stop=stop, manager=NOBODY)
        assert signal.getsignal(signal.SIGHUP) == signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, signal.SIG_DFL)


async def test_the_second_signal_ends_at_once() -> None:
    """A pass that does not end is cut off when the operator asks again."""

    async def endless(stop: Stop) -> None:
        os.kill(os.getpid(), signal.SIGTERM)
        await stop.asked.wait()
        os.kill(os.getpid(), signal.SIGTERM)
        await asyncio.Event().wait()

    with capture_logs() as logs:
        assert await run(endless, grace_s=3_600) == exits.FINE
    assert [one["works"] for one in logs if one["event"] == "passes_cut_off"] == [["endless"]]


async def test_the_grace_is_bounded() -> None:
    """A pass that does not end is cut off after the grace."""

    async def endless(stop: Stop) -> None:
        stop.request()
        await asyncio.Event().wait()

    with capture_logs() as logs:
        assert await run(endless, grace_s=0.05) == exits.FINE
    assert "passes_cut_off" in {one["event"] for one in logs}


async def test_a_broken_invariant_ends_everything() -> None:
    """One broken work ends all others at once, with exit code 1 and the reason in the log."""
    cut_off = []

    async def broken(stop: Stop) -> None:
        await asyncio.sleep(0.05)
        check(stop.asked.is_set(), "a token never goes back")

    async def other(stop: Stop) -> None:
        try:
            await stop.asked.wait()
        except asyncio.CancelledError:
            cut_off.append("other")
            raise

    with capture_logs() as logs:
        assert await run(broken, other) == exits.FAILED
    assert cut_off == ["other"]
    events = [one["event"] for one in logs]
    assert events == ["daemon_started", "program_broken", "daemon_stopped"]
    said = logs[1]
    assert said["work"] == "broken"
    assert "a token never goes back" in str(said["exc_info"])


async def test_a_fault_while_stopping_is_not_lost() -> None:
    """A work that breaks in its last pass still gives exit code 1."""

    async def broken(stop: Stop) -> None:
        stop.request()
        await asyncio.sleep(0.05)
        raise KeyError("bug")

    assert await run(broken) == exits.FAILED


async def test_unreachable_aws_is_no_end() -> None:
    """A daemon whose every pass fails goes on until it is told to stop."""
    failed = []

    async def failing(stop: Stop) -> None:
        failed.append(1)
        if len(failed) == 20:
            stop.request()
        raise ReadFailed("AWS is unreachable")

    assert await run(failing) == exits.FINE
    assert len(failed) == 20
