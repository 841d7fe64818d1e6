"""Which names of a view keep their present records, and which may be changed."""

from collections.abc import Mapping

from dnsplan.diff import NameChange
from dnsplan.names import Name
from dnsplan.records import RecordSet
from enactor.progress import Progress
from enactor.rules.drift import DRIFT_HELD, FOREIGN, Origin, origin_of
from enactor.rules.exceptions import HeldName, stays_held


def ours_to_make(
    progress: Progress, live: tuple[RecordSet, ...], changes: tuple[NameChange, ...]
) -> tuple[NameChange, ...]:
    """Leave out names whose standing records are not ours, or drifted where drift is held."""
    changed = {change.name for change in changes}
    standing: dict[Name, list[RecordSet]] = {name: [] for name in changed}
    for one in live:
        if one.name in changed:
            standing[one.name].append(one)
    going = []
    for change in changes:
        known = [plan.of(change.name) for plan in progress.known]
        origin = origin_of(standing[change.name], known)
        if origin is Origin.FOREIGN:
            progress.hold(change.name, FOREIGN)
        elif origin is Origin.CHANGED and not progress.task.repair_drift:
            progress.hold(change.name, DRIFT_HELD)
        else:
            going.append(change)
            if origin is Origin.CHANGED:
                progress.drifted.append(change.name)
    return tuple(going)


def carry_held(
    progress: Progress, held: Mapping[Name, HeldName], changes: tuple[NameChange, ...]
) -> tuple[NameChange, ...]:
    """Leave out names whose refused content the plan still states; they stay held."""
    going = []
    for change in changes:
        before = held.get(change.name)
        if before is not None and stays_held(
            before, progress.desired.of(change.name), repair_drift=progress.task.repair_drift
        ):
            progress.held[change.name] = before
        else:
            going.append(change)
    return tuple(going)
