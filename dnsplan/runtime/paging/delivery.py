"""Hands notices to one sink, with retries bounded by count.

News of one page keep their order; news of different pages wait for each other in nothing, so that a
receiver which refuses or sits on one notice delays no other beyond one send. Each sink has a line
of its own, so that one that fails or hangs stops no other. What cannot be delivered in the end, or
no longer fits into the line, is logged with its id; the page itself stands in the log in any case.
"""

import asyncio
from dataclasses import dataclass
from typing import assert_never

import structlog

from dnsplan.notices import Notice
from dnsplan.ports import Clock
from dnsplan.runtime.paging.ports import Delivered, Sink, Undelivered

# With delays of 1, 2, 4, ... s: half a minute, which outlives a restart of the receiver.
TRIES_MAX = 6
FIRST_DELAY_S = 1.0
# An incident has tens of pages, since common causes are one; what is beyond is a flood.
WAITING_MAX = 500
# A receiver, or a machine that runs a command for each, takes so many at once.
AT_ONCE_MAX = 16


@dataclass(slots=True, eq=False)
class _Waiting:
    notice: Notice
    tries: int = 0
    due_s: float = 0.0
    sending: bool = False


class Delivery:
    """The line before one sink."""

    def __init__(self, sink: Sink, clock: Clock) -> None:
        """An empty line."""
        self._sink = sink
        self._clock = clock
        self._line: list[_Waiting] = []
        self._tasks: set[asyncio.Task[None]] = set()
        self._log = structlog.get_logger("sentinel").bind(sink=sink.name)

    @property
    def name(self) -> str:
        """The sink's."""
        return self._sink.name

    @property
    def is_idle(self) -> bool:
        """Whether nothing waits."""
        return not self._line

    def put(self, notice: Notice) -> None:
        """At the end of the line; from a full one the oldest goes that is not being sent."""
        if len(self._line) >= WAITING_MAX:
            dropped = next(one for one in self._line if not one.sending)
            self._line.remove(dropped)
            page_id = dropped.notice.page_id
            self._log.error("notice_dropped", page=page_id, waiting_max=WAITING_MAX)
        self._line.append(_Waiting(notice))

    async def run_once(self) -> None:
        """Start what is due and wait for nothing; what broke a former send is raised here."""
        for task in [one for one in self._tasks if one.done()]:
            self._tasks.discard(task)
            task.result()
        for waiting in self._due():
            waiting.sending = True
            self._tasks.add(asyncio.create_task(self._send(waiting)))

    async def drain(self, *, within_s: float, poll_s: float = 0.1) -> None:
        """Deliver what still waits when the process ends, and say what is left."""
        until_s = self._clock.elapsed_s() + within_s
        while self._line and self._clock.elapsed_s() < until_s:
            await self.run_once()
            await self._clock.sleep(poll_s)
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for left in self._line:
            self._log.error("notice_undelivered", page=left.notice.page_id, reason="stopped")

    def _due(self) -> list[_Waiting]:
        """The first news of each page, if it is time for it; those never tried before come first.

        A failed one keeps its place before later news of its page, which must not overtake it.
        """
        now_s = self._clock.elapsed_s()
        first: dict[str, _Waiting] = {}
        for one in self._line:
            first.setdefault(one.notice.page_id, one)
        ready = [one for one in first.values() if not one.sending and one.due_s <= now_s]
        ready.sort(key=lambda one: one.tries)
        return ready[: AT_ONCE_MAX - sum(one.sending for one in self._line)]

    async def _send(self, waiting: _Waiting) -> None:
        try:
            outcome = await self._sink.send(waiting.notice)
        finally:
            waiting.sending = False
        self._settle(waiting, outcome)

    def _settle(self, waiting: _Waiting, outcome: Delivered | Undelivered) -> None:
        waiting.tries += 1
        facts = {"page": waiting.notice.page_id, "tries": waiting.tries}
        match outcome:
            case Delivered():
                self._line.remove(waiting)
                self._log.debug("notice_delivered", **facts)
            case Undelivered(reason, for_good):
                if for_good or waiting.tries >= TRIES_MAX:
                    self._line.remove(waiting)
                    self._log.error("notice_undelivered", reason=reason, **facts)
                    return
                waiting.due_s = self._clock.elapsed_s() + FIRST_DELAY_S * 2 ** (waiting.tries - 1)
                self._log.warning("notice_failed", reason=reason, **facts)
            case _:
                assert_never(outcome)
