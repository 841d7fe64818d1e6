"""Whether a planner may open as many connections a second as its targets ask for. Pure.

Where it may not, nothing is refused: every target is asked less often than its config says, and a
dead one is found later. From some point on no two looks make a row any more, and health says
nothing at all.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass

from planner.rules.probing import Watched

SETTING = "planner.max_probes_per_s"

# Targets are asked up to a tenth sooner than each interval, and new ones at once.
SPARE = 1.25


@dataclass(frozen=True, slots=True)
class ProbeRate:
    """What is asked for and what is allowed. `rows`: targets whose looks still make a row."""

    targets: int
    wanted_per_s: float
    allowed_per_s: float
    rows: int

    @property
    def is_enough(self) -> bool:
        """Whether every target is asked as often as its config says."""
        return self.wanted_per_s <= self.allowed_per_s

    @property
    def should_be(self) -> int:
        """The least that the setting should be."""
        return math.ceil(self.wanted_per_s * SPARE)

    def __str__(self) -> str:
        """The number, the limit, what it does and what it should be."""
        later = self.wanted_per_s / self.allowed_per_s
        lost = self.targets - self.rows
        blind = f"; of {lost} of them no row of looks is whole, so they never turn" if lost else ""
        return (
            f"{self.targets} targets ask for {self.wanted_per_s:.4g} probes a second; limit:"
            f" {SETTING} {self.allowed_per_s:g}; each is asked {later:.1f} times less often than"
            f" its interval_s says{blind}; it should be {self.should_be} at least"
        )


def probe_rate(watched: Iterable[Watched], *, allowed_per_s: float) -> ProbeRate:
    """Put together what all targets ask for."""
    each = tuple(watched)
    wanted_per_s = math.fsum(1 / one.interval_s for one in each)
    later = max(1.0, wanted_per_s / allowed_per_s)
    rows = sum(later * one.interval_s <= one.hysteresis.gap_s for one in each)
    return ProbeRate(len(each), wanted_per_s, allowed_per_s, rows)
