"""Which names must change before which, when not all of them fit one batch.

An alias comes after its target, or Route 53 refuses it; so does a CNAME, or it leads nowhere until
its target is there (P2). A target that loses a type goes after those that leave it, or they answer
nothing between two batches (P2). Names that wait for one another in a circle change together, in
one batch. All this holds through names that do not change as well. Names that end go last, and of
them too those that lead to others first: whoever keeps its records for any reason is known before
what they lead to is gone.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from typing import TypeAlias

from dnsplan.diff import NameChange
from dnsplan.names import Name
from dnsplan.records import RecordSet, leads_to

Together: TypeAlias = tuple[NameChange, ...]

# What stands at a name, before the changes and after them, if it is none of those that change.
Unchanged: TypeAlias = Callable[[Name], Iterable[RecordSet]]
_Waits: TypeAlias = Mapping[Name, set[Name]]


def ranked(
    changes: Sequence[NameChange], zone: Name, unchanged: Unchanged
) -> Sequence[Sequence[Together]]:
    """The changes rank by rank; those of one rank may be sent in any order."""
    waits = _waits(_Ways({change.name: change for change in changes}, zone, unchanged))
    heads = _heads(waits)
    graph = _joined(waits, heads)
    rank: dict[Name, int] = {}
    for name in TopologicalSorter(graph).static_order():
        rank[name] = 1 + max((rank[one] for one in graph.get(name, ())), default=-1)
    last = 1 + max(rank.values(), default=0)
    found: dict[int, dict[Name, list[NameChange]]] = {}
    for change in changes:
        head = heads.get(change.name, change.name)
        place = rank.get(head, 0) + (last if change.ends else 0)
        found.setdefault(place, {}).setdefault(head, []).append(change)
    return [tuple(map(tuple, groups.values())) for _, groups in sorted(found.items())]


def in_order(
    changes: Sequence[NameChange], zone: Name, unchanged: Unchanged
) -> tuple[Together, ...]:
    """The changes in one line, those that change together as one."""
    return tuple(together for rank in ranked(changes, zone, unchanged) for together in rank)


@dataclass(frozen=True, slots=True)
class _Ways:
    """Where names lead, inside the zone."""

    changes: Mapping[Name, NameChange]
    zone: Name
    unchanged: Unchanged

    def ahead(self, change: NameChange) -> Iterator[Name]:
        """Changed names that it is to answer through."""
        return (
            found.name for found, _ in self._met(change.name, change.after, through=lambda _: False)
        )

    def behind(self, change: NameChange) -> Iterator[tuple[NameChange, str | None]]:
        """Changed names that it answers through so far, with the type.

        One that ends goes last, so what it leads to in turn is waited for as well.
        """
        return self._met(change.name, change.before, through=lambda met: met.ends)

    def _met(
        self,
        start: Name,
        record_sets: Iterable[RecordSet],
        *,
        through: Callable[[NameChange], bool],
    ) -> Iterator[tuple[NameChange, str | None]]:
        """Follow records to changed names, and on from those to go `through`."""
        waiting = list(leads_to(record_sets, self.zone))
        passed = {start}
        while waiting:
            target, record_type = waiting.pop()
            met = self.changes.get(target)
            if target in passed:
                continue
            if met is not None:
                yield met, record_type
            if met is None or through(met):
                passed.add(target)
                onward = self.unchanged(target) if met is None else met.before
                waiting.extend(leads_to(onward, self.zone))


def _waits(ways: _Ways) -> _Waits:
    """For each name that waits, the changed names that must not come after it."""
    waits: dict[Name, set[Name]] = {}
    for change in ways.changes.values():
        for target in ways.ahead(change):
            waits.setdefault(change.name, set()).add(target)
        for left, record_type in ways.behind(change):
            leaves = not change.ends or left.ends
            if leaves and _may_lose(left, record_type):
                waits.setdefault(left.name, set()).add(change.name)
    return waits


def _may_lose(change: NameChange, record_type: str | None) -> bool:
    """Whether a type may be gone after the change; what is kept is not known by type."""
    had = {one.type for one in change.before if record_type in (None, one.type)}
    return bool(had - {one.type for one in change.after})


def _heads(waits: _Waits) -> Mapping[Name, Name]:
    """For each name that is in a circle, the one that stands for the whole of it."""
    names = waits.keys() | {one for found in waits.values() for one in found}
    heads: dict[Name, Name] = {}
    while True:
        try:
            TopologicalSorter(_joined(waits, heads)).prepare()
        except CycleError as error:
            circle = set(error.args[1])
            heads.update({one: min(circle) for one in names if heads.get(one, one) in circle})
        else:
            return heads


def _joined(waits: _Waits, heads: Mapping[Name, Name]) -> _Waits:
    """The same, with one name for all of a circle."""
    joined: dict[Name, set[Name]] = {}
    for name, found in waits.items():
        head = heads.get(name, name)
        joined.setdefault(head, set()).update(heads.get(one, one) for one in found)
        joined[head].discard(head)
    return joined
