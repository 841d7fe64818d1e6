"""The generation item, the one DynamoDB item a zone, and what a conditional write to it is.

Claim, freeze and cleanup are serialised because they meet in one item. A write is data: the
conditions it stands under and the fields it sets. The same conditions are checked by the strict
fake, rendered for DynamoDB by the adapter, and named to the operator when one of them fails, so
that each rule stands in exactly one place: `transitions`.
"""

from dataclasses import dataclass
from typing import TypeAlias

from msgspec import Struct

from dnsplan.plan import NO_GENERATION, Digest, Generation, PlanId

Value: TypeAlias = str | int

# The form of the item. One without a number is of the first; a release that gives a field another
# meaning raises it, and daemons that do not know the new form hold at their first look.
SCHEMA = 1


class GenerationItem(Struct, frozen=True, gc=False, kw_only=True):
    """What all daemons share about a zone.

    floor <= applied <= head and last_known_good <= applied; claimed <= head. `ahead` is the fence
    generation that was seen above head; while it stands nobody plans. `pin` and `frozen` are an
    operator's word, and so are `waivers`, which wait for the next plan (see `waivers`), and
    `drains`, which hold until their end (see `drains`). Who gave a word stands with it, signed
    (see `signing`): `pin_vouch` is the pin's.
    `incarnation` is the id of the table that it was written in.
    """

    label: str
    owner: str
    incarnation: str
    nonce: str
    zone_id: str | None = None
    head: Generation = NO_GENERATION
    head_digest: Digest = Digest("")
    claimed: Generation = NO_GENERATION
    applied: Generation = NO_GENERATION
    applied_fence: str | None = None
    last_known_good: Generation = NO_GENERATION
    floor: Generation = NO_GENERATION
    frozen: str | None = None
    pin: Generation | None = None
    pin_digest: Digest | None = None
    pin_vouch: str | None = None
    ahead: Generation | None = None
    waivers: str | None = None
    drains: str | None = None

    @property
    def head_id(self) -> PlanId:
        """Where the newest published plan is kept."""
        return PlanId(self.label, self.head, self.head_digest)


@dataclass(frozen=True, slots=True)
class IsAbsent:
    """The field has no value (for `label`: there is no item)."""

    field: str


@dataclass(frozen=True, slots=True)
class Equals:
    """The field has exactly this value."""

    field: str
    value: Value


@dataclass(frozen=True, slots=True)
class AtMost:
    """The field is a number no greater than this."""

    field: str
    value: int


@dataclass(frozen=True, slots=True)
class AtLeast:
    """The field is a number no smaller than this."""

    field: str
    value: int


@dataclass(frozen=True, slots=True)
class AbsentOr:
    """The field has no value, or the condition holds."""

    condition: "Equals | AtLeast | AtMost"


Condition: TypeAlias = IsAbsent | Equals | AtMost | AtLeast | AbsentOr


@dataclass(frozen=True, slots=True, kw_only=True)
class Transition:
    """One conditional write of one item. `nonce` is fresh for each attempt.

    A None in `put` removes the field.
    """

    name: str
    label: str
    nonce: str
    conditions: tuple[Condition, ...]
    put: tuple[tuple[str, Value | None], ...]


def failed(conditions: tuple[Condition, ...], item: GenerationItem | None) -> tuple[Condition, ...]:
    """The conditions that an item does not meet; none means that the write is admitted."""
    return tuple(condition for condition in conditions if not _holds(condition, item))


def _holds(condition: Condition, item: GenerationItem | None) -> bool:
    match condition:
        case IsAbsent(field):
            return item is None or getattr(item, field) is None
        case AbsentOr(inner):
            return item is not None and (getattr(item, inner.field) is None or _holds(inner, item))
        case Equals(field, value):
            return item is not None and getattr(item, field) == value
        case AtMost(field, value):
            return (
                item is not None and (there := getattr(item, field)) is not None and there <= value
            )
        case AtLeast(field, value):
            return (
                item is not None and (there := getattr(item, field)) is not None and there >= value
            )
