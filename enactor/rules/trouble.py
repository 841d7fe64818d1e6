"""Since when a zone has not been as it should be, as one enactor saw it: pages are written from it.

Pure. A hold, and a fence that somebody else moved, are known from this enactor's own cycles: they
end when a cycle ends well, when the plan is applied by whomever, or when they were not seen again
for so long that they say nothing any more. How long a plan waits is known from the table alone.
"""

from dataclasses import dataclass, replace

from dnsplan.errors import FenceDamaged
from dnsplan.fence import parse_fence
from dnsplan.generation import GenerationItem
from dnsplan.plan import Generation
from enactor.rules.outcomes import Applied, Fenced, Held, InSync, Outcome, Unknown, Waiting

# Another AZ may have taken the zone over since: its word counts then, and not an old one of ours.
STALE_S = 1_800.0
# A fence that is lost now and then is two AZs at once, and how it should be.
FENCED_WINDOW_S = 300.0
FENCED_MAX = 5
# Plans waiting to be applied: beyond these the oldest ones say enough.
PENDING_MAX = 64
# Drift that is mended at once is told all the same: somebody writes beside the fence.
DRIFT_SHOWN_S = 30.0


@dataclass(frozen=True, slots=True)
class Hold:
    """What holds, since when, and when it was seen last. Instants are on the elapsed clock."""

    held: Held
    since_s: float
    seen_s: float


@dataclass(frozen=True, slots=True)
class Trouble:
    """One zone. `pending`: plans newer than the applied one, and when each was first seen.

    `names_held`: how many names do not hold what the applied plan states, as its fence counts them,
    and since when there are any; `notes` say which, where a cycle of ours told. `drift_s`: when
    drift was seen last.
    """

    item: GenerationItem | None = None
    pending: tuple[tuple[Generation, float], ...] = ()
    hold: Hold | None = None
    fenced_s: tuple[float, ...] = ()
    names_held: int = 0
    names_held_s: float = 0.0
    notes: tuple[str, ...] = ()
    drift: tuple[str, ...] = ()
    drift_s: float = 0.0


def looked(trouble: Trouble, item: GenerationItem, target: Generation, *, now_s: float) -> Trouble:
    """The table says so."""
    pending = tuple(one for one in trouble.pending if one[0] > item.applied)
    is_new = target > max([item.applied, *(generation for generation, _ in pending)])
    if item.frozen is not None or target <= item.applied:
        pending = ()
    elif is_new and len(pending) < PENDING_MAX:
        pending = (*pending, (target, now_s))
    before = trouble.item
    moved = before is not None and before.applied != item.applied
    names_held = _held_names(item)
    return replace(
        trouble,
        item=item,
        pending=pending,
        hold=None if moved else trouble.hold,
        names_held=names_held,
        names_held_s=trouble.names_held_s if trouble.names_held and names_held else now_s,
    )


def cycled(trouble: Trouble, outcome: Outcome, *, now_s: float) -> Trouble:
    """A cycle of ours ended so. Waiting says nothing of a zone, and a lost race does not end a
    hold."""
    match outcome:
        case Held():
            since_s = now_s if trouble.hold is None else trouble.hold.since_s
            return replace(trouble, hold=Hold(outcome, since_s, now_s))
        case InSync() | Applied():
            return replace(_freed(trouble, now_s), notes=outcome.notes)
        case Fenced():
            recent = tuple(at_s for at_s in trouble.fenced_s if now_s - at_s <= FENCED_WINDOW_S)
            return replace(trouble, fenced_s=(*recent, now_s)[-FENCED_MAX:])
        case Waiting() | Unknown():
            return trouble


def _held_names(item: GenerationItem) -> int:
    if item.applied_fence is None:
        return 0
    try:
        return parse_fence(item.applied_fence).held
    except FenceDamaged:
        return 0


def _freed(trouble: Trouble, now_s: float) -> Trouble:
    """A plan that a hold kept waiting has its time from the hold's end on."""
    if trouble.hold is None:
        return trouble
    pending = tuple((generation, now_s) for generation, _ in trouble.pending)
    return replace(trouble, hold=None, pending=pending)


def drifted(trouble: Trouble, drift: tuple[str, ...], *, now_s: float) -> Trouble:
    """A cycle found this much, or none; what it mended stays in sight for a while."""
    if drift:
        return replace(trouble, drift=drift, drift_s=now_s)
    is_shown = now_s - trouble.drift_s <= DRIFT_SHOWN_S
    return trouble if is_shown else replace(trouble, drift=())


def standing_drift(trouble: Trouble, *, now_s: float) -> tuple[str, ...]:
    """What others changed, unless that was not seen for so long that it says nothing."""
    return trouble.drift if now_s - trouble.drift_s <= STALE_S else ()


def standing_hold(trouble: Trouble, *, now_s: float) -> Hold | None:
    """The hold, unless it was not seen for so long that it says nothing."""
    hold = trouble.hold
    return None if hold is None or now_s - hold.seen_s > STALE_S else hold


def is_fenced_out(trouble: Trouble, *, now_s: float) -> bool:
    """Whether somebody else moved the fence again and again."""
    recent = [at_s for at_s in trouble.fenced_s if now_s - at_s <= FENCED_WINDOW_S]
    return len(recent) >= FENCED_MAX


def quietly_held_s(trouble: Trouble, *, now_s: float) -> float:
    """For how long names are held back that no drift explains."""
    if not trouble.names_held:
        return 0.0
    return now_s - max(trouble.names_held_s, trouble.drift_s)


def lag_s(trouble: Trouble, *, now_s: float) -> float:
    """For how long the oldest plan waits that is newer than the applied one."""
    return now_s - trouble.pending[0][1] if trouble.pending else 0.0
