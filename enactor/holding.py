"""Which names of a view keep their present records, and which may be changed."""

from collections.abc import Iterable, Mapping

from dnsplan.diff import NameChange
from dnsplan.names import Name
from dnsplan.records import RecordSet
from enactor.progress import Progress
from enactor.rules.drift import DRIFT_HELD, FOREIGN, Origin, origin_of
from enactor.rules.exceptions import HeldName, stays_held

# Held by our own judgement of what stands, not for what the plan states.
_HELD_FOR_OTHERS = frozenset({FOREIGN, DRIFT_HELD})


def ours_to_make(
    progress: Progress, live: Iterable[RecordSet], changes: Iterable[NameChange]
) -> tuple[NameChange, ...]:
    """Leave out names whose standing records are not ours, or drifted where drift is held.

    PlanMissing when they may be ours and the plan that would say so cannot be read.
    """
    changes = tuple(changes)
    origins = _origins(progress, live, changes)
    going = []
    for change in changes:
        origin = origins[change.name]
        if origin is Origin.FOREIGN:
            progress.hold(change.name, FOREIGN)
        elif origin is Origin.CHANGED and not progress.task.repair_drift:
            progress.hold(change.name, DRIFT_HELD)
        else:
            going.append(change)
            if origin is Origin.CHANGED:
                progress.note_drift(change.name)
    return tuple(going)


def carry_held(
    progress: Progress,
    held: Mapping[Name, HeldName],
    listed: Iterable[RecordSet],
    changes: tuple[NameChange, ...],
) -> tuple[NameChange, ...]:
    """Leave out names whose refused content the plan still states; they stay held.

    A name where strangers' records stood is free when none of `listed`, ours or not, is at it.
    New content for a name makes nobody else's records ours: those names are judged again here,
    since their view was listed while the rest of it may be only what a plan says.
    """
    progress.held_before = held
    taken = {one.name for one in listed if one.name in held} if held else set()
    going: list[NameChange] = []
    for change in changes:
        before = held.get(change.name)
        if before is not None and _is_stuck(progress, before, is_taken=change.name in taken):
            progress.held[change.name] = before
        elif before is not None and before.reason in _HELD_FOR_OTHERS:
            going.extend(ours_to_make(progress, _standing(progress, change), (change,)))
        else:
            going.append(change)
    return tuple(going)


def _origins(
    progress: Progress, live: Iterable[RecordSet], changes: tuple[NameChange, ...]
) -> Mapping[Name, Origin]:
    standing: dict[Name, list[RecordSet]] = {change.name: [] for change in changes}
    for one in live:
        if one.name in standing:
            standing[one.name].append(one)
    return {
        name: origin_of(there, progress.stated_before(name), progress.left_at(name))
        for name, there in standing.items()
    }


def _standing(progress: Progress, change: NameChange) -> tuple[RecordSet, ...]:
    """What goes, and what stands already as the plan states it."""
    kept = [one for one in progress.desired.of(change.name) if one not in change.after]
    return (*change.before, *kept)


def _is_stuck(progress: Progress, before: HeldName, *, is_taken: bool) -> bool:
    """Whether the plan's word, what its aliases point at, and who stands there are as before."""
    if before.reason == FOREIGN and not is_taken:
        return False
    desired = progress.desired.of(before.name)
    if not stays_held(before, desired, repair_drift=progress.task.repair_drift):
        return False
    targets = {one.alias.name for one in desired if one.alias is not None}
    return all(
        plan.of(target) == progress.desired.of(target)
        for plan in progress.known
        for target in targets
    )
