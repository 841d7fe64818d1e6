"""What probes have shown of a target: unknown, healthy or unhealthy, with hysteresis.

A phase turns only after `rise` good or `fall` bad observations in a row. No observation is no
evidence: a phase never changes because time passed, and after a restart all is unknown, which means
"as in the newest plan". Nothing here takes a target out; see `selection`.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

from planner.rules.pools import Member, TargetKey

# As many as it takes to reach the longest probation, and some.
FALLS_KEPT_MAX = 8


class Phase(Enum):
    """What is believed of a target."""

    UNKNOWN = "unknown"
    HEALTHY = "healthy"
    UNHEALTHY = "unhealthy"


@dataclass(frozen=True, slots=True)
class Observation:
    """The result of one probe. `at_s` is on a clock that never goes back."""

    at_s: float
    healthy: bool
    detail: str


@dataclass(frozen=True, slots=True)
class Hysteresis:
    """How many observations in a row turn a phase, and how far apart two still are a row."""

    rise: int
    fall: int
    gap_s: float


@dataclass(frozen=True, slots=True)
class TargetHealth:
    """The phase since `since_s`, and the row of equal observations that ends with `last`.

    `fell` are the last times at which it turned unhealthy after it had looked well, oldest first;
    `was_well` is whether it ever did, so that one that flaps while it is not known yet falls too.
    """

    phase: Phase = Phase.UNKNOWN
    since_s: float = 0.0
    streak: int = 0
    last: Observation | None = None
    fell: tuple[float, ...] = ()
    was_well: bool = field(default=False, compare=False)


NEVER_SEEN = TargetHealth()


@dataclass(frozen=True, slots=True)
class Asked:
    """What is asked for a target, and after how long without a look nothing is known of it; and the
    share of healthy targets under which its pool's health is not believed; and since when it is
    asked, where that is not from the start."""

    address: str
    gap_s: float
    panic_threshold: float
    since_s: float = -math.inf


@dataclass(frozen=True, slots=True)
class Sight:
    """All that probes have shown so far. A target left out was never seen. `asked` are the targets
    that this process probes itself, `doubtful` those that are found sick by no majority but with
    vantage points whose word is doubted."""

    states: Mapping[TargetKey, TargetHealth]
    since_s: float
    now_s: float
    asked: Mapping[TargetKey, Asked] = field(default_factory=dict)
    doubtful: frozenset[TargetKey] = frozenset()

    def of(self, member: Member) -> TargetHealth:
        """What is known of a member."""
        return self.states.get(member.key, NEVER_SEEN)

    def has_looked(self, member: Member, first_look_s: float) -> bool:
        """Whether the member was seen once, or the time for a first look is over."""
        if not member.is_probed or self.of(member).last is not None:
            return True
        asked = self.asked.get(member.key)
        since_s = self.since_s if asked is None else max(self.since_s, asked.since_s)
        return self.now_s - since_s >= first_look_s


def observed(before: TargetHealth, seen: Observation, rule: Hysteresis) -> TargetHealth:
    """Count one observation in; the phase turns when the row is long enough."""
    streak = before.streak + 1 if _continues(before.last, seen, rule.gap_s) else 1
    needed = rule.rise if seen.healthy else rule.fall
    shown = Phase.HEALTHY if seen.healthy else Phase.UNHEALTHY
    was_well = before.was_well or seen.healthy
    if shown is before.phase or streak < needed:
        return TargetHealth(before.phase, before.since_s, streak, seen, before.fell, was_well)
    fell = falls(before, shown, at_s=seen.at_s)
    return TargetHealth(shown, seen.at_s, streak, seen, fell, was_well)


def falls(before: TargetHealth, phase: Phase, *, at_s: float) -> tuple[float, ...]:
    """The falls to remember when a target comes to a phase; one that was never up fell nowhere."""
    was_up = before.phase is Phase.HEALTHY or (before.phase is Phase.UNKNOWN and before.was_well)
    if not was_up or phase is not Phase.UNHEALTHY:
        return before.fell
    return (*before.fell, at_s)[-FALLS_KEPT_MAX:]


def _continues(last: Observation | None, seen: Observation, gap_s: float) -> bool:
    return last is not None and last.healthy == seen.healthy and seen.at_s - last.at_s <= gap_s
