"""Tells those who watch a page what has changed, once a second at most, as server-sent events.

The state is made once for all who watch, and not at all while nobody does. A state that cannot be
made is logged and told as an event of its own; the daemon goes on.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress

import structlog

from dnsplan.ports import Clock

PULSE_S = 1.0
# A browser gives up no stream by itself; a page that hears no beat for a while says so.
BEAT_EVERY_S = 5.0

FAILED = b"event: failed\ndata: this page could not be made; the daemon's log says why\n\n"


class Pulse:
    """One process's stream of states. It turns only while somebody watches."""

    def __init__(self, look: Callable[[], bytes], clock: Clock) -> None:
        """`look` makes a state: one line of JSON."""
        self._look = look
        self._clock = clock
        self._watchers: set[asyncio.Event] = set()
        self._turning: asyncio.Task[None] | None = None
        self._message = b""
        self._stopped = False
        self._log = structlog.get_logger("page")

    @asynccontextmanager
    async def watching(self) -> AsyncIterator[AsyncIterator[bytes]]:
        """Messages for one who watches: the present state first."""
        news = asyncio.Event()
        self._watchers.add(news)
        if self._turning is None:
            self._turning = asyncio.create_task(self._turn(), name="pulse")
        try:
            yield self._messages(news)
        finally:
            self._watchers.discard(news)
            if not self._watchers:
                await self._rest()

    def stop(self) -> None:
        """End every stream, so that a daemon which is told to stop is not kept."""
        self._stopped = True
        for news in self._watchers:
            news.set()

    async def _messages(self, news: asyncio.Event) -> AsyncIterator[bytes]:
        """A beat says what time it is here, since ages count by this clock."""
        told = b""
        while not self._stopped:
            yield b"event: beat\ndata: %.1f\n\n" % self._clock.now_s()
            if self._message and self._message is not told:
                told = self._message
                yield told
            with suppress(TimeoutError):
                await asyncio.wait_for(news.wait(), BEAT_EVERY_S)
            news.clear()

    async def _turn(self) -> None:
        while True:
            message = self._made()
            if message != self._message:
                self._message = message
                for news in self._watchers:
                    news.set()
            await self._clock.sleep(PULSE_S)

    def _made(self) -> bytes:
        try:
            return b"data: " + self._look() + b"\n\n"
        except Exception:  # noqa: BLE001 - a page that cannot be made must not end a daemon
            if self._message != FAILED:
                self._log.exception("page_not_made")
            return FAILED

    async def _rest(self) -> None:
        turning, self._turning, self._message = self._turning, None, b""
        if turning is not None:
            turning.cancel()
            await asyncio.gather(turning, return_exceptions=True)
