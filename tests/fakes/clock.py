"""A clock that moves only when told or slept on, and chance from a seed."""

import random


class FakeClock:
    """Time stands still until somebody sleeps or `advance` is called."""

    def __init__(self, start_s: float = 1_760_000_000.0) -> None:
        """Start at a wall time; the elapsed clock starts at zero."""
        self._wall_s = start_s
        self._elapsed_s = 0.0

    def now_s(self) -> float:
        """Seconds since 1970."""
        return self._wall_s

    def elapsed_s(self) -> float:
        """Seconds since the clock was made."""
        return self._elapsed_s

    def set_to(self, now_s: float) -> None:
        """Set the wall clock, as a time server does."""
        self._wall_s = now_s

    async def sleep(self, seconds: float) -> None:
        """Pass the time at once."""
        self.advance(seconds)

    def advance(self, seconds: float) -> None:
        """Let time pass."""
        self._wall_s += seconds
        self._elapsed_s += seconds


class SeededJitter:
    """The same chance for the same seed."""

    def __init__(self, seed: int = 0) -> None:
        """Start a sequence of its own."""
        self._random = random.Random(seed)

    def uniform(self, low: float, high: float) -> float:
        """A number in [low, high]."""
        return self._random.uniform(low, high)

    def token(self, bits: int) -> str:
        """Hex that this seed has not drawn before."""
        return f"{self._random.getrandbits(bits):0{bits // 4}x}"
