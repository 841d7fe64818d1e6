"""How one pass over one zone can end, for the planner and for cleanup.

Both unions are closed; a hold or a refusal always says what to type next.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from dnsplan.plan import Generation, PlanId
from dnsplan.violation import Violation


class HoldRule(StrEnum):
    """Why a zone is left as it is, in one word for logs and metrics."""

    NO_ITEM = "no_item"
    FOREIGN_TABLE = "foreign_table"
    FOREIGN_OWNER = "foreign_owner"
    FENCE_MISSING = "fence_missing"
    FENCE_DAMAGED = "fence_damaged"
    OTHER_ZONE = "other_zone"
    AHEAD = "ahead"
    FROZEN = "frozen"
    ERA_USED_UP = "era_used_up"
    PLAN_UNUSABLE = "plan_unusable"
    UNVOUCHED = "unvouched"
    STORE_FAILED = "store_failed"
    READ_FAILED = "read_failed"
    ITEM_UNREADABLE = "item_unreadable"
    NOTHING_STATED = "nothing_stated"
    WAVE = "wave"


@dataclass(frozen=True, slots=True)
class Held:
    """Nothing was written, on purpose. `command` is what an operator types next."""

    rule: HoldRule
    text: str
    command: str


@dataclass(frozen=True, slots=True)
class Unchanged:
    """The newest plan says it all already."""

    generation: Generation


@dataclass(frozen=True, slots=True)
class Waiting:
    """There is a change and it waits: for the first probe round, for its turn this minute, or by a
    rule that an operator can look into with `command`."""

    why: str
    rule: str = ""
    command: str = ""


@dataclass(frozen=True, slots=True)
class Pending:
    """There is a change, the guardrails admit it, and this pass publishes nothing."""

    generation: Generation


@dataclass(frozen=True, slots=True)
class Published:
    """Head is this plan now."""

    plan_id: PlanId


@dataclass(frozen=True, slots=True)
class Refused:
    """A guardrail refused the plan; nothing was stored."""

    violations: tuple[Violation, ...]


@dataclass(frozen=True, slots=True)
class Overtaken:
    """Somebody else moved the item first. All was dropped; the next cycle reads anew."""

    why: str


@dataclass(frozen=True, slots=True)
class Unsettled:
    """A write got no answer. Nothing is sent again; the next cycle's read shows what came of it."""

    reason: str


PlanOutcome: TypeAlias = (
    Unchanged | Waiting | Pending | Published | Refused | Overtaken | Unsettled | Held
)


@dataclass(frozen=True, slots=True)
class Cleaned:
    """What a cleanup pass did: the floor now, plans deleted, and chunks nobody spoke of."""

    floor: Generation
    deleted: int
    swept: int


CleanOutcome: TypeAlias = Cleaned | Overtaken | Unsettled | Held
