"""The one table of a run, raw: made, looked at and changed outside of any request.

Acts and judge need it. Items have the form of DynamoDB's own API, with bytes as bytes.
"""

import base64
import copy
from collections.abc import Mapping
from typing import Any

import msgspec

from sandbox.aws.backend import Backend
from sandbox.aws.call import read_call
from tests.simulation.stack.clients import REGION

TABLE = "dnsplan"
KEYS = ("pk", "sk")

Attributes = dict[str, dict[str, Any]]


class Items:
    """The table's items, raw; by partition key, then sort key."""

    def __init__(self, backend: Backend) -> None:
        """The table may not be there yet."""
        self._backend = backend

    def make(self) -> None:
        """Make the table."""
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
        answer = self._backend.answer(read_call("POST", "/", headers, msgspec.json.encode(asked)))
        if answer.error is not None:
            raise AssertionError(answer.body)

    @property
    def is_there(self) -> bool:
        """Whether the table is made."""
        return TABLE in self._backend.dynamodb(REGION).tables

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

    def copied(self) -> object:
        """A copy of the whole table, under an id of its own as soon as somebody asks."""
        table = copy.deepcopy(self._table)
        vars(table).pop("stand_in_id", None)
        return table

    def answer_with(self, table: object) -> object:
        """Put another table in this one's place."""
        before, backend = self._table, self._backend.dynamodb(REGION)
        backend.tables[TABLE] = table  # type: ignore[assignment]  # whatever `copied` gave
        backend.writes.clear()
        return before

    @property
    def id(self) -> str:
        """The table's id."""
        return self._backend.dynamodb(REGION).table_id(self._table)

    @property
    def _table(self) -> Any:
        return self._backend.dynamodb(REGION).tables[TABLE]


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
