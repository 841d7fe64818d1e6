"""Hands notices to one sink until it takes them, for a day, at a pace that slows down.

News of one page keep their order; news of different pages wait for each other in nothing, so that a
receiver which refuses or sits on one notice delays no other beyond one send. Each sink has a line
of its own, so that one that fails or hangs stops no other. With a spool the line outlives the
process. What cannot be delivered in the end, or no longer fits into the line, is logged with its
id; the page itself stands in the log in any case.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import assert_never

import structlog

from dnsplan.notices import Notice
from dnsplan.ports import Clock
from dnsplan.runtime.paging.keeping import Keeping
from dnsplan.runtime.paging.ports import KEPT_S, Delivered, Sink, Spool, Undelivered

# Delays of 1, 2, 4, ... s, and then one a minute: a receiver that is back is told soon, and one
# that is down for hours is not hammered.
FIRST_DELAY_S = 1.0
DELAY_MAX_S = 60.0
# An incident has tens of pages, since common causes are one; what is beyond is a flood.
WAITING_MAX = 500
# A receiver, or a machine that runs a command for each, takes so many at once.
AT_ONCE_MAX = 16
SPOOL_WITHIN_S = 2.0


@dataclass(slots=True, eq=False)
class _Waiting:
    """`over_s`: until when it is tried, on the elapsed clock: one that is set must not end it."""

    number: int
    notice: Notice
    over_s: float
    tries: int = 0
    due_s: float = 0.0
    sending: bool = False


class Delivery:
    """The line before one sink."""

    def __init__(self, sink: Sink, clock: Clock, spool: Spool | None = None) -> None:
        """An empty line, until `resume`."""
        self._sink = sink
        self._clock = clock
        self._line: list[_Waiting] = []
        self._next = 0
        # What its receiver never got: refused for good, a day old, or beyond a full line.
        self.undelivered = 0
        self._tasks: set[asyncio.Task[None]] = set()
        self._keeping = None if spool is None else Keeping(spool, sink=sink.name)
        self._log = structlog.get_logger("paging").bind(sink=sink.name)

    @property
    def name(self) -> str:
        """The sink's."""
        return self._sink.name

    @property
    def is_idle(self) -> bool:
        """Whether nothing waits."""
        return not self._line

    @property
    def _is_sending(self) -> bool:
        return any(one.sending for one in self._line)

    @property
    def waiting_since_s(self) -> tuple[float, ...]:
        """When each notice that waits was made."""
        return tuple(one.notice.at_s for one in self._line)

    async def resume(self) -> None:
        """Take up what a former process could not deliver, before anything new."""
        if self._keeping is None:
            return
        loaded = await self._keeping.load()
        left = [
            _Waiting(number, notice, self._over_s(age_s=self._clock.now_s() - notice.at_s))
            for number, notice in loaded.notices
        ]
        self._line = [*left, *self._line]
        self._next = max([self._next, loaded.after, *(one.number + 1 for one in left)])
        if left:
            self._log.info("notices_taken_up", count=len(left))

    def put(self, notice: Notice) -> None:
        """At the end of the line; from a full one the oldest goes that is not being sent."""
        if len(self._line) >= WAITING_MAX:
            dropped = next(one for one in self._line if not one.sending)
            self._leave(dropped)
            self.undelivered += 1
            page_id = dropped.notice.page_id
            self._log.error("notice_dropped", page=page_id, waiting_max=WAITING_MAX)
        self._line.append(_Waiting(self._next, notice, self._over_s(age_s=0.0)))
        if self._keeping is not None:
            self._keeping.keep(self._next, notice)
        self._next += 1

    def _over_s(self, *, age_s: float) -> float:
        return self._clock.elapsed_s() + KEPT_S - max(0.0, age_s)

    async def run_once(self) -> None:
        """Start what is due and wait for nothing; what broke a former send is raised here."""
        self._start(self._due())

    def _start(self, due: Sequence[_Waiting]) -> None:
        for task in [one for one in self._tasks if one.done()]:
            self._tasks.discard(task)
            task.result()
        for waiting in due:
            waiting.sending = True
            self._tasks.add(asyncio.create_task(self._send(waiting)))
        if self._keeping is not None:
            self._keeping.start()

    async def drain(
        self, *, within_s: float, kept_within_s: float | None = None, poll_s: float = 0.1
    ) -> None:
        """Deliver what still waits when the process ends, and say what becomes of the rest.

        What stands on disk is tried once, within `kept_within_s`, and left to who comes next.
        """
        began_s = self._clock.elapsed_s()
        passed_s, kept_s = 0.0, within_s if kept_within_s is None else kept_within_s
        while self._line and passed_s < within_s:
            is_safe = self._keeping is not None and self._keeping.is_safe
            untried = [one for one in self._due() if not one.tries]
            if is_safe and (passed_s >= kept_s or not (untried or self._is_sending)):
                break
            self._start(untried if is_safe else self._due())
            await self._clock.sleep(poll_s)
            passed_s = self._clock.elapsed_s() - began_s
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if self._keeping is not None and await self._keeping.finish(within_s=SPOOL_WITHIN_S):
            if self._line:
                self._log.warning("notices_kept", count=len(self._line))
            return
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
                self._leave(waiting)
                self._log.debug("notice_delivered", **facts)
            case Undelivered(reason, for_good):
                if for_good or self._clock.elapsed_s() > waiting.over_s:
                    self._leave(waiting)
                    self.undelivered += 1
                    self._log.error("notice_undelivered", reason=reason, **facts)
                    return
                delay_s = min(DELAY_MAX_S, FIRST_DELAY_S * 2 ** min(waiting.tries - 1, 10))
                waiting.due_s = self._clock.elapsed_s() + delay_s
                self._log.warning("notice_failed", reason=reason, **facts)
            case _:
                assert_never(outcome)

    def _leave(self, waiting: _Waiting) -> None:
        self._line.remove(waiting)
        if self._keeping is not None:
            self._keeping.let_go(waiting.number)
