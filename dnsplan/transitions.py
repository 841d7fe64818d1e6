"""Every conditional write of the generation item that there is, and when it is admitted.

Each function is one sentence of the protocol. Nothing else in the project may make a `Transition`,
but for `drains`, which moves no plan and lets nobody pass.
"""

from dnsplan.generation import (
    AbsentOr,
    AtLeast,
    AtMost,
    Condition,
    Equals,
    GenerationItem,
    IsAbsent,
    Transition,
    Value,
)
from dnsplan.plan import Generation, PlanId


def create(item: GenerationItem) -> Transition:
    """Make a zone's item where there is none."""
    fields = {name: getattr(item, name) for name in item.__struct_fields__}
    put = tuple((k, v) for k, v in fields.items() if k not in ("label", "nonce"))
    return Transition(
        name="create", label=item.label, nonce=item.nonce, conditions=(IsAbsent("label"),), put=put
    )


def publish(seen: GenerationItem, plan_id: PlanId, *, nonce: str) -> Transition:
    """Move head to a plan whose body is stored. Two planners: the second finds head moved.

    The waivers that were seen end with it; one that was offered meanwhile is not passed over.
    """
    put: list[tuple[str, Value | None]] = [
        ("head", plan_id.generation),
        ("head_digest", plan_id.digest),
    ]
    if seen.waivers is not None:
        put.append(("waivers", None))
    return Transition(
        name="publish",
        label=seen.label,
        nonce=nonce,
        conditions=(
            Equals("head", seen.head),
            Equals("incarnation", seen.incarnation),
            Equals("owner", seen.owner),
            IsAbsent("ahead"),
            _as_seen(seen),
        ),
        put=tuple(put),
    )


def waive(seen: GenerationItem, waivers: str | None, *, nonce: str) -> Transition:
    """Offer waivers to the plan after head, or end what was offered; of two operators that offer at
    once the second finds the first's."""
    return Transition(
        name="waive",
        label=seen.label,
        nonce=nonce,
        conditions=(
            Equals("head", seen.head),
            Equals("incarnation", seen.incarnation),
            Equals("owner", seen.owner),
            IsAbsent("ahead"),
            _as_seen(seen),
        ),
        put=(("waivers", waivers),),
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


def pin(
    seen: GenerationItem, plan_id: PlanId, *, vouch: str | None = None, nonce: str
) -> Transition:
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
        put=(("pin", generation), ("pin_digest", plan_id.digest), ("pin_vouch", vouch)),
    )


def unpin(seen: GenerationItem, generation: Generation, *, nonce: str) -> Transition:
    """End the pin that is named."""
    return Transition(
        name="unpin",
        label=seen.label,
        nonce=nonce,
        conditions=(Equals("incarnation", seen.incarnation), Equals("pin", generation)),
        put=(("pin", None), ("pin_digest", None), ("pin_vouch", None)),
    )


def rebind(seen: GenerationItem, *, zone_id: str, nonce: str) -> Transition:
    """Bind a label to another hosted zone, since the one before was deleted and made again.

    Only an operator can know that; until then nothing is claimed, since `claim` names the old one.
    """
    conditions: list[Condition] = [
        Equals("incarnation", seen.incarnation),
        Equals("owner", seen.owner),
        Equals("head", seen.head),
        IsAbsent("frozen"),
        IsAbsent("ahead"),
    ]
    if seen.zone_id is not None:
        conditions.append(Equals("zone_id", seen.zone_id))
    return Transition(
        name="rebind",
        label=seen.label,
        nonce=nonce,
        conditions=tuple(conditions),
        put=(("zone_id", zone_id),),
    )


def reconcile(
    seen: GenerationItem,
    plan_id: PlanId,
    *,
    incarnation: str,
    zone_id: str,
    frozen: str | None,
    nonce: str,
) -> Transition:
    """Let a zone's history go on in this table, at a plan that opened an era.

    Its body is stored and its fence stands. Head, claim and the table's id move in one write, so
    that nobody plans or claims on a part of it; `frozen` is the freeze that the fence carries.
    A pin speaks of an older plan, so it must be ended first.
    """
    was = IsAbsent("frozen") if seen.frozen is None else Equals("frozen", seen.frozen)
    generation = plan_id.generation
    return Transition(
        name="reconcile",
        label=seen.label,
        nonce=nonce,
        conditions=(
            Equals("incarnation", seen.incarnation),
            Equals("owner", seen.owner),
            Equals("head", seen.head),
            AtMost("head", generation - 1),
            AtMost("claimed", generation - 1),
            was,
            IsAbsent("pin"),
        ),
        put=(
            ("head", generation),
            ("head_digest", plan_id.digest),
            ("claimed", generation),
            ("incarnation", incarnation),
            ("zone_id", zone_id),
            ("frozen", frozen),
            ("ahead", None),
        ),
    )


def _as_seen(seen: GenerationItem) -> Condition:
    return IsAbsent("waivers") if seen.waivers is None else Equals("waivers", seen.waivers)
