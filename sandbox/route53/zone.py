"""Hold one hosted zone's record sets, sorted as Route 53 lists them, and change them all or none.

A change costs O(log n) comparisons. The zone judges nothing: `commit` takes what the rules worked
out, one whole mapping a name, and can forget the last batches again (a failover that lost them).
"""

from bisect import bisect_left, insort
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from sandbox.route53.model import SetKey, StoredRecordSet
from sandbox.route53.names import SEPARATOR, ancestors, order

NameSets = Mapping[SetKey, StoredRecordSet]
Work = Mapping[str, NameSets]  # what each touched name is to hold; an empty mapping removes it

NOTHING: NameSets = MappingProxyType({})
# Enough for any failover that a test plays; each entry holds only the names its batch touched.
UNDO_BATCHES_MAX = 256
# From here on one sort of two sorted runs beats inserting key by key.
MERGE_FROM = 128


@dataclass(frozen=True, slots=True)
class Page:
    """One page of a listing, and the set that the next page starts with."""

    records: tuple[StoredRecordSet, ...]
    following: StoredRecordSet | None


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A zone's whole content at one moment."""

    names: Mapping[str, NameSets]


def sort_key(name: str, kind: str, set_id: str) -> str:
    """Give the text by which a record set is sorted in its zone."""
    return order(name) + SEPARATOR + kind + SEPARATOR + set_id


class HostedZone:
    """One zone: who it is, and its record sets by name."""

    def __init__(
        self, *, zone_id: str, name: str, private: bool, caller_reference: str, comment: str = ""
    ) -> None:
        self.id = zone_id
        self.name = name
        self.private = private
        self.caller_reference = caller_reference
        self.comment = comment
        self.busy_until_s = float("-inf")
        self._names: dict[str, NameSets] = {}
        self._sets: dict[str, StoredRecordSet] = {}  # by sort key
        self._keys: list[str] = []
        self._below: dict[str, int] = {}
        self._undo: deque[Work] = deque(maxlen=UNDO_BATCHES_MAX)

    def __len__(self) -> int:
        return len(self._keys)

    def sets_at(self, name: str) -> NameSets:
        """Give the record sets of one name, keyed (type, set identifier or "")."""
        return self._names.get(name, NOTHING)

    def has_below(self, name: str) -> bool:
        """Is there a name below this one, so that it exists even with no sets of its own?"""
        return self._below.get(name, 0) > 0

    def page(
        self, start_name: str | None, start_type: str | None, start_id: str | None, max_items: int
    ) -> Page:
        """List from the first set at or after the given place."""
        at = 0
        if start_name is not None:
            start = order(start_name)
            if start_type is not None:
                start = sort_key(start_name, start_type, start_id or "")
            at = bisect_left(self._keys, start)
        end = at + max_items
        found = tuple([self._sets[key] for key in self._keys[at:end]])
        more = self._sets[self._keys[end]] if end < len(self._keys) else None
        return Page(found, more)

    def records(self) -> list[StoredRecordSet]:
        """List everything, in order."""
        return [self._sets[key] for key in self._keys]

    def commit(self, work: Work) -> None:
        """Put one judged batch in place, and remember what it replaced."""
        self._undo.append({name: self.sets_at(name) for name in work})
        self._apply(work)

    def forget_last(self, batches: int) -> int:
        """Lose the last accepted batches, newest first; say how many there were to lose."""
        lost = 0
        while lost < batches and self._undo:
            self._apply(self._undo.pop())
            lost += 1
        return lost

    def settle(self) -> None:
        """Make what is here now the oldest content that a failover can return to."""
        self._undo.clear()

    def snapshot(self) -> Snapshot:
        """Keep the present content; no set is copied, for none can change."""
        return Snapshot(dict(self._names))

    def restore(self, snapshot: Snapshot) -> None:
        """Return to a kept content, as one batch."""
        gone = {name: NOTHING for name in self._names if name not in snapshot.names}
        self.commit({**gone, **snapshot.names})

    def _apply(self, work: Work) -> None:
        added: list[str] = []
        removed: set[str] = set()
        for name, new in work.items():
            old = self.sets_at(name)
            for kind, set_id in old.keys() - new.keys():
                removed.add(sort_key(name, kind, set_id))
            for (kind, set_id), record in new.items():
                key = sort_key(name, kind, set_id)
                if (kind, set_id) not in old:
                    added.append(key)
                self._sets[key] = record
            self._hold(name, new)
        self._take_out(removed)
        self._put_in(added)

    def _hold(self, name: str, new: NameSets) -> None:
        present = name in self._names
        if new:
            self._names[name] = new
        elif present:
            del self._names[name]
        step = bool(new) - present
        if step:
            for above in ancestors(name, self.name):
                self._below[above] = self._below.get(above, 0) + step
                if not self._below[above]:
                    del self._below[above]

    def _take_out(self, removed: set[str]) -> None:
        for key in removed:
            del self._sets[key]
        if len(removed) < MERGE_FROM:
            for key in removed:
                del self._keys[bisect_left(self._keys, key)]
        else:
            self._keys = [key for key in self._keys if key not in removed]

    def _put_in(self, added: list[str]) -> None:
        if len(added) < MERGE_FROM:
            for key in added:
                insort(self._keys, key)
        else:
            added.sort()
            self._keys.extend(added)
            self._keys.sort()
