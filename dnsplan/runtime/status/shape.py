"""From what was read about a zone to its part of the status object. Pure: reads nothing itself.

A name's answers are counted as the guardrails count them, so that status and never-empty cannot
disagree. Nothing is left out: a zone without an item or a plan still has its line.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

from msgspec import Struct

from dnsplan.errors import FenceDamaged
from dnsplan.fence import FenceRecord, NoFence, SeenFence, parse_fence
from dnsplan.generation import GenerationItem
from dnsplan.guardrails import answers
from dnsplan.names import Name, display
from dnsplan.plan import NO_GENERATION, Plan, PlanId, managed_units
from dnsplan.ports import Presence, ZoneSighting
from dnsplan.records import RecordSet, Unit, by_unit, unit_of
from dnsplan.runtime.status.model import (
    EnactorStatus,
    FenceStatus,
    NameStatus,
    Note,
    SeenDrift,
    Unlisted,
    Unread,
    ZoneStatus,
)
from dnsplan.shards import is_shard_of, seen_through, sharded_name

# What of ours stands at each held name; None where it is others', or was changed by them.
HeldNames: TypeAlias = Mapping[Name, tuple[RecordSet, ...] | None]


class ZoneFacts(Struct, frozen=True, kw_only=True):
    """All that was read about one zone; an Unread stands where a read failed."""

    label: str
    name: Name
    zone_id: str | None
    item: GenerationItem | Unread | None
    fence: SeenFence | NoFence | Unread
    plan: Plan | Unread | None
    presences: Sequence[Presence] | Unread
    held: HeldNames | Unread


def zone_status(facts: ZoneFacts, *, azs: Sequence[str], now_s: int) -> ZoneStatus:
    """One zone's part of the status object."""
    item = facts.item if isinstance(facts.item, GenerationItem) else None
    fence = facts.fence.record if isinstance(facts.fence, SeenFence) else None
    frozen = item.frozen if item is not None else None
    return ZoneStatus(
        label=facts.label,
        zone=facts.name,
        zone_id=facts.zone_id,
        head=None if item is None else item.head,
        applied=None if item is None else item.applied,
        last_known_good=None if item is None else item.last_known_good,
        floor=None if item is None else item.floor,
        # A freeze stands in two places; either alone holds the zone.
        frozen=frozen or (fence.frozen if fence is not None else None),
        pin=None if item is None else item.pin,
        ahead=None if item is None else item.ahead,
        fence=None if fence is None else fence_status(fence),
        names=_names(facts),
        enactors=(
            None
            if isinstance(facts.presences, Unread)
            else enactor_statuses(facts.presences, label=facts.label, azs=azs, now_s=now_s)
        ),
    )


def drift_of(facts: ZoneFacts, *, azs: Sequence[str]) -> tuple[SeenDrift, ...]:
    """What the configured AZs' signs of life say of drift in this zone."""
    return tuple(
        SeenDrift(facts.label, az, text)
        for az, sighting in _sightings(facts, azs)
        for text in sighting.drift
    )


def waits_of(facts: ZoneFacts, config: str) -> tuple[Note, ...]:
    """That a changed config is not in the zone yet: it waits for its turn in a wave."""
    turn = facts.plan.turn if isinstance(facts.plan, Plan) else None
    if not config or turn is None or turn.config == config:
        return ()
    text = f"dns.yaml was changed, and the zone waits for its turn: dns-planner plan {facts.label}"
    return (Note(facts.label, text),)


def notes_of(facts: ZoneFacts, *, azs: Sequence[str]) -> tuple[Note, ...]:
    """What the configured AZs' signs of life say of this zone besides, each text once."""
    texts = dict.fromkeys(text for _, one in _sightings(facts, azs) for text in one.notes)
    return tuple(Note(facts.label, text) for text in texts)


def _sightings(facts: ZoneFacts, azs: Sequence[str]) -> Iterator[tuple[str, ZoneSighting]]:
    """What each configured AZ's signs of life say of this zone; nothing where they are unread."""
    for sign in () if isinstance(facts.presences, Unread) else facts.presences:
        if sign.az in azs:
            yield from ((sign.az, one) for one in sign.zones if one.label == facts.label)


def unread_of(facts: ZoneFacts) -> tuple[Unread, ...]:
    """What of a zone's facts could not be read."""
    parts = (facts.item, facts.fence, facts.held, facts.plan, facts.presences)
    return tuple(part for part in parts if isinstance(part, Unread))


def unlisted_of(facts: ZoneFacts, stated: frozenset[Unit]) -> tuple[Unlisted, ...]:
    """Names and types of the applied plan that the config does not state."""
    if not isinstance(facts.plan, Plan):
        return ()
    return tuple(
        Unlisted(facts.label, display(name), kind)
        for name, kind in sorted(managed_units(facts.plan) - stated)
        if sharded_name(name) is None
    )


def applied_id(item: GenerationItem) -> PlanId | None:
    """Where the applied plan's body is kept; None when nothing was ever applied.

    The item carries a digest for head alone; an older generation's stands in the fence text that
    was written with it. FenceDamaged when that text cannot be read.
    """
    if item.applied == NO_GENERATION:
        return None
    if item.applied == item.head:
        return item.head_id
    if item.applied_fence is None:
        raise FenceDamaged(f"generation {item.applied} is applied without its fence text")
    return PlanId(item.label, item.applied, parse_fence(item.applied_fence).digest)


def fence_status(fence: FenceRecord) -> FenceStatus:
    """The fence's fields; a freeze is shown on the zone."""
    return FenceStatus(
        generation=fence.generation,
        step=fence.step,
        steps=fence.steps,
        base=fence.base,
        held=fence.held,
        owner=fence.owner,
        writer=fence.writer,
        nonce=fence.nonce,
        digest=fence.digest,
    )


def name_statuses(plan: Plan | None, held: HeldNames) -> tuple[NameStatus, ...]:
    """Every name and type of a plan with what it answers, in the plan's order; a held name answers
    what it keeps, of whatever type. Held names that keep nothing of ours come last. What stands in
    a shard is the answer of the name that leads there."""
    if plan is None:
        return ()
    ledgers = {(one.name, one.type): one for one in plan.ledger}
    stands = [one for one in plan.content if one.name not in held]
    kept = [one for name in held for one in held[name] or ()]
    found = []
    units = by_unit([*stands, *kept])
    for unit in units:
        if is_shard_of(unit, units):
            continue
        ledger = ledgers.get(unit)
        found.append(
            NameStatus(
                name=display(unit[0]),
                type=unit[1],
                answers=len(answers(seen_through(units, unit))),
                targets=None if ledger is None else ledger.targets,
                healthy=None if ledger is None else ledger.healthy,
            )
        )
    bare = {unit_of(one) for one in plan.content if one.name in held and not held[one.name]}
    for name, kind in sorted(bare):
        answered = None if held[name] is None else 0
        found.append(
            NameStatus(name=display(name), type=kind, answers=answered, targets=None, healthy=None)
        )
    return tuple(found)


def _names(facts: ZoneFacts) -> tuple[NameStatus, ...] | None:
    if isinstance(facts.plan, Unread) or isinstance(facts.held, Unread):
        return None
    return name_statuses(facts.plan, facts.held)


def enactor_statuses(
    presences: Iterable[Presence], *, label: str, azs: Sequence[str], now_s: int
) -> tuple[EnactorStatus, ...]:
    """One line for each configured AZ, seen or not, then any other AZ that looked at the zone."""
    seen = {
        presence.az: sighting
        for presence in presences
        for sighting in presence.zones
        if sighting.label == label
    }
    found = []
    for az in [*azs, *sorted(seen.keys() - set(azs))]:
        sighting = seen.get(az)
        if sighting is None:
            found.append(EnactorStatus(az=az, generation=None, age_s=None, holding=None))
            continue
        found.append(
            EnactorStatus(
                az=az,
                generation=sighting.generation,
                age_s=max(0, now_s - sighting.seen_s),
                holding=sighting.holding,
            )
        )
    return tuple(found)
