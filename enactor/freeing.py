"""Which changes of a batch take nobody's answer away, as far as other names decide that (P2).

Names that are held keep their records, and what a CNAME is to lead to may be nobody's plan: the
zone itself is asked about both, just before the batch is sent. A change that must wait is held.
"""

from collections.abc import Mapping, Sequence

from dnsplan.diff import NameChange
from dnsplan.names import Name
from dnsplan.records import RecordSet
from enactor.ports import ZoneRecords
from enactor.progress import Progress
from enactor.reading import at_names, read_names
from enactor.rules.leading import may_answer, unstated_target, why_nowhere
from enactor.rules.waiting import takes_away


async def free(
    records: ZoneRecords, progress: Progress, group: tuple[NameChange, ...]
) -> tuple[NameChange, ...]:
    """The changes that may be made now; the others are held."""
    group = await _leading_somewhere(records, progress, group)
    if not progress.held:
        return group
    if any(takes_away(change, progress.desired.of(change.name)) for change in group):
        await _look_at_held(records, progress)
    while True:
        waiting = {change.name: progress.why_waits(change) for change in group}
        if not any(waiting.values()):
            return group
        group = _without(progress, group, waiting)


async def _leading_somewhere(
    records: ZoneRecords, progress: Progress, group: tuple[NameChange, ...]
) -> tuple[NameChange, ...]:
    zone = progress.task.zone
    targets = {
        change: target
        for change in group
        if (target := unstated_target(change, progress.desired.of, zone.name)) is not None
    }
    if not targets:
        return group
    standing: dict[Name, Sequence[RecordSet]] = {}
    async for read in read_names(records, zone, may_answer(targets.values(), zone.name)):
        standing.update(at_names(read.listed, read.names))
    nowhere = {
        change.name: why_nowhere(change, target, standing, zone.name)
        for change, target in targets.items()
    }
    return _without(progress, group, nowhere)


def _without(
    progress: Progress, group: tuple[NameChange, ...], held: Mapping[Name, str | None]
) -> tuple[NameChange, ...]:
    """Hold the changes that have a reason to be; the rest."""
    rest: list[NameChange] = []
    for change in group:
        if (why := held.get(change.name)) is None:
            rest.append(change)
        else:
            progress.hold_ours(change, why)
    return tuple(rest)


async def _look_at_held(records: ZoneRecords, progress: Progress) -> None:
    """Nothing is taken away before it is known what the names held so far lead to."""
    unseen = progress.held.keys() - progress.standing.records.keys()
    async for read in read_names(records, progress.task.zone, unseen):
        for name, standing in at_names(read.listed, read.names).items():
            progress.keep(progress.held[name], standing)
