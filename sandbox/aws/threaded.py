"""Run a stand-in on a loop of its own in a background thread, for clients that block.

Its state belongs to that loop: `call` runs a function there and brings back what it returns.
"""

import asyncio
import threading
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from sandbox.aws.server import StandIn, serve
from sandbox.aws.settings import Chance, StandInSettings

Result = TypeVar("Result")
ANSWER_WITHIN_S = 60.0


class ThreadedStandIn:
    """A stand-in in another thread, and how to reach into it."""

    def __init__(self, stand_in: StandIn, loop: asyncio.AbstractEventLoop) -> None:
        self._stand_in = stand_in
        self._loop = loop
        self.endpoint_url = stand_in.endpoint_url

    def call(self, action: Callable[[StandIn], Result]) -> Result:
        """Do something to the stand-in, on its own loop."""

        async def act() -> Result:
            return action(self._stand_in)

        return self.run(act())

    def run(self, action: Coroutine[Any, Any, Result]) -> Result:
        """Await something on the stand-in's loop, for instance `go_away()`."""
        return asyncio.run_coroutine_threadsafe(action, self._loop).result(ANSWER_WITHIN_S)


@contextmanager
def serve_in_thread(
    *, settings: StandInSettings | None = None, chance: Chance | None = None
) -> Iterator[ThreadedStandIn]:
    """Run a stand-in in a background thread for as long as the block lasts."""
    ready: list[ThreadedStandIn] = []
    failed: list[BaseException] = []
    started, stop = threading.Event(), threading.Event()

    async def main() -> None:
        async with serve(settings=settings, chance=chance) as stand_in:
            ready.append(ThreadedStandIn(stand_in, asyncio.get_running_loop()))
            started.set()
            await asyncio.to_thread(stop.wait)

    def run() -> None:
        try:
            asyncio.run(main())
        except BaseException as broken:  # noqa: BLE001 - handed to the thread that waits
            failed.append(broken)
        finally:
            started.set()

    thread = threading.Thread(target=run, name="aws-stand-in")
    thread.start()
    try:
        started.wait()
        if failed:
            raise failed[0]
        yield ready[0]
    finally:
        stop.set()
        thread.join()
