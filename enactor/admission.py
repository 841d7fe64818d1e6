"""Lets few zones be worked on at a time. Who must wait is asked anew with each pass.

A cycle that waited in line with the plan of an older pass would send what is superseded by now; so
nobody keeps a place, and whoever is begun begins with what was read in the newest pass.

Requests are sent in the order in which they are asked for, so work that can wait and is begun now
would stand before a plan that comes a moment later. Of that only one is under way at a time, and
another where a request is to spare.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Coroutine, Iterable
from dataclasses import dataclass
from typing import Any, TypeAlias

Work: TypeAlias = Callable[[], Coroutine[Any, Any, None]]

# The second is for the seconds in which the first waits for an answer that was lost.
PATIENT_AT_ONCE = 2


@dataclass(frozen=True, slots=True)
class Applicant:
    """A zone that is to be worked on."""

    label: str
    work: Work
    can_wait: bool


class Admission:
    """The work that is under way, by zone, and what the newest pass would have done next."""

    def __init__(self, at_once: int, *, has_spare: Callable[[], bool]) -> None:
        """`at_once`: enough to keep the requests flowing while answers travel, and no more."""
        self._at_once, self._has_spare = at_once, has_spare
        self._under_way = self._patient = 0
        self._running: dict[str, asyncio.Task[None]] = {}
        self._waiting: deque[Applicant] = deque()

    def is_running(self, label: str) -> bool:
        """Whether work on a zone was begun and not collected yet."""
        return label in self._running

    def offer(self, applicants: Iterable[Applicant]) -> None:
        """Begin these in their order as there is room; what the pass before offered is void."""
        self._waiting = deque(applicants)
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
        put_off: list[Applicant] = []
        while self._waiting and self._under_way < self._at_once:
            one = self._waiting.popleft()
            if one.can_wait and not self._has_patient_room():
                put_off.append(one)
                continue
            self._under_way += 1
            self._patient += one.can_wait
            self._running[one.label] = asyncio.create_task(self._done(one))
        self._waiting.extendleft(reversed(put_off))

    def _has_patient_room(self) -> bool:
        if self._patient == 0:
            return True
        return self._patient < PATIENT_AT_ONCE and self._has_spare()

    async def _done(self, one: Applicant) -> None:
        try:
            await one.work()
        finally:
            self._under_way -= 1
            self._patient -= one.can_wait
        self._fill()
