"""What must change so that a zone holds what a plan states, name by name.

`before` is what goes, exactly as Route 53 lists or was given it (its DELETE compares every field);
`after` is what comes. All changes of one name stay together: a name is never half changed.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import compress, count, groupby
from operator import attrgetter, ne

from dnsplan.names import Name
from dnsplan.normal import is_same
from dnsplan.records import Key, RecordSet, by_key, key_of


@dataclass(frozen=True, slots=True)
class NameChange:
    """The record sets of one name that go and that come; `kept` others of it stay as they are."""

    name: Name
    before: tuple[RecordSet, ...]
    after: tuple[RecordSet, ...]
    kept: int = 0

    @property
    def ends(self) -> bool:
        """Whether nothing is left of the name."""
        return not self.after and not self.kept


def diff(live: Iterable[RecordSet], desired: Iterable[RecordSet]) -> tuple[NameChange, ...]:
    """The changes from live to desired, sorted by name; nothing for what is the same.

    Nothing goes that is desired as it stands, also where `live` has it twice: pages of a listing
    may overlap.
    """
    live, desired = tuple(live), tuple(desired)
    before, wanted = _without_the_same(live, desired)
    there = by_key(before)
    after = []
    for one in wanted:
        old = there.get(key_of(one))
        if old is not None and is_same(old, one):
            del there[key_of(one)]
        else:
            after.append(one)
    going, coming = _grouped(_not_kept(there, desired, after)), _grouped(after)
    names = going.keys() | coming.keys()
    kept = _kept(names, desired, after)
    return tuple(
        NameChange(name, going.get(name, ()), coming.get(name, ()), kept[name])
        for name in sorted(names)
    )


def apply(changes: Iterable[NameChange], live: Iterable[RecordSet]) -> dict[Key, RecordSet]:
    """What a zone holds after the changes; the inverse that the tests and the P2 check use."""
    there = by_key(live)
    for change in changes:
        for gone in change.before:
            there.pop(key_of(gone), None)
        there.update(by_key(change.after))
    return there


def _without_the_same(
    live: Sequence[RecordSet], desired: Sequence[RecordSet]
) -> tuple[Sequence[RecordSet], Sequence[RecordSet]]:
    """Both sides without most of what they have in common, found by its place.

    Two plans of 300,000 record sets mostly differ in one: comparing places takes a fifth of the
    time that looking each up takes. What has moved is looked up.
    """
    front = _equal_from_the_front(live, desired)
    live, desired = live[front:], desired[front:]
    back = _equal_from_the_front(live[::-1], desired[::-1])
    live, desired = live[: len(live) - back], desired[: len(desired) - back]
    if len(live) != len(desired):
        return live, desired
    differs = tuple(map(ne, live, desired))
    return tuple(compress(live, differs)), tuple(compress(desired, differs))


def _equal_from_the_front(one: Sequence[RecordSet], other: Sequence[RecordSet]) -> int:
    return next(compress(count(), map(ne, one, other)), min(len(one), len(other)))


def _not_kept(
    there: Mapping[Key, RecordSet], desired: Sequence[RecordSet], after: Sequence[RecordSet]
) -> list[RecordSet]:
    """What goes: not what is desired and does not come, since it stands already."""
    names = {name for name, _, _ in there}
    kept = {key_of(one) for one in desired if one.name in names} if there else set[Key]()
    kept -= {key_of(one) for one in after}
    return [one for key, one in there.items() if key not in kept]


def _kept(
    names: Collection[Name], desired: Sequence[RecordSet], after: Sequence[RecordSet]
) -> Counter[Name]:
    """How many record sets of each changed name stay as they are."""
    if not names or len(after) == len(desired):
        return Counter()
    kept = Counter([one.name for one in desired if one.name in names])
    kept.subtract([one.name for one in after])
    return kept


def _grouped(record_sets: Iterable[RecordSet]) -> Mapping[Name, tuple[RecordSet, ...]]:
    ordered = sorted(record_sets, key=key_of)
    return {name: tuple(group) for name, group in groupby(ordered, key=attrgetter("name"))}
