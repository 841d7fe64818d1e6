"""Lets few zones be worked on at a time. Who must wait is asked anew with each pass.

A cycle that waited in line with the plan of an older pass would send what is superseded by now; so
nobody keeps a place, and whoever is begun begins with what was read in the newest pass.

Work that can wait and is begun now would stand before a plan that comes a moment later. So it has
half of the places only, and lets other requests pass.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Coroutine, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any, TypeAlias

from enactor.rules.urgency import Due, can_wait, in_order
from enactor.settings import Pace

Work: TypeAlias = Callable[[], Coroutine[Any, Any, None]]
Patiently: TypeAlias = Callable[[], AbstractContextManager[None]]


@dataclass(frozen=True, slots=True)
class Applicant:
    """A zone that is to be worked on."""

    label: str
    work: Work
    can_wait: bool


def in_line(due: Mapping[Due, Work], pace: Pace, *, az: str, now_s: float) -> Iterator[Applicant]:
    """Who is worked on next, the most urgent first."""
    patience_s = pace.confirm_max_s / 2
    for one in in_order(due, az=az, now_s=now_s, patience_s=patience_s):
        waits = can_wait(one, now_s=now_s, patience_s=patience_s)
        yield Applicant(one.label, due[one], waits)


class Admission:
    """The work that is under way, by zone, and what the newest pass would have done next."""

    def __init__(self, at_once: int, *, patiently: Patiently) -> None:
        """`at_once`: enough to keep the requests flowing while answers travel, and no more.

        Requests of what can wait are sent inside a `patiently`.
        """
        self._at_once, self._patiently = at_once, patiently
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
            if one.can_wait and self._patient >= max(1, self._at_once // 2):
                put_off.append(one)
                continue
            self._under_way += 1
            self._patient += one.can_wait
            self._running[one.label] = asyncio.create_task(self._done(one))
        self._waiting.extendleft(reversed(put_off))

    async def _done(self, one: Applicant) -> None:
        try:
            with self._patiently() if one.can_wait else nullcontext():
                await one.work()
        finally:
            self._under_way -= 1
            self._patient -= one.can_wait
        self._fill()
