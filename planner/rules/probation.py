"""How long a target that fell sick stays out when it looks well again, and how it is loaded then.

A target that falls again soon after it came back stays out twice as long as before, so that one
that comes and goes each second is not published each second. The time counts from the fall: who was
away for longer than that waits for nothing. None of it may make a pool short; see `wishes`.
"""

from planner.rules.health import Phase, Sight, TargetHealth
from planner.rules.pools import Member, PoolUnit

# A quarter of an hour: long enough to spare the table and the resolvers, and short enough that a
# mended host is not forgotten.
PROBATION_S_MAX = 900.0

# The shares of its weight that a target gets in the first, second and last part of its slow start.
# Each step is a plan, so there are few.
SLOW_SHARES = (0.25, 0.5)


def held_until_s(fell: tuple[float, ...], first_s: float) -> float:
    """When the probation ends that these falls brought, oldest first.

    It doubles with each fall that comes before the target was up for as long as it had been held.
    """
    until_s, length_s = float("-inf"), 0.0
    for at_s in fell:
        is_soon = at_s < until_s + length_s
        length_s = min(PROBATION_S_MAX, 2 * length_s) if is_soon else first_s
        until_s = at_s + length_s
    return until_s


def is_held(unit: PoolUnit, member: Member, sight: Sight) -> bool:
    """Whether the member is on probation now."""
    return sight.now_s < held_until_s(sight.of(member).fell, unit.probation_s)


def slow_share(unit: PoolUnit, health: TargetHealth, *, now_s: float) -> float:
    """The share of its weight that slow start leaves a target that is well, else 0."""
    if health.phase is not Phase.HEALTHY:
        return 0.0
    ready_s = max(health.since_s, held_until_s(health.fell, unit.probation_s))
    part = int((now_s - ready_s) / unit.slow_start_s * (len(SLOW_SHARES) + 1))
    return (*SLOW_SHARES, 1.0)[min(max(0, part), len(SLOW_SHARES))]
