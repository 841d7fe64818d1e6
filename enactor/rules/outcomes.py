"""How one cycle of one zone can end. The union is closed; a hold always says what to do next."""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeAlias

from dnsplan.plan import Generation


class HoldRule(StrEnum):
    """Why a zone is left as it is, in one word for logs and metrics."""

    NO_PLAN = "no_plan"
    FROZEN = "frozen"
    FOREIGN_TABLE = "foreign_table"
    FOREIGN_OWNER = "foreign_owner"
    OTHER_ZONE = "other_zone"
    AHEAD = "ahead"
    BEYOND_PIN = "beyond_pin"
    FENCE_DAMAGED = "fence_damaged"
    FENCE_MISSING = "fence_missing"
    PLAN_UNUSABLE = "plan_unusable"
    UNVOUCHED = "unvouched"
    GUARDRAIL = "guardrail"
    ZONE_FULL = "zone_full"
    CLAIM_REFUSED = "claim_refused"
    REFUSED = "refused"
    DENIED = "denied"
    DRIFT = "drift"
    READ_FAILED = "read_failed"
    ITEM_UNREADABLE = "item_unreadable"
    OBSERVING = "observing"


@dataclass(frozen=True, slots=True)
class Held:
    """Nothing was sent, on purpose. `command` is what an operator types next."""

    rule: HoldRule
    text: str
    command: str


@dataclass(frozen=True, slots=True)
class InSync:
    """The zone holds the plan, as far as the last fence check knows, but for so many held names.

    `notes` say which and why, for people.
    """

    generation: Generation
    held: int = 0
    notes: tuple[str, ...] = field(default=(), compare=False)


@dataclass(frozen=True, slots=True)
class Waiting:
    """There is work, and another enactor is the one to do it now."""

    generation: Generation


@dataclass(frozen=True, slots=True)
class Applied:
    """Route 53 accepted every batch of the plan. `confirmed` when its change is on all servers.

    `notes` say which names were held back or had drifted, and why; they are for people.
    """

    generation: Generation
    batches: int
    held: int
    confirmed: bool
    notes: tuple[str, ...] = field(default=(), compare=False)


@dataclass(frozen=True, slots=True)
class Fenced:
    """Another writer moved the zone first; everything was dropped."""

    expected: str
    found: str


@dataclass(frozen=True, slots=True)
class Unknown:
    """A write got no answer and is not seen in the zone yet; the next cycle reads again."""

    reason: str


Outcome: TypeAlias = InSync | Waiting | Applied | Fenced | Held | Unknown
