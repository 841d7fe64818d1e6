"""Hands notices to one sink, in their order, with retries bounded by count.

Each sink has a line of its own, so that one that fails or hangs stops no other. What cannot be
delivered in the end, or no longer fits into the line, is logged with its id; the page itself stands
in the log in any case.
"""

from collections import deque
from dataclasses import dataclass
from typing import assert_never

import structlog

from dnsplan.ports import Clock
from sentinel.ports import Delivered, Sink, Undelivered
from sentinel.rules.notices import Notice

# With delays of 1, 2, 4, ... s: half a minute, which outlives a restart of the receiver.
TRIES_MAX = 6
FIRST_DELAY_S = 1.0
# An incident has tens of pages, since common causes are one; what is beyond is a flood.
WAITING_MAX = 500


@dataclass(slots=True)
class _Waiting:
    notice: Notice
    tries: int = 0
    due_s: float = 0.0


class Delivery:
    """The line before one sink."""

    def __init__(self, sink: Sink, clock: Clock) -> None:
        """An empty line."""
        self._sink = sink
        self._clock = clock
        self._line: deque[_Waiting] = deque()
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
        """At the end of the line; the oldest leaves a line that is full."""
        if len(self._line) >= WAITING_MAX:
            dropped = self._line.popleft().notice
            self._log.error("notice_dropped", page=dropped.page_id, waiting_max=WAITING_MAX)
        self._line.append(_Waiting(notice))

    async def run_once(self) -> None:
        """Deliver what is due. A failed one keeps its place: later news must not overtake it."""
        while self._line and self._line[0].due_s <= self._clock.elapsed_s():
            first = self._line[0]
            outcome = await self._sink.send(first.notice)
            self._settle(first, outcome)

    async def drain(self, *, within_s: float, poll_s: float = 0.1) -> None:
        """Deliver what still waits when the process ends, and say what is left."""
        until_s = self._clock.elapsed_s() + within_s
        while self._line and self._clock.elapsed_s() < until_s:
            await self.run_once()
            if self._line:
                await self._clock.sleep(poll_s)
        for left in self._line:
            self._log.error("notice_undelivered", page=left.notice.page_id, reason="stopped")

    def _settle(self, waiting: _Waiting, outcome: Delivered | Undelivered) -> None:
        waiting.tries += 1
        facts = {"page": waiting.notice.page_id, "tries": waiting.tries}
        match outcome:
            case Delivered():
                self._leave(waiting)
                self._log.debug("notice_delivered", **facts)
            case Undelivered(reason, for_good):
                if for_good or waiting.tries >= TRIES_MAX:
                    self._leave(waiting)
                    self._log.error("notice_undelivered", reason=reason, **facts)
                    return
                waiting.due_s = self._clock.elapsed_s() + FIRST_DELAY_S * 2 ** (waiting.tries - 1)
                self._log.warning("notice_failed", reason=reason, **facts)
            case _:
                assert_never(outcome)

    def _leave(self, waiting: _Waiting) -> None:
        if self._line and self._line[0] is waiting:  # a full line may have dropped it meanwhile
            self._line.popleft()
