"""Which names of a view keep their present records, and which may be changed."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from dnsplan.diff import NameChange, diff
from dnsplan.names import Name
from dnsplan.records import RecordSet
from enactor.ports import ZoneReach
from enactor.progress import Progress
from enactor.reading import at_names, read_in_time
from enactor.rules.drift import DRIFT_HELD, FOREIGN, Origin, origin_of
from enactor.rules.exceptions import HeldName, stays_held
from enactor.rules.leading import NOWHERE
from enactor.rules.view import restricted
from enactor.rules.waiting import WAITS
from enactor.settings import Pace


@dataclass(frozen=True, slots=True)
class Seen:
    """What stands that is ours, and what of it must and may be changed, until it is too old.

    `names` are those that were read for it by name. `expires_s` is on the elapsed clock.
    """

    names: frozenset[Name]
    live: tuple[RecordSet, ...]
    changes: tuple[NameChange, ...]
    expires_s: float | None = None


def ours_to_make(
    progress: Progress,
    held: Mapping[Name, HeldName],
    listed: Iterable[RecordSet],
    changes: tuple[NameChange, ...],
) -> tuple[NameChange, ...]:
    """Leave out names whose refused content the plan still states, which stay held, and those whose
    standing records are not ours, or drifted where drift is held.

    A name where strangers' records stood is free when none of `listed`, ours or not, is at it.
    So is one that would lead to a name which comes now: it may have been refused for want of it.
    New content for a name makes nobody else's records ours, so a held name is judged again as all
    others are. PlanMissing when records may be ours and the plan that would say so cannot be read.
    """
    progress.held_before = held
    standing = at_names(listed, held.keys()) if held else {}
    coming = frozenset(one.name for one in changes if not one.before and not one.kept)
    going: list[NameChange] = []
    for change in changes:
        before = held.get(change.name)
        if before is not None and _is_stuck(progress, before, standing, coming):
            progress.keep(before, standing[before.name])
        elif _is_ours(progress, change):
            going.append(change)
    return tuple(going)


def _is_ours(progress: Progress, change: NameChange) -> bool:
    name, there = change.name, progress.standing_at(change)
    origin = origin_of(there, progress.stated_before(name), progress.left_at(name))
    if origin is Origin.FOREIGN:
        progress.hold(name, FOREIGN, there)
        return False
    if origin is Origin.CHANGED and not progress.task.repair_drift:
        progress.hold(name, DRIFT_HELD, there)
        return False
    if origin is Origin.CHANGED:
        progress.note_drift(name)
    return True


async def look_again(
    outside: ZoneReach,
    pace: Pace,
    progress: Progress,
    names: Iterable[Name],
    held_before: Mapping[Name, HeldName],
) -> Seen:
    """Read names again, as many as can be while a view is fresh, and judge them as in a listing."""
    began_s = outside.clock.elapsed_s()
    read = await read_in_time(
        outside.records,
        progress.task.zone,
        names,
        clock=outside.clock,
        within_s=pace.view_max_s / 3,
    )
    units, plan = progress.units_with(held_before.values()), progress.plan
    live = restricted(read.listed, units, plan)
    wanted = [one for name in read.names for one in progress.desired.of(name)]
    changes = ours_to_make(progress, held_before, read.listed, diff(live, wanted))
    return Seen(frozenset(read.names), live, changes, began_s + pace.view_max_s)


def _is_stuck(
    progress: Progress,
    before: HeldName,
    standing: Mapping[Name, Collection[RecordSet]],
    coming: frozenset[Name],
) -> bool:
    """Whether the plan's word, what its aliases point at, and who stands there are as before.

    A name that waits with others, or for what it is to lead to, never is: whether it still does is
    found out on the way. Nor is one whose target is among the names that are `coming`.
    """
    if before.reason.startswith((WAITS, NOWHERE)):
        return False
    if before.targets(progress.task.zone.name) & coming:
        return False
    if before.reason == FOREIGN and not standing[before.name]:
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
