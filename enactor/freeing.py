"""Which changes of a batch take nobody's answer away, as far as other names decide that (P2).

Names that are held keep their records, and what a CNAME is to lead to may be nobody's plan: the
zone itself is asked about both, just before the batch is sent. A change that must wait is held.
"""

from collections.abc import Iterable, Mapping, Sequence

from dnsplan.diff import NameChange
from dnsplan.names import Name, is_within, upwards
from dnsplan.plan import may_end
from dnsplan.records import RecordSet, key_of
from enactor.ports import Cursor, ZoneRecords
from enactor.progress import Progress
from enactor.reading import at_names, read_names
from enactor.rules.leading import (
    Answers,
    Nowhere,
    Onward,
    around,
    leads_round,
    newly_led_to,
    step,
)
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
    zone = progress.task.zone.name
    ahead = {change: newly_led_to(change, zone) for change in group}
    if not any(ahead.values()):
        return group
    look = _Look(records, progress)
    nowhere = {
        change.name: await look.why_nowhere(change, target)
        for change, target in ahead.items()
        if target is not None
    }
    return _without(progress, group, nowhere)


class _Look:
    """What will stand at names: as the plan states it, as a held name keeps it, or as it is."""

    def __init__(self, records: ZoneRecords, progress: Progress) -> None:
        self._records, self._progress = records, progress
        self._live: dict[Name, Sequence[RecordSet]] = {}
        self._has_below: set[Name] = set()

    async def why_nowhere(self, change: NameChange, target: Name) -> str | None:
        """Follow a CNAME; why it must not be made, or None."""
        zone = self._progress.task.zone.name
        had = frozenset(one.type for one in change.before)
        way = [change.name]
        while is_within(target, zone):
            way.append(target)
            if target in way[:-1]:
                return leads_round(way).reason
            if not self._known(target):
                await self._read(around(target, zone))
                await self._look_below(target, zone)
            match step(target, had, self._known, zone, has_below=self._has_below):
                case Answers():
                    return None
                case Nowhere(reason):
                    return reason
                case Onward(target):
                    pass
        return None

    def _known(self, name: Name) -> Sequence[RecordSet]:
        kept = self._progress.standing.records.get(name)
        stated = self._progress.desired.of(name) if kept is None else kept
        return stated or self._live.get(name, ())

    async def _look_below(self, target: Name, zone: Name) -> None:
        """A name exists by what stands below it, and no wildcard answers for it then."""
        for above, _ in upwards(target, zone):
            if not self._known(above) and await self._stands_below(above):
                self._has_below.add(above)

    async def _stands_below(self, name: Name) -> bool:
        below = f".{name}"
        if any(one.name.endswith(below) for one in self._progress.plan.content):
            return True
        page = await self._records.list_page(self._progress.task.zone, Cursor(name))
        first = next((one.name for one in page.record_sets if one.name != name), name)
        return first.endswith(below)

    async def _read(self, names: Iterable[Name]) -> None:
        """What an operator retired may stand, and ends."""
        unread = frozenset(names) - self._live.keys()
        plan = self._progress.plan
        async for read in read_names(self._records, self._progress.task.zone, unread):
            stays = (one for one in read.listed if not may_end(plan, key_of(one)))
            self._live.update(at_names(stays, read.names))


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
