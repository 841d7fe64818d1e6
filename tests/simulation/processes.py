"""Pretended processes: each may stand still for an hour, die at any await, or have a wrong clock.

A killed process never runs again: what it waits for never comes, and none of its clean-up code
runs, as with SIGKILL. A paused one goes on where it stood, after its time.
"""

import asyncio
from collections.abc import Coroutine
from contextvars import Context, ContextVar, copy_context
from dataclasses import dataclass, field
from random import Random
from typing import Any

from dnsplan.plan import SCHEMA
from tests.simulation.loop import SimLoop

START_S = 1_760_000_000.0

# Whose code runs now; a task inherits it from the task that made it.
RUNNING: ContextVar["Process"] = ContextVar("running")


@dataclass(slots=True, eq=False)
class Process:
    """One process of the world. `name` stays over restarts, `life` counts them.

    `schema` is the newest form of plan that it reads, and the one that it writes.
    """

    name: str
    loop: SimLoop
    chance: Random
    life: int = 1
    alive: bool = True
    paused_until_s: float = 0.0
    skew_s: float = 0.0
    packing: str = "new"
    schema: int = SCHEMA
    tasks: list["asyncio.Task[Any]"] = field(default_factory=list)

    def start(self, work: Coroutine[Any, Any, None]) -> None:
        """Run some work in this process."""
        context: Context = copy_context()
        context.run(RUNNING.set, self)
        task = self.loop.create_task(work, name=f"{self.name}.{self.life}", context=context)
        task.add_done_callback(self._ended)
        self.tasks.append(task)

    def _ended(self, task: "asyncio.Task[Any]") -> None:
        """A process that ends by an error of its own is a defect: it is raised out of the run."""
        if not task.cancelled() and (error := task.exception()) is not None:
            raise error

    def kill(self) -> None:
        """End it between two instructions; nothing of it runs any more."""
        self.alive = False

    def pause(self, seconds: float) -> None:
        """Let it stand still for a while."""
        self.paused_until_s = max(self.paused_until_s, self.loop.time() + seconds)

    def wake(self, waiting: "asyncio.Future[Any]", answer: Any) -> None:
        """Hand over an answer: at once, after the pause, or never. An exception is raised there."""
        if not self.alive:
            return
        left_s = self.paused_until_s - self.loop.time()
        if left_s > 0:
            self.loop.call_later(left_s, self.wake, waiting, answer)
        elif not waiting.done():
            if isinstance(answer, BaseException):
                waiting.set_exception(answer)
            else:
                waiting.set_result(answer)

    async def wait(self, seconds: float) -> None:
        """Sleep as this process does."""
        waiting = self.loop.create_future()
        self.loop.call_later(seconds, self.wake, waiting, None)
        await waiting


class ProcessClock:
    """`dnsplan.ports.Clock`: one process's idea of the time."""

    def __init__(self, process: Process) -> None:
        """Wall time may be wrong by the process's skew; the elapsed clock never goes back."""
        self._process = process

    def now_s(self) -> float:
        """Wall time."""
        return START_S + self._process.loop.time() + self._process.skew_s

    def elapsed_s(self) -> float:
        """Virtual time."""
        return self._process.loop.time()

    async def sleep(self, seconds: float) -> None:
        """Let virtual time pass."""
        await self._process.wait(seconds)


class ProcessJitter:
    """`dnsplan.ports.Jitter`: chance of one process's life."""

    def __init__(self, process: Process) -> None:
        """Tokens hold the process and its life, so that no two are alike."""
        self._process = process
        self._serial = 0

    def uniform(self, low: float, high: float) -> float:
        """A number in [low, high]."""
        return self._process.chance.uniform(low, high)

    def token(self, bits: int) -> str:
        """Hex that nobody else draws."""
        return f"{self._process.chance.getrandbits(bits):0{bits // 4}x}"
