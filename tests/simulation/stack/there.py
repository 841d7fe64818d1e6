"""What stands in the stand-in's backends, as acts and judge look at it: outside of any request, and
without the product's adapters, but for the form of stored plans."""

import base64
from collections.abc import Iterator, Mapping, MutableMapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from typing import Any

import msgspec
import zstandard

from dnsplan.codec import Envelope, from_chunks, to_chunks
from dnsplan.errors import PlanDamaged
from dnsplan.generation import GenerationItem
from dnsplan.names import Name
from dnsplan.plan import Digest, Generation, PlanId
from dnsplan.ports import PlanRow, Zone
from dnsplan.runtime.archive_items import chunk_item, joined, row_from
from enactor.rules.exceptions import ExceptionsRow
from sandbox.aws.backend import Backend
from sandbox.aws.call import read_call
from sandbox.aws.in_process import InProcessStandIn
from sandbox.route53.account import Account
from tests.simulation.cloud import Targets
from tests.simulation.stack.clients import REGION

TABLE = "dnsplan"
KEYS = ("pk", "sk")

Attributes = dict[str, dict[str, Any]]


class Items:
    """The table's items, raw; by partition key, then sort key."""

    def __init__(self, backend: Backend) -> None:
        """Make the table."""
        self._backend = backend
        asked = {
            "TableName": TABLE,
            "KeySchema": [
                {"AttributeName": name, "KeyType": kind}
                for name, kind in zip(KEYS, ("HASH", "RANGE"), strict=True)
            ],
            "AttributeDefinitions": [
                {"AttributeName": name, "AttributeType": "S"} for name in KEYS
            ],
            "BillingMode": "PAY_PER_REQUEST",
        }
        headers = {
            "host": f"dynamodb.{REGION}.amazonaws.com",
            "x-amz-target": "DynamoDB_20120810.CreateTable",
            "content-type": "application/x-amz-json-1.0",
        }
        answer = backend.answer(read_call("POST", "/", headers, msgspec.json.encode(asked)))
        if answer.error is not None:
            raise AssertionError(answer.body)

    def partitions(self, prefix: str) -> list[str]:
        """Partition keys that begin so."""
        stored: Any = self._table.items
        return sorted(key.value for key in stored if key.value.startswith(prefix))

    def at(self, partition: str) -> list[Attributes]:
        """The items of a partition by sort key; bytes as bytes."""
        stored: Any = self._table.items
        for key, found in stored.items():
            if key.value == partition:
                return [_plain(found[sort]) for sort in sorted(found, key=lambda one: one.value)]
        return []

    def put(self, item: Attributes) -> None:
        """Put an item in place."""
        self._backend.dynamodb(REGION).put_item(TABLE, _wire_form(item))

    def delete(self, item: Attributes) -> None:
        """Delete an item."""
        self._backend.dynamodb(REGION).delete_item(TABLE, {name: item[name] for name in KEYS})

    @property
    def _table(self) -> Any:
        return self._backend.dynamodb(REGION).tables[TABLE]


@dataclass(frozen=True, slots=True)
class ItemsByLabel(Mapping[str, GenerationItem]):
    """The generation items."""

    raw: Items

    def __getitem__(self, label: str) -> GenerationItem:
        """One item, read by its plain fields."""
        for item in self.raw.at(f"gen#{label}"):
            fields = {name: _value(one) for name, one in item.items() if name not in KEYS}
            return msgspec.convert({**fields, "label": label}, GenerationItem)
        raise KeyError(label)

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
class Archive:
    """`tests.simulation.cloud.ArchiveThere`."""

    raw: Items

    @property
    def bodies(self) -> Bodies:
        """Bodies."""
        return Bodies(self.raw)

    @property
    def kept(self) -> Mapping[PlanId, PlanRow]:
        """Rows."""
        partitions = self.raw.partitions("row#")
        found = [row_from(item) for key in partitions for item in self.raw.at(key)]
        return {row.plan_id: row for row in found}


@dataclass(frozen=True, slots=True)
class Notes:
    """`tests.simulation.cloud.NotesThere`."""

    raw: Items

    @property
    def rows(self) -> Mapping[tuple[str, Generation, str], ExceptionsRow]:
        """Notes of held names."""
        found = [
            msgspec.json.decode(zstandard.decompress(item["body"]["B"]), type=ExceptionsRow)
            for key in self.raw.partitions("exc#")
            for item in self.raw.at(key)
        ]
        return {(row.label, row.generation, row.nonce): row for row in found}


@dataclass(frozen=True, slots=True)
class Zones:
    """`tests.simulation.cloud.ZonesThere`. `made` are by zone id."""

    backend: Backend
    made: dict[str, Zone] = field(default_factory=dict)

    @property
    def account(self) -> Account:
        """The rules and the zones themselves."""
        return self.backend.route53

    def make_zone(self, label: str, name: str) -> Zone:
        """A hosted zone that moto knows too."""
        stated = f"<Name>{name}</Name><CallerReference>{label}</CallerReference>"
        body = f"<CreateHostedZoneRequest>{stated}</CreateHostedZoneRequest>"
        headers = {"host": "route53.amazonaws.com"}
        before = set(self.account.zones)
        answer = self.backend.answer(
            read_call("POST", "/2013-04-01/hostedzone", headers, body.encode())
        )
        if answer.error is not None:
            raise AssertionError(answer.body)
        (zone_id,) = set(self.account.zones) - before
        self.made[zone_id] = Zone(label, zone_id, Name(self.account.zones[zone_id].name))
        return self.made[zone_id]


class StackCloud:
    """`tests.simulation.cloud.Cloud` of one stand-in."""

    def __init__(self, aws: InProcessStandIn, limits: ExitStack) -> None:
        """With an empty table and no zone; `limits` are undone when all is over."""
        self._aws = aws
        self._limits = limits
        raw = Items(aws.backend)
        self.route53 = Zones(aws.backend)
        self.table = TableItems(ItemsByLabel(raw))
        self.archive = Archive(raw)
        self.exceptions = Notes(raw)
        self.targets = Targets()

    def close(self) -> None:
        """Take the account out of moto, and let limits be AWS's again."""
        self._limits.close()
        self._aws.close()


@dataclass(frozen=True, slots=True)
class TableItems:
    """`tests.simulation.cloud.TableThere`."""

    items: ItemsByLabel


def _plain(item: Any) -> Attributes:
    attributes: Attributes = item.to_json()["Attributes"]
    for one in attributes.values():
        if isinstance(one.get("B"), str):
            one["B"] = base64.b64decode(one["B"])
    return attributes


def _wire_form(item: Mapping[str, Mapping[str, Any]]) -> Attributes:
    return {
        name: {"B": base64.b64encode(one["B"]).decode()} if "B" in one else dict(one)
        for name, one in item.items()
    }


def _value(one: Mapping[str, Any]) -> int | str:
    return int(one["N"]) if "N" in one else str(one["S"])
