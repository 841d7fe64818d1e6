"""Which names must change before which, when not all of them fit one batch.

An alias comes after its target, or Route 53 refuses it; so does a CNAME, or it leads nowhere until
its target is there (P2). A target that loses a type goes after those that leave it, or they answer
nothing between two batches (P2). Names that wait for one another in a circle change together, in
one batch. Names that end go last, and of them too those that lead to others first: whoever keeps
its records for any reason is known before what they lead to is gone.
"""

from collections.abc import Iterator, Mapping, Sequence
from graphlib import CycleError, TopologicalSorter
from typing import TypeAlias

from dnsplan.diff import NameChange
from dnsplan.names import Name
from dnsplan.records import leads_to

Together: TypeAlias = tuple[NameChange, ...]
_Waits: TypeAlias = Mapping[Name, set[Name]]


def ranked(changes: Sequence[NameChange], zone: Name) -> Sequence[Sequence[Together]]:
    """The changes rank by rank; those of one rank may be sent in any order."""
    waits = _waits({change.name: change for change in changes}, zone)
    heads = _heads(waits)
    graph = _joined(waits, heads)
    rank: dict[Name, int] = {}
    for name in TopologicalSorter(graph).static_order():
        rank[name] = 1 + max((rank[one] for one in graph.get(name, ())), default=-1)
    last = 1 + max(rank.values(), default=0)
    found: dict[int, dict[Name, list[NameChange]]] = {}
    for change in changes:
        head = heads.get(change.name, change.name)
        place = rank.get(head, 0) + (last if _ends(change) else 0)
        found.setdefault(place, {}).setdefault(head, []).append(change)
    return [tuple(map(tuple, groups.values())) for _, groups in sorted(found.items())]


def in_order(changes: Sequence[NameChange], zone: Name) -> tuple[Together, ...]:
    """The changes in one line, those that change together as one."""
    return tuple(together for rank in ranked(changes, zone) for together in rank)


def _waits(changes: Mapping[Name, NameChange], zone: Name) -> _Waits:
    """For each name that waits, the changed names that must not come after it."""
    waits: dict[Name, set[Name]] = {}
    for change in changes.values():
        for target, _ in leads_to(change.after, zone):
            if target in changes and target != change.name:
                waits.setdefault(change.name, set()).add(target)
        for left, record_type in _led_through(change, changes, zone):
            leaves = not _ends(change) or _ends(left)
            if leaves and _may_lose(left, record_type):
                waits.setdefault(left.name, set()).add(change.name)
    return waits


def _led_through(
    change: NameChange, changes: Mapping[Name, NameChange], zone: Name
) -> Iterator[tuple[NameChange, str | None]]:
    """Changed names that a name answers through so far, with the type.

    One that ends goes last, so what it leads to in turn is waited for as well.
    """
    waiting = list(leads_to(change.before, zone))
    seen = {change.name}
    while waiting:
        target, record_type = waiting.pop()
        left = changes.get(target)
        if left is None or target in seen:
            continue
        yield left, record_type
        if _ends(left):
            seen.add(target)
            waiting.extend(leads_to(left.before, zone))


def _ends(change: NameChange) -> bool:
    return not change.after and not change.kept


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
