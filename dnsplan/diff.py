"""What must change so that a zone holds what a plan states, name by name.

`before` is what goes, exactly as Route 53 lists or was given it (its DELETE compares every field);
`after` is what comes. All changes of one name stay together: a name is never half changed.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter

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
    """The changes from live to desired, sorted by name; nothing for what is the same."""
    there = by_key(live)
    same: list[Name] = []
    after = []
    for wanted in desired:
        old = there.get(key_of(wanted))
        if old is not None and is_same(old, wanted):
            del there[key_of(wanted)]
            same.append(wanted.name)
        else:
            after.append(wanted)
    going, coming = _grouped(there.values()), _grouped(after)
    names = going.keys() | coming.keys()
    kept = Counter(name for name in same if name in names)
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


def _grouped(record_sets: Iterable[RecordSet]) -> Mapping[Name, tuple[RecordSet, ...]]:
    ordered = sorted(record_sets, key=key_of)
    return {name: tuple(group) for name, group in groupby(ordered, key=attrgetter("name"))}
