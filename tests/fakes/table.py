"""The generation items in memory, strict about every condition, with faults on demand."""

from collections import deque
from collections.abc import Mapping, Sequence
from enum import Enum, auto
from typing import Any

from msgspec import structs

from dnsplan.errors import ItemUnreadable, ReadFailed
from dnsplan.generation import GenerationItem, Transition, failed
from dnsplan.outcomes import ConditionFailed, Unknown, WriteOutcome, Written
from dnsplan.ports import all_readable


class TableFault(Enum):
    """What can happen to a write besides being answered."""

    LOSE_REQUEST = auto()
    LOSE_REPLY = auto()


class FakeTable:
    """One table. `restore` puts old items back under a new table id, as a backup would."""

    def __init__(self, incarnation: str = "table-1") -> None:
        """Start empty."""
        self.items: dict[str, GenerationItem] = {}
        self.id = incarnation
        self.reachable = True
        self.write_faults: deque[TableFault] = deque()
        self.writes: list[Transition] = []
        # Labels whose items are there and cannot be read, and why.
        self.unreadable: dict[str, str] = {}

    async def incarnation(self) -> str:
        """The id of the table."""
        self._reach()
        return self.id

    async def read(self, labels: Sequence[str]) -> Mapping[str, GenerationItem]:
        """The items there are."""
        return all_readable(await self.read_each(labels))

    async def read_each(
        self, labels: Sequence[str]
    ) -> Mapping[str, GenerationItem | ItemUnreadable]:
        """The items there are, each that cannot be read as an error in its place."""
        self._reach()
        return {label: self._readable(label) for label in labels if label in self.items}

    def _readable(self, label: str) -> GenerationItem | ItemUnreadable:
        why = self.unreadable.get(label)
        return self.items[label] if why is None else ItemUnreadable(why)

    async def write(self, transition: Transition) -> WriteOutcome:
        """Write one item if its conditions hold."""
        if not self.reachable:
            return Unknown("the table cannot be reached")
        fault = self.write_faults.popleft() if self.write_faults else None
        if fault is TableFault.LOSE_REQUEST:
            return Unknown("connection reset")
        outcome = self._apply(transition)
        return Unknown("timed out") if fault is TableFault.LOSE_REPLY else outcome

    def snapshot(self) -> dict[str, GenerationItem]:
        """A backup."""
        return dict(self.items)

    def restore(self, snapshot: Mapping[str, GenerationItem], *, incarnation: str) -> None:
        """Go back to a backup; the restored table has an id of its own."""
        self.items, self.id = dict(snapshot), incarnation

    def _apply(self, transition: Transition) -> WriteOutcome:
        item = self.items.get(transition.label)
        unmet = failed(transition.conditions, item)
        if unmet:
            mine = item is not None and item.nonce == transition.nonce
            return Written() if mine else ConditionFailed(item, unmet)
        put: dict[str, Any] = dict(transition.put)  # field values, checked by the struct's types
        if item is None:
            item = GenerationItem(label=transition.label, nonce=transition.nonce, **put)
        else:
            item = structs.replace(item, nonce=transition.nonce, **put)
        self.items[transition.label] = item
        self.writes.append(transition)
        return Written()

    def _reach(self) -> None:
        if not self.reachable:
            raise ReadFailed("the table cannot be reached")
