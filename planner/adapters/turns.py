"""Turns at an even pace: so many a second, however many wait, first come, first served.

Nothing is refused and nothing is forgotten; what asks for more than there is comes later.
"""

from dnsplan.ports import Clock

# What was not used is kept for a moment only, so that a pause is not followed by a burst.
KEPT_S = 0.1


class Turns:
    """Gives out turns. Invariant: within any second no more than the rate and what was kept."""

    def __init__(self, per_s: float, clock: Clock) -> None:
        """The first turn is at once."""
        self._gap_s = 1 / per_s
        self._clock = clock
        self._free_s = clock.elapsed_s()

    async def next(self) -> None:
        """Wait for the next turn."""
        now_s = self._clock.elapsed_s()
        turn_s = max(self._free_s, now_s - KEPT_S)
        self._free_s = turn_s + self._gap_s
        if turn_s > now_s:
            await self._clock.sleep(turn_s - now_s)
