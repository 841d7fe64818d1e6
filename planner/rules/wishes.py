"""Whom health, capacity and panic want to answer, before velocity has its say.

Unknown means as in the newest plan. A target that was never published comes in only when proven
healthy, except where a name has no plan yet: there the first probe round decides, and if it shows
too few, all come in. This rule never decides by what it has not seen.
"""

from collections.abc import Iterable, Mapping, Sized
from dataclasses import dataclass

from planner.rules.health import Phase, Sight, TargetHealth
from planner.rules.notes import Why
from planner.rules.panic import is_panic
from planner.rules.pools import Member, PoolUnit, TargetKey
from planner.rules.probation import is_held

_SOUND = frozenset({Why.HEALTHY, Why.NOT_PROBED, Why.AS_BEFORE, Why.FIRST_LOOK})
_INSIDE = _SOUND | {Why.PANIC, Why.DOUBTED, Why.FLOOR, Why.DRAIN_IGNORED}


@dataclass(frozen=True, slots=True)
class Wishes:
    """The answers wanted, the reason for every member's place, and how many count as healthy."""

    answers: frozenset[str]
    reasons: Mapping[TargetKey, Why]
    healthy: int
    is_panic: bool


def wishes(unit: PoolUnit, answering: frozenset[str], sight: Sight) -> Wishes:
    """Judge every member alone, then the pool as a whole, then the floor."""
    judge = _judged if answering else _judged_at_first_look
    reasons = {
        member.key: judge(member, sight.of(member), is_in=member.answer in answering)
        for member in unit.members
    }
    sick = (one for one in unit.members if reasons[one.key] is Why.UNHEALTHY)
    doubted = [one.key for one in sick if one.key in sight.doubtful and one.answer in answering]
    reasons.update(dict.fromkeys(doubted, Why.DOUBTED))
    # Another planner may know already that it is gone: who is absent stays, and does not come.
    gone = {one.key for one in unit.members if answering and _is_leaving(one, answering)}
    reasons.update(dict.fromkeys(gone, Why.MISSING))
    counted = [one for one in unit.members if not one.is_drained and one.key not in gone]
    sound = [member for member in counted if reasons[member.key] in _SOUND]
    steady = [member for member in sound if not _is_suspect(sight.of(member))]
    panic = _is_short(unit, steady, counted)
    if answering:
        coming = (one for one in sound if one.answer not in answering)
        held = {one.key for one in coming if is_held(unit, one, sight)}
        # A pool that would be short without them waits for nobody.
        if not _is_short(unit, [one for one in steady if one.key not in held], counted):
            reasons.update(dict.fromkeys(held, Why.PROBATION))
    if panic:
        is_bare = answering <= {one.answer for one in unit.members}
        reasons.update(_in_panic(counted, reasons, answering, is_bare=is_bare))
    inside = _answers(unit, reasons)
    missing = min(unit.limit.min_targets, len(unit.members)) - len(inside | answering)
    if missing > 0:
        spare = [member for member in unit.members if member.answer not in answering]
        reasons.update(_raised_to_floor(unit, spare, reasons, sight, missing=missing))
        inside = _answers(unit, reasons)
    return Wishes(inside, reasons, len(sound), panic)


def _is_leaving(member: Member, answering: frozenset[str]) -> bool:
    return member.is_absent and member.answer not in answering


def _is_short(unit: PoolUnit, steady: Sized, counted: Sized) -> bool:
    return is_panic(healthy=len(steady), counted=len(counted), threshold=unit.panic_threshold)


def _answers(unit: PoolUnit, reasons: Mapping[TargetKey, Why]) -> frozenset[str]:
    return frozenset(one.answer for one in unit.members if reasons[one.key] in _INSIDE)


def _is_suspect(health: TargetHealth) -> bool:
    """The newest look was bad. For the pool as a whole this counts as not healthy at once: when
    this machine loses its network all rows of bad looks begin together, and the first to become
    complete must not take its target out."""
    return health.last is not None and not health.last.healthy


def _judged(member: Member, health: TargetHealth, *, is_in: bool) -> Why:
    if member.is_drained:
        return Why.DRAINED
    if not member.is_probed:
        return Why.NOT_PROBED
    match health.phase:
        case Phase.HEALTHY:
            return Why.HEALTHY
        case Phase.UNHEALTHY:
            # One good look does not make it healthy, and a pool that comes back must not lose
            # those that are a look behind the others.
            return Why.AS_BEFORE if is_in and _seen_well(health) else Why.UNHEALTHY
        case Phase.UNKNOWN:
            return Why.AS_BEFORE if is_in else Why.UNPROVEN


def _judged_at_first_look(member: Member, health: TargetHealth, *, is_in: bool) -> Why:
    """One good probe is enough where nothing answers yet; a bad one is no proof of death."""
    why = _judged(member, health, is_in=is_in)
    return Why.FIRST_LOOK if why is Why.UNPROVEN and _seen_well(health) else why


def _seen_well(health: TargetHealth) -> bool:
    """Whether the newest look was good."""
    return health.last is not None and health.last.healthy


def _in_panic(
    counted: Iterable[Member],
    reasons: Mapping[TargetKey, Why],
    answering: frozenset[str],
    *,
    is_bare: bool,
) -> dict[TargetKey, Why]:
    """Nobody goes for health; who is proven healthy still comes. Where none is left, all come.

    `is_bare`: nothing answers that has left the pool. It stays meanwhile, and is better than those
    that were never seen well.
    """
    sound = [member for member in counted if reasons[member.key] in _SOUND]
    doubted = [member for member in counted if reasons[member.key] not in _SOUND]
    staying = [member for member in doubted if member.answer in answering]
    nobody_else = is_bare and not sound and not staying
    chosen = doubted if not answering or nobody_else else staying
    return {one.key: Why.PANIC for one in chosen}


def _raised_to_floor(
    unit: PoolUnit,
    spare: Iterable[Member],
    reasons: Mapping[TargetKey, Why],
    sight: Sight,
    *,
    missing: int,
) -> dict[TargetKey, Why]:
    """Bring in as many as the floor lacks: on probation, unproven, sick, absent, drained.

    Whoever was never looked at waits for the first look. `spare` are those that do not answer:
    the others count already, since velocity never lets them go below the floor.
    """
    order = (Why.PROBATION, Why.UNPROVEN, Why.UNHEALTHY, Why.MISSING, Why.DRAINED)

    def rank(member: Member) -> tuple[int, float, str]:
        return (order.index(reasons[member.key]), -sight.of(member).since_s, member.target_id)

    fit = [
        member
        for member in spare
        if reasons[member.key] in order and sight.has_looked(member, unit.first_look_s)
    ]
    return {
        member.key: Why.DRAIN_IGNORED if member.is_drained else Why.FLOOR
        for member in sorted(fit, key=rank)[:missing]
    }
