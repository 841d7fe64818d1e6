"""The generation item: the one DynamoDB item a zone, and every conditional write there is to it.

Claim, freeze and cleanup are serialised because they meet in one item. A write is data: the
conditions it stands under and the fields it sets. The same conditions are checked by the strict
fake, rendered for DynamoDB by the adapter, and named to the operator when one of them fails, so
that each rule stands in exactly one place: the functions below.
"""

from dataclasses import dataclass
from typing import TypeAlias

from msgspec import Struct

from dnsplan.plan import NO_GENERATION, Digest, Generation, PlanId

Value: TypeAlias = str | int


class GenerationItem(Struct, frozen=True, gc=False, kw_only=True):
    """What all daemons share about a zone.

    floor <= applied <= head and last_known_good <= applied; claimed <= head. `ahead` is the fence
    generation that was seen above head; while it stands nobody plans. `pin` and `frozen` are an
    operator's word. `incarnation` is the id of the table that it was written in.
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
    ahead: Generation | None = None

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


def create(item: GenerationItem) -> Transition:
    """Make a zone's item where there is none."""
    fields = {name: getattr(item, name) for name in item.__struct_fields__}
    put = tuple((k, v) for k, v in fields.items() if k not in ("label", "nonce"))
    return Transition(
        name="create", label=item.label, nonce=item.nonce, conditions=(IsAbsent("label"),), put=put
    )


def publish(seen: GenerationItem, plan_id: PlanId, *, nonce: str) -> Transition:
    """Move head to a plan whose body is stored. Two planners: the second finds head moved."""
    return Transition(
        name="publish",
        label=seen.label,
        nonce=nonce,
        conditions=(
            Equals("head", seen.head),
            Equals("incarnation", seen.incarnation),
            Equals("owner", seen.owner),
            IsAbsent("ahead"),
        ),
        put=(("head", plan_id.generation), ("head_digest", plan_id.digest)),
    )


def claim(seen: GenerationItem, generation: Generation, *, zone_id: str, nonce: str) -> Transition:
    """Admit a generation to the zone. It orders generations; steps are the fence's alone.

    The first claim binds the label to the zone's id, so that a zone that was deleted and made
    again under the same name is noticed.
    """
    return Transition(
        name="claim",
        label=seen.label,
        nonce=nonce,
        conditions=(
            IsAbsent("frozen"),
            Equals("incarnation", seen.incarnation),
            Equals("owner", seen.owner),
            AtMost("floor", generation),
            AtLeast("head", generation),
            AtMost("claimed", generation),
            AbsentOr(AtLeast("pin", generation)),
            AbsentOr(Equals("zone_id", zone_id)),
        ),
        put=(("claimed", generation), ("zone_id", zone_id)),
    )


def record_applied(
    seen: GenerationItem, generation: Generation, *, fence: str, good: bool, nonce: str
) -> Transition:
    """Note a generation whose own change is in sync; `good` when no name was held back."""
    conditions: list[Condition] = [
        Equals("incarnation", seen.incarnation),
        Equals("owner", seen.owner),
        AtMost("applied", generation),
        AtLeast("head", generation),
    ]
    put: list[tuple[str, Value | None]] = [("applied", generation), ("applied_fence", fence)]
    if good:
        conditions.append(AtMost("last_known_good", generation))
        put.append(("last_known_good", generation))
    return Transition(
        name="record_applied",
        label=seen.label,
        nonce=nonce,
        conditions=tuple(conditions),
        put=tuple(put),
    )


def record_ahead(seen: GenerationItem, generation: Generation, *, nonce: str) -> Transition:
    """Stop all planning: the zone's fence is above head, so this table has lost history."""
    return Transition(
        name="record_ahead",
        label=seen.label,
        nonce=nonce,
        conditions=(Equals("head", seen.head), Equals("incarnation", seen.incarnation)),
        put=(("ahead", generation),),
    )


def raise_floor(seen: GenerationItem, floor: Generation, *, keep: int, nonce: str) -> Transition:
    """Close every generation below floor for good; only then may a body below it be deleted."""
    return Transition(
        name="raise_floor",
        label=seen.label,
        nonce=nonce,
        conditions=(
            Equals("incarnation", seen.incarnation),
            Equals("owner", seen.owner),
            AtMost("floor", floor - 1),
            AtLeast("claimed", floor),
            AtLeast("applied", floor),
            AtLeast("last_known_good", floor),
            AtLeast("head", floor + keep),
            AbsentOr(AtLeast("pin", floor)),
        ),
        put=(("floor", floor),),
    )


def freeze(seen: GenerationItem, freeze_id: str, *, nonce: str) -> Transition:
    """Let no claim pass any more. A freeze that stands already keeps its id."""
    return Transition(
        name="freeze",
        label=seen.label,
        nonce=nonce,
        conditions=(
            Equals("incarnation", seen.incarnation),
            Equals("owner", seen.owner),
            IsAbsent("frozen"),
        ),
        put=(("frozen", freeze_id),),
    )


def thaw(seen: GenerationItem, freeze_id: str, *, nonce: str) -> Transition:
    """End the freeze that is named; a late duplicate finds another id and thaws nothing."""
    return Transition(
        name="thaw",
        label=seen.label,
        nonce=nonce,
        conditions=(Equals("incarnation", seen.incarnation), Equals("frozen", freeze_id)),
        put=(("frozen", None),),
    )


def pin(seen: GenerationItem, plan_id: PlanId, *, nonce: str) -> Transition:
    """Work to this plan and to none above. What is claimed or applied already cannot be undone by
    a pin: that is a rollback, which has a number of its own."""
    generation = plan_id.generation
    return Transition(
        name="pin",
        label=seen.label,
        nonce=nonce,
        conditions=(
            Equals("incarnation", seen.incarnation),
            Equals("owner", seen.owner),
            AtMost("floor", generation),
            AtLeast("head", generation),
            AtMost("claimed", generation),
            AtMost("applied", generation),
        ),
        put=(("pin", generation), ("pin_digest", plan_id.digest)),
    )


def unpin(seen: GenerationItem, generation: Generation, *, nonce: str) -> Transition:
    """End the pin that is named."""
    return Transition(
        name="unpin",
        label=seen.label,
        nonce=nonce,
        conditions=(Equals("incarnation", seen.incarnation), Equals("pin", generation)),
        put=(("pin", None), ("pin_digest", None)),
    )


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
