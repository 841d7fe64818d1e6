"""What the rules report beside their decision: each target's place and the reason for it.

Notes are for people, logs and tests. Nothing decides by them.
"""

from dataclasses import dataclass
from enum import Enum

from dnsplan.records import Unit
from planner.rules.health import TargetHealth


class Place(Enum):
    """Where a target stands in the candidate."""

    ANSWERS = "answers"
    WITHHELD = "withheld"
    OUT = "out"


class Why(Enum):
    """The reason for a target's place, in words for an operator."""

    HEALTHY = "healthy"
    NOT_PROBED = "no health check"
    UNHEALTHY = "unhealthy"
    AS_BEFORE = "not known yet: stays as in the newest plan"
    UNPROVEN = "not yet proven healthy"
    DRAINED = "drained"
    DRAIN_IGNORED = "drained, but nothing else could answer"
    REMOVED = "no longer in the pool"
    SPARED = "no longer in the pool: stays while too few of it look healthy"
    MISSING = "not named by its source: stays until that is confirmed"
    PANIC = "health is ignored: too few of the pool look healthy"
    DOUBTED = "found unhealthy from where too few of its pool look healthy: no majority without"
    FIRST_LOOK = "seen healthy in the first probe round"
    FLOOR = "needed for min_targets"
    CROWDED = "waits until those that leave the pool make room at the name"
    PROBATION = "looks well, and stays out a while: it fell sick a short time ago"


@dataclass(frozen=True, slots=True)
class TargetNote:
    """One target; `target_id` is None for an answer that left the pool."""

    target_id: str | None
    answer: str
    place: Place
    why: Why
    health: TargetHealth | None


class Fate(Enum):
    """What happened to one name and type of the zone, where it is worth a word."""

    DRIVEN = "driven by its pool"
    FIRST_LOOK = "waits for its first probe round"
    FIRST_READ = "waits for the first whole read of its sources"
    NO_TARGETS = "not published yet: its sources name no target"
    DRAINED = "not published yet: all its targets are drained"
    SET_ASIDE = "drained by an operator"
    UNLISTED = "no longer in the config; carried forward unchanged; to end it"
    SWITCHED = "gives way to another type that the config states now"
    RETIRED = "ends: an operator retired it"
    SHARD_ENDS = "ends: nothing leads to this shard any more"
    UNKNOWN_TYPE = "goes out as stated: no type that this release knows, so nothing was checked"
    UNSTATED_TARGET = "leads to what the plan does not state: it must stand in the zone already"
    MALFORMED = "stays as in the newest plan: what the config asks for cannot be published"


# What stays so until somebody acts, by its key in the log.
LASTING = {
    Fate.FIRST_LOOK: "first_look",
    Fate.FIRST_READ: "first_read",
    Fate.NO_TARGETS: "no_targets",
    Fate.DRAINED: "all_drained",
    Fate.SET_ASIDE: "set_aside",
    Fate.UNLISTED: "unlisted",
    Fate.UNKNOWN_TYPE: "unknown_type",
    Fate.UNSTATED_TARGET: "unstated_target",
    Fate.MALFORMED: "malformed",
}


@dataclass(frozen=True, slots=True)
class UnitNote:
    """One name and type, with its targets if a pool drives it."""

    unit: Unit
    fate: Fate
    detail: str = ""
    targets: tuple[TargetNote, ...] = ()
    is_panic: bool = False

    @property
    def withheld(self) -> tuple[TargetNote, ...]:
        """Targets that should be taken out and still answer."""
        return tuple(note for note in self.targets if note.place is Place.WITHHELD)
