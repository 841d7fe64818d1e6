"""Lets few zones be worked on at a time. Who must wait is asked anew with each pass.

A cycle that waited in line with the plan of an older pass would send what is superseded by now; so
nobody keeps a place, and whoever is begun begins with what was read in the newest pass.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Coroutine, Iterable
from typing import Any, TypeAlias

Work: TypeAlias = Callable[[], Coroutine[Any, Any, None]]


class Admission:
    """The work that is under way, by zone, and what the newest pass would have done next."""

    def __init__(self, at_once: int) -> None:
        """`at_once`: enough to keep the requests flowing while answers travel, and no more."""
        self._at_once = at_once
        self._under_way = 0
        self._running: dict[str, asyncio.Task[None]] = {}
        self._waiting: deque[tuple[str, Work]] = deque()

    def is_running(self, label: str) -> bool:
        """Whether work on a zone was begun and not collected yet."""
        return label in self._running

    def offer(self, works: Iterable[tuple[str, Work]]) -> None:
        """Begin these in their order as there is room; what the pass before offered is void."""
        self._waiting = deque(works)
        self._fill()

    def collect(self) -> None:
        """Let go of what ended; a broken invariant in it ends the process here."""
        for label, task in list(self._running.items()):
            if task.done():
                task.result()
                del self._running[label]

    async def finish(self) -> None:
        """Wait for all that is under way and what follows it."""
        while running := [task for task in self._running.values() if not task.done()]:
            await asyncio.gather(*running)

    async def close(self, *, grace_s: float) -> None:
        """Begin nothing more, let what is under way end, then cut it off."""
        self._waiting.clear()
        running = list(self._running.values())
        if running:
            await asyncio.wait(running, timeout=grace_s)
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)

    def _fill(self) -> None:
        while self._waiting and self._under_way < self._at_once:
            label, work = self._waiting.popleft()
            self._under_way += 1
            self._running[label] = asyncio.create_task(self._done(work))

    async def _done(self, work: Work) -> None:
        try:
            await work()
        finally:
            self._under_way -= 1
        self._fill()
