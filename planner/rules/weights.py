"""Weights from capacities: whole numbers from 1 to 255, on a scale that health cannot move.

The scale is what the pool would carry if all of it were well, so that a target that goes or comes
changes no other target's weight: what it carried spills over to all others, in every AZ, in
proportion. No answer ever gets weight 0: in Route 53 all zero means all equal, and a drained target
is left out instead.
"""

from collections.abc import Mapping
from fractions import Fraction

from planner.rules.pools import Balance, PoolUnit, TargetKey

WEIGHT_MAX = 255
WEIGHT_MIN = 1

# A capacity that is measured is never still. What moves a weight by no more than this share of it
# is noise, and publishes nothing.
NOISE_SHARE = 0.125


def full_weights(unit: PoolUnit) -> Mapping[TargetKey, int]:
    """The weight of every member that is not drained.

    By capacity, each gets its share of the pool's. By AZ, each AZ gets as much as any other while
    all of it is well, and its targets share that by capacity; an AZ of which half is gone keeps
    half.
    """
    if unit.balance is Balance.CAPACITY:
        return {
            one.key: scaled_weight(one.capacity, capacity_max=unit.capacity_max)
            for one in unit.members
            if not one.is_drained
        }
    of_az: dict[str | None, int] = {}
    for one in unit.members:
        of_az[one.az] = of_az.get(one.az, 0) + one.capacity
    parts = {
        one.key: Fraction(one.capacity, of_az[one.az]) for one in unit.members if not one.is_drained
    }
    largest = max(parts.values(), default=Fraction(1))
    return {key: _scaled(part / largest) for key, part in parts.items()}


def _scaled(share: Fraction) -> int:
    return scaled_weight(share.numerator, capacity_max=share.denominator)


def scaled_weight(capacity: int, *, capacity_max: int) -> int:
    """The weight of one target, rounded to the nearest, at least 1."""
    if capacity_max <= 0:
        return WEIGHT_MIN
    rounded = (2 * capacity * WEIGHT_MAX + capacity_max) // (2 * capacity_max)
    return min(WEIGHT_MAX, max(WEIGHT_MIN, rounded))


def slowed(weight: int, share: float) -> int:
    """A share of a weight, at least 1."""
    return max(WEIGHT_MIN, int(weight * share))


def steadied(weight: int, before: int) -> int:
    """The weight that was, where the new one differs by no more than noise."""
    return before if abs(weight - before) <= NOISE_SHARE * max(weight, before) else weight
