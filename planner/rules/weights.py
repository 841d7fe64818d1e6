"""Weights from capacities: whole numbers from 1 to 255, on a scale that health cannot move.

The scale is the pool's largest configured capacity, so that a target that goes or comes changes no
other target's weight. No answer ever gets weight 0: in Route 53 all zero means all equal, and a
drained target is left out instead.
"""

WEIGHT_MAX = 255
WEIGHT_MIN = 1


def scaled_weight(capacity: int, *, capacity_max: int) -> int:
    """The weight of one target, rounded to the nearest, at least 1."""
    if capacity_max <= 0:
        return WEIGHT_MIN
    rounded = (2 * capacity * WEIGHT_MAX + capacity_max) // (2 * capacity_max)
    return min(WEIGHT_MAX, max(WEIGHT_MIN, rounded))


def slowed(weight: int, share: float) -> int:
    """A share of a weight, at least 1."""
    return max(WEIGHT_MIN, int(weight * share))
