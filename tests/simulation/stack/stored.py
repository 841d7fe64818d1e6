"""What lies in the table, as acts and judge look at it: without the product's adapters, but for the
form of stored plans and rows."""

from collections.abc import Callable, Iterator, Mapping, MutableMapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeVar

import msgspec
import zstandard

from dnsplan.codec import Envelope, from_chunks, to_chunks
from dnsplan.errors import PlanDamaged
from dnsplan.generation import GenerationItem
from dnsplan.plan import Digest, Generation, PlanId
from dnsplan.ports import PlanRow
from dnsplan.runtime.archive_items import chunk_item, joined, row_from, row_item
from enactor.rules.exceptions import ExceptionsRow
from tests.simulation.stack.raw_items import KEYS, Attributes, Items

Key = TypeVar("Key")
Row = TypeVar("Row")


@dataclass(frozen=True, slots=True)
class TableItems:
    """`tests.simulation.cloud.TableThere`."""

    raw: Items
    items: "ItemsByLabel"

    @property
    def id(self) -> str:
        """The table's incarnation."""
        return self.raw.id


@dataclass(frozen=True, slots=True)
class ItemsByLabel(MutableMapping[str, GenerationItem]):
    """The generation items."""

    raw: Items

    def __getitem__(self, label: str) -> GenerationItem:
        """One item, read by its plain fields."""
        for item in self.raw.at(f"gen#{label}"):
            fields = {name: _value(one) for name, one in item.items() if name not in KEYS}
            return msgspec.convert({**fields, "label": label}, GenerationItem)
        raise KeyError(label)

    def __setitem__(self, label: str, item: GenerationItem) -> None:
        """Put an item in place."""
        fields = msgspec.structs.asdict(item)
        del fields["label"]
        stated = {name: _attribute(one) for name, one in fields.items() if one is not None}
        self.raw.put({"pk": {"S": f"gen#{label}"}, "sk": {"S": "item"}, **stated})

    def __delitem__(self, label: str) -> None:
        """Delete an item."""
        for item in self.raw.at(f"gen#{label}"):
            self.raw.delete(item)

    def __iter__(self) -> Iterator[str]:
        """The labels."""
        return (key.removeprefix("gen#") for key in self.raw.partitions("gen#"))

    def __len__(self) -> int:
        """How many."""
        return len(self.raw.partitions("gen#"))


@dataclass(frozen=True, slots=True)
class Bodies(MutableMapping[PlanId, Envelope]):
    """The bodies that are whole."""

    raw: Items

    def __getitem__(self, plan_id: PlanId) -> Envelope:
        """A body; a half one is none."""
        with suppress(PlanDamaged):
            if chunks := self._chunks(plan_id):
                parts, key_id, signature = joined(plan_id, list(chunks))
                return Envelope(plan_id, from_chunks(parts), key_id, signature)
        raise KeyError(plan_id)

    def __setitem__(self, plan_id: PlanId, envelope: Envelope) -> None:
        """Put a body in place, whole, whatever was there."""
        del self[plan_id]
        parts = to_chunks(envelope.body)
        for at, part in enumerate(parts):
            chunk = chunk_item(
                plan_id,
                at,
                part,
                count=len(parts),
                key_id=envelope.key_id,
                signature=envelope.signature,
            )
            self.raw.put(chunk)

    def __delitem__(self, plan_id: PlanId) -> None:
        """Take a body away, whole."""
        for chunk in self._chunks(plan_id):
            self.raw.delete(chunk)

    def __iter__(self) -> Iterator[PlanId]:
        """The plans that have a whole body."""
        return (one for one in self._named() if one in self)

    def __len__(self) -> int:
        """How many."""
        return sum(1 for _ in self)

    def _named(self) -> list[PlanId]:
        keys = [
            (partition.removeprefix("plan#"), *item["sk"]["S"].split("#")[:2])
            for partition in self.raw.partitions("plan#")
            for item in self.raw.at(partition)
        ]
        return [
            PlanId(label, Generation(int(at)), Digest(of)) for label, at, of in sorted(set(keys))
        ]

    def _chunks(self, plan_id: PlanId) -> list[Attributes]:
        prefix = f"{plan_id.generation:012d}#{plan_id.digest}#"
        found = self.raw.at(f"plan#{plan_id.label}")
        return [item for item in found if item["sk"]["S"].startswith(prefix)]


@dataclass(frozen=True, slots=True)
class Rows(MutableMapping[Key, Row]):
    """Items of one kind that hold a row each; `read` and `write` know their form."""

    raw: Items
    prefix: str
    read: Callable[[Attributes], tuple[Key, Row]]
    write: Callable[[Row], Attributes] | None = None

    def __getitem__(self, key: Key) -> Row:
        """A row."""
        return self._all()[key][0]

    def __setitem__(self, key: Key, row: Row) -> None:
        """Put a row in place."""
        if self.write is None:
            raise TypeError(f"no act puts {self.prefix} rows in place")
        self.raw.put(self.write(row))

    def __delitem__(self, key: Key) -> None:
        """Delete a row."""
        self.raw.delete(self._all()[key][1])

    def __iter__(self) -> Iterator[Key]:
        """The keys."""
        return iter(self._all())

    def __len__(self) -> int:
        """How many."""
        return len(self._all())

    def _all(self) -> dict[Key, tuple[Row, Attributes]]:
        found: dict[Key, tuple[Row, Attributes]] = {}
        for partition in self.raw.partitions(self.prefix):
            for item in self.raw.at(partition):
                key, row = self.read(item)
                found[key] = (row, item)
        return found


class Archive:
    """`tests.simulation.cloud.ArchiveThere`."""

    def __init__(self, raw: Items) -> None:
        """Bodies and rows of one table."""
        self.bodies = Bodies(raw)
        self.kept = Rows(raw, "row#", _row, lambda row: dict(row_item(row)))


class Notes:
    """`tests.simulation.cloud.NotesThere`."""

    def __init__(self, raw: Items) -> None:
        """Notes of one table."""
        self.rows = Rows(raw, "exc#", _note)


def _value(one: Mapping[str, Any]) -> int | str:
    return int(one["N"]) if "N" in one else str(one["S"])


def _attribute(one: int | str) -> dict[str, Any]:
    return {"N": str(one)} if isinstance(one, int) else {"S": one}


def _row(item: Attributes) -> tuple[PlanId, PlanRow]:
    row = row_from(item)
    return row.plan_id, row


def _note(item: Attributes) -> tuple[tuple[str, Generation, str], ExceptionsRow]:
    row = msgspec.json.decode(zstandard.decompress(item["body"]["B"]), type=ExceptionsRow)
    return (row.label, row.generation, row.nonce), row
