"""Work that is done again and again: one pass at a time, at a pace with jitter, until told to stop.

A pass that ends in our own errors is logged and the next one comes; that AWS is unreachable, slow
or denies us never ends a daemon. Any other error is a fault of the program and goes up.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import structlog

from dnsplan.errors import DnsplanError
from dnsplan.ports import Clock, Jitter

# The same failure is said again after this time, so that a log shows that it still holds.
SAID_AGAIN_S = 60.0


@dataclass(frozen=True, slots=True)
class Periodic:
    """A pass and its pace. Passes start `interval_s` apart, more or less `spread`, never two."""

    name: str
    interval_s: float
    run_once: Callable[[], Awaitable[None]]
    spread: float = 0.1


class Stop:
    """The wish to stop: first after the present pass, then at once."""

    def __init__(self, hangup: Callable[[], None] | None = None) -> None:
        """Nobody has asked yet. `hangup` is what SIGHUP asks for; without it the signal ends the
        process, as it ends any."""
        self.asked = asyncio.Event()
        self.at_once = asyncio.Event()
        self.hangup = hangup
        # The works end, and the process goes on with others.
        self.goes_on = False

    def request_anew(self) -> None:
        """Ask the works to end, so that the process can begin them anew."""
        self.goes_on = not self.asked.is_set()
        self.asked.set()

    def request(self) -> None:
        """Ask to stop; asking again means at once."""
        if self.goes_on:
            self.goes_on = False
            return
        if self.asked.is_set():
            self.at_once.set()
        self.asked.set()


async def keep_doing(work: Periodic, *, clock: Clock, jitter: Jitter, stop: Stop) -> None:
    """Do the work until asked to stop; the pass that runs then is finished."""
    failure = _Failure(work.name, clock)
    while not stop.asked.is_set():
        started_s = clock.elapsed_s()
        await _pass(work, failure)
        spread = jitter.uniform(1.0 - work.spread, 1.0 + work.spread)
        left_s = work.interval_s * spread - (clock.elapsed_s() - started_s)
        await _pause(max(0.0, left_s), clock, stop)


async def _pass(work: Periodic, failure: "_Failure") -> None:
    try:
        await work.run_once()
    except DnsplanError as error:
        failure.note(error)
    except ExceptionGroup as group:
        ours, others = group.split(DnsplanError)
        if others is not None or ours is None:
            raise
        failure.note(_first(ours))
    else:
        failure.over()


async def _pause(seconds: float, clock: Clock, stop: Stop) -> None:
    sleeping = asyncio.ensure_future(clock.sleep(seconds))
    stopping = asyncio.ensure_future(stop.asked.wait())
    try:
        await asyncio.wait({sleeping, stopping}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for one in (sleeping, stopping):
            one.cancel()
        await asyncio.gather(sleeping, stopping, return_exceptions=True)


def _first(group: ExceptionGroup[DnsplanError]) -> DnsplanError:
    inner: DnsplanError | ExceptionGroup[DnsplanError] = group
    while isinstance(inner, ExceptionGroup):
        inner = inner.exceptions[0]
    return inner


class _Failure:
    """What the last pass failed of, so that a lasting failure is not said at every pass."""

    def __init__(self, work: str, clock: Clock) -> None:
        self._log = structlog.get_logger("daemon").bind(work=work)
        self._clock = clock
        self._said = ""
        self._said_s = 0.0
        self._passes = 0

    def note(self, error: DnsplanError) -> None:
        self._passes += 1
        now_s = self._clock.elapsed_s()
        if str(error) != self._said or now_s - self._said_s >= SAID_AGAIN_S:
            self._said, self._said_s = str(error), now_s
            kind = type(error).__name__
            self._log.warning("pass_failed", kind=kind, reason=str(error), passes=self._passes)

    def over(self) -> None:
        if self._passes:
            self._log.info("pass_recovered", failed_passes=self._passes)
        self._said, self._passes = "", 0
