"""An asyncio loop on virtual time that picks the next callback by a seed.

Whatever is ready may run next, so an order that never happens on a quiet machine happens here. An
hour passes at once when nobody has anything to do; a loop in which everybody waits for nothing is
reported. The same seed gives the same order on any machine: nothing here asks the clock, the
operating system or a hash.
"""

import asyncio
import contextlib
import heapq
import sys
from asyncio import events
from collections.abc import Callable, Coroutine
from contextvars import Context, copy_context
from random import Random
from typing import Any, TypeVar, cast

from tests.simulation.gathering import one_gather

Result = TypeVar("Result")


class Deadlock(AssertionError):
    """Everybody waits, and no timer is set."""


class TooLong(AssertionError):
    """More callbacks ran than any run should need."""


class _Handle:
    """One callback; as much of asyncio.Handle as tasks and timeouts use."""

    __slots__ = ("args", "callback", "cancelled_", "context", "when_s")

    def __init__(
        self,
        callback: Callable[..., object],
        args: tuple[Any, ...],
        context: Context | None,
        when_s: float = 0.0,
    ) -> None:
        self.callback, self.args, self.when_s = callback, args, when_s
        self.context = context if context is not None else copy_context()
        self.cancelled_ = False

    def cancel(self) -> None:
        """Never run it."""
        self.cancelled_ = True

    def cancelled(self) -> bool:
        """Whether it was cancelled."""
        return self.cancelled_

    def when(self) -> float:
        """The instant of a timer."""
        return self.when_s


class SimLoop:
    """One run's loop: as much of a loop as tasks, futures and time-outs use.

    `steps` counts the callbacks that ran.
    """

    def __init__(self, chance: Random, *, steps_max: int = 400_000) -> None:
        """`chance` chooses among what is ready."""
        self.steps = 0
        self.failures: list[dict[str, Any]] = []
        self._chance = chance
        self._steps_max = steps_max
        self._now_s = 0.0
        self._ready: list[_Handle] = []
        self._timers: list[tuple[float, int, _Handle]] = []
        self._serial = 0
        self._closed = False

    def run(self, main: Coroutine[Any, Any, Result]) -> Result:
        """Run to the end of `main`; an error in a bare callback ends the run and is raised."""
        before = events._get_running_loop()
        events._set_running_loop(
            self._as_loop
        )  # asyncio offers no public way to be somebody's loop
        try:
            with one_gather():
                task = self.create_task(main)
                while not task.done():
                    self._step()
                return task.result()
        finally:
            events._set_running_loop(before)

    def drop_everything(self) -> None:
        """Forget what is left, and end its coroutines without a word."""
        self._timers.clear()
        self._steps_max = sys.maxsize  # a run that was cut off is ended like any other
        events._set_running_loop(self._as_loop)
        try:
            left = asyncio.all_tasks(self._as_loop)
            for task in left:
                task.cancel()
            while self._ready:
                with contextlib.suppress(Exception):  # the run is over, whatever it was
                    self._step()
            for task in left:
                if task.done() and not task.cancelled():
                    task.exception()
        finally:
            events._set_running_loop(None)
            self._closed = True

    def _step(self) -> None:
        ready, timers = self._ready, self._timers
        while timers and (timers[0][0] <= self._now_s or timers[0][2].cancelled_):
            handle = heapq.heappop(timers)[2]
            if not handle.cancelled_:
                ready.append(handle)
        if not ready:
            if not timers:
                raise Deadlock("everybody waits, and no timer is set")
            self._now_s = timers[0][0]
            return
        at = int(self._chance.random() * len(ready)) if len(ready) > 1 else 0
        ready[at], ready[-1] = ready[-1], ready[at]
        handle = ready.pop()
        if handle.cancelled_:
            return
        self.steps += 1
        if self.steps > self._steps_max:
            raise TooLong(f"{self.steps} callbacks")
        handle.context.run(handle.callback, *handle.args)

    @property
    def _as_loop(self) -> asyncio.AbstractEventLoop:
        return cast(asyncio.AbstractEventLoop, self)

    # What tasks, futures and timeouts ask of a loop.

    def time(self) -> float:
        """Seconds since the loop was made."""
        return self._now_s

    def call_soon(
        self, callback: Callable[..., object], *args: Any, context: Context | None = None
    ) -> _Handle:
        """Run it when chosen."""
        handle = _Handle(callback, args, context)
        self._ready.append(handle)
        return handle

    def call_later(
        self,
        delay: float,
        callback: Callable[..., object],
        *args: Any,
        context: Context | None = None,
    ) -> _Handle:
        """Run it after a delay."""
        return self.call_at(self._now_s + delay, callback, *args, context=context)

    def call_at(
        self,
        when: float,
        callback: Callable[..., object],
        *args: Any,
        context: Context | None = None,
    ) -> _Handle:
        """Run it at an instant."""
        handle = _Handle(callback, args, context, when)
        self._serial += 1
        heapq.heappush(self._timers, (when, self._serial, handle))
        return handle

    def create_future(self) -> "asyncio.Future[Any]":
        """A future of this loop."""
        return asyncio.Future(loop=self._as_loop)

    def create_task(
        self,
        coro: Coroutine[Any, Any, Result],
        *,
        name: str | None = None,
        context: Context | None = None,
    ) -> "asyncio.Task[Result]":
        """A task of this loop."""
        return asyncio.Task(coro, loop=self._as_loop, name=name, context=context)

    def call_exception_handler(self, context: dict[str, Any]) -> None:
        """Keep what nobody awaited; the run looks at it when it ends."""
        self.failures.append(context)

    def get_debug(self) -> bool:
        """No debugging: it would read the real clock."""
        return False

    def is_running(self) -> bool:
        """Until it is dropped."""
        return not self._closed

    def is_closed(self) -> bool:
        """Whether it was dropped."""
        return self._closed

    async def shutdown_asyncgens(self) -> None:
        """Nothing is kept of generators."""
