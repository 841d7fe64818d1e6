"""Virtual time: an event loop whose clock jumps to the next timer when nobody has anything to do.

An hour passes in seconds, every run is the same, and a loop that waits for nothing is an error.
"""

import asyncio
import selectors
from collections.abc import Awaitable, Callable
from typing import TypeVar

START_S = 1_760_000_000.0

Result = TypeVar("Result")


class _JumpingSelector(selectors.SelectSelector):
    """Waits by moving the clock."""

    def __init__(self) -> None:
        super().__init__()
        self.now_s = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        """Never wait in earnest."""
        assert timeout is not None, "everybody waits, and no timer is set"
        self.now_s += max(0.0, timeout)
        return []


class VirtualLoop(asyncio.SelectorEventLoop):
    """A loop on virtual time."""

    def __init__(self) -> None:
        self._jumping = _JumpingSelector()
        super().__init__(self._jumping)

    def time(self) -> float:
        """Seconds since the loop was made."""
        return self._jumping.now_s


class VirtualClock:
    """The running loop's time as the daemons see it."""

    def now_s(self) -> float:
        """Wall time."""
        return START_S + self.elapsed_s()

    def elapsed_s(self) -> float:
        """Seconds since the loop was made."""
        return asyncio.get_running_loop().time()

    async def sleep(self, seconds: float) -> None:
        """Let virtual time pass."""
        await asyncio.sleep(seconds)


def in_virtual_time(work: Callable[[], Awaitable[Result]]) -> Result:
    """Run work to its end on a loop of its own."""

    async def run() -> Result:
        return await work()

    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        return runner.run(run())
