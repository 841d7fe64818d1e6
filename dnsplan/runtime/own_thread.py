"""Blocking work that may never end, as on a disk that is away: in a thread of its own.

The loop's own threads are few, and whatever asks AWS needs one of them to look up an address: work
that hangs must not take them one by one. While it hangs no other is begun beside it, and it ends
with the process.
"""

import asyncio
import errno
from collections.abc import Callable
from concurrent.futures import Future
from contextvars import copy_context
from threading import Thread
from typing import Generic, TypeVar

ResultT = TypeVar("ResultT")


class OwnThread(Generic[ResultT]):
    """Invariant: one piece of work at a time."""

    def __init__(self, *, within_s: float) -> None:
        """Nothing is begun; `within_s` is for how long anybody waits for a result."""
        self._within_s = within_s
        self._running: asyncio.Future[ResultT] | None = None

    async def run(self, work: Callable[[], ResultT]) -> ResultT:
        """What the work gives or raises; TimeoutError where it, or what was begun before it, does
        not end in time; OSError where no thread can be had."""
        async with asyncio.timeout(self._within_s):
            if self._running is not None and not self._running.done():
                await asyncio.wait({self._running})
            self._running = begun(work)
            return await asyncio.shield(self._running)


def begun(work: Callable[[], ResultT]) -> asyncio.Future[ResultT]:
    """What the work will give or raise, for callers that begin no second one before it ends; a
    caller that is cancelled leaves it to itself. OSError where no thread can be had."""
    told: Future[ResultT] = Future()
    context = copy_context()
    told.set_running_or_notify_cancel()  # who waits no longer does not stop it

    def run() -> None:
        try:
            told.set_result(context.run(work))
        except Exception as error:  # noqa: BLE001 - whoever waits gets whatever it is
            told.set_exception(error)

    try:
        Thread(target=run, daemon=True).start()
    except RuntimeError as error:
        raise OSError(errno.EAGAIN, str(error)) from error
    ending = asyncio.wrap_future(told)
    # Nobody may wait any more when it fails.
    ending.add_done_callback(lambda ended: ended.cancelled() or ended.exception())
    return ending
