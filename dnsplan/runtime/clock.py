"""The real clock and real chance: the one place where they enter the project.

Everything else gets a `Clock` and a `Jitter` passed in, so that a whole day runs in a second under
the simulator and a seed repeats a run exactly.
"""

import asyncio
import random
import secrets
import time


class SystemClock:
    """The machine's time."""

    def now_s(self) -> float:
        """Seconds since 1970."""
        return time.time()

    def elapsed_s(self) -> float:
        """Seconds on a clock that never goes back."""
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        """Wait; 0 gives way once."""
        await asyncio.sleep(seconds)


class SystemJitter:
    """The machine's chance."""

    def uniform(self, low: float, high: float) -> float:
        """A number in [low, high]."""
        return random.uniform(low, high)

    def token(self, bits: int) -> str:
        """Hex from the system's cryptographic source."""
        return secrets.token_hex(bits // 8)
