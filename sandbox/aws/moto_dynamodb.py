"""Make moto's DynamoDB keep its promises: whole writes, honest transactions, an id for each table.

Calls come one at a time, so a check and its write are one. Plugged in for one account id. It can
also show what an eventually consistent read may see, when a lag is set.
"""

import copy
import uuid
from collections import OrderedDict, deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from moto.core.base_backend import AccountSpecificBackend
from moto.dynamodb import models
from moto.dynamodb.comparisons import get_filter_expression
from moto.dynamodb.exceptions import (
    ConditionalCheckFailed,
    MockValidationException,
    MultipleTransactionsException,
    TooManyTransactionsException,
    TransactionCanceledException,
    TransactWriteSingleOpException,
)
from moto.dynamodb.models.dynamo_type import DynamoType, Item
from moto.dynamodb.models.table import Table

OPERATIONS_MAX = 100
STALE_WRITES_MAX = 10_000
SNAPSHOTS_MAX = 100


@dataclass(slots=True)
class DynamoDBSettings:
    """How this account's DynamoDB behaves; may be changed while it runs."""

    # How far behind a read without ConsistentRead may be. 0: never behind.
    eventual_reads_lag_s: float = 0.0


@dataclass(slots=True)
class Fresh:
    """Where time and new ids come from."""

    clock: Callable[[], float]
    table_id: Callable[[], uuid.UUID]


@dataclass(frozen=True, slots=True)
class Kept:
    """One item's place, and what stood there."""

    table: Table
    hash_key: DynamoType
    range_key: DynamoType | None
    item: Item | None

    def put_back(self) -> None:
        """Make the place hold what it held."""
        items: Any = self.table.items  # moto nests by range key only where there is one
        if self.item is None:
            self.table.delete_item(self.hash_key, self.range_key)
        elif self.range_key is None:
            items[self.hash_key] = self.item
        else:
            items[self.hash_key][self.range_key] = self.item


@dataclass(slots=True)
class _Operation:
    """One part of a transaction, checked and ready."""

    kind: str
    stated: dict[str, Any]
    kept: Kept
    key: dict[str, Any] = field(default_factory=dict)


class StrictBackend(models.DynamoDBBackend):
    """moto's backend for one region of one account."""

    def __init__(
        self, region_name: str, account_id: str, *, fresh: Fresh, settings: DynamoDBSettings
    ) -> None:
        super().__init__(region_name, account_id)
        self.fresh = fresh
        self.settings = settings
        self.tokens: OrderedDict[str, tuple[float, bytes]] = OrderedDict()
        self.writes: deque[tuple[float, Kept]] = deque(maxlen=STALE_WRITES_MAX)
        self.snapshots: list[Table] = []

    def table_id(self, table: Table) -> str:
        """Give a table's id: made once for each table that ever was, a restored one included."""
        known = vars(table).get("stand_in_id")
        if known is None:
            known = vars(table)["stand_in_id"] = str(self.fresh.table_id())
        return str(known)

    def take_snapshot(self, table_name: str) -> int:
        """Keep a table as it is now; give the number to restore it by."""
        if len(self.snapshots) >= SNAPSHOTS_MAX:
            raise ValueError(f"{SNAPSHOTS_MAX} snapshots are kept already")
        self.snapshots.append(copy.deepcopy(self.tables[table_name]))
        return len(self.snapshots) - 1

    def restore_snapshot(self, number: int, table_name: str | None = None) -> str:
        """Put a kept table in place, or under a new name; a restored table has a new id."""
        if not 0 <= number < len(self.snapshots):
            raise LookupError(f"snapshot {number}")
        table = copy.deepcopy(self.snapshots[number])
        vars(table).pop("stand_in_id", None)
        if table_name is not None:
            table.table_arn = table.table_arn.replace(f"/{table.name}", f"/{table_name}")
            table.name = table_name
        self.tables[table.name] = table
        self.writes.clear()
        return self.table_id(table)

    def keep(self, table_name: str, attributes: dict[str, Any]) -> Kept:
        """Remember an item as it is before a write."""
        table = self.get_table(table_name)
        hash_key, range_key = self.get_keys_value(table, attributes)
        return Kept(table, hash_key, range_key, copy.deepcopy(table.get_item(hash_key, range_key)))

    def note(self, kept: Kept) -> None:
        """Keep what a write replaced, as long as an eventual read may still see it."""
        now, lag_s = self.fresh.clock(), self.settings.eventual_reads_lag_s
        if lag_s > 0:
            self.writes.append((now, kept))
        while self.writes and self.writes[0][0] <= now - lag_s:
            self.writes.popleft()

    @contextmanager
    def whole(self, table_name: str, attributes: dict[str, Any]) -> Iterator[None]:
        """Let a write happen whole or not at all."""
        kept = self.keep(table_name, attributes)
        try:
            yield
        except Exception:
            kept.put_back()
            raise
        self.note(kept)

    def put_item(self, table_name: str, item_attrs: dict[str, Any], *args: Any, **kw: Any) -> Item:
        """PutItem, whole; an item without its key is moto's to refuse."""
        if not item_attrs.keys() >= set(self.get_table(table_name).table_key_attrs):
            return super().put_item(table_name, item_attrs, *args, **kw)
        with self.whole(table_name, item_attrs):
            return super().put_item(table_name, item_attrs, *args, **kw)

    def update_item(self, table_name: str, key: dict[str, Any], *args: Any, **kw: Any) -> Item:
        """UpdateItem, whole."""
        with self.whole(table_name, key):
            return super().update_item(table_name, key, *args, **kw)

    def delete_item(
        self,
        table_name: str,
        key: dict[str, Any],
        *args: Any,
        **kw: Any,
    ) -> Item | None:
        """DeleteItem, whole."""
        with self.whole(table_name, key):
            return super().delete_item(table_name, key, *args, **kw)

    def transact_write_items(self, transact_items: list[dict[str, Any]]) -> None:
        """Check every part, then write every part; on failure undo this transaction's writes."""
        if len(transact_items) > OPERATIONS_MAX:
            raise TooManyTransactionsException
        operations = [self.operation(item) for item in transact_items]
        places = {(id(one.kept.table), one.kept.hash_key, one.kept.range_key) for one in operations}
        if len(places) < len(operations):
            raise MultipleTransactionsException
        reasons = [self.condition_fault(one) for one in operations]
        if any(code is not None for code, _, _ in reasons):
            raise TransactionCanceledException(reasons)
        try:
            for one in operations:
                self.write(one)
        except Exception:
            for one in operations:
                one.kept.put_back()
            raise

    def operation(self, item: dict[str, Any]) -> _Operation:
        """Read one part of a transaction."""
        if len(item) != 1:
            raise TransactWriteSingleOpException
        kind, stated = next(iter(item.items()))
        if kind not in ("ConditionCheck", "Put", "Delete", "Update"):
            raise MockValidationException(f"Unsupported transaction operation: {kind}")
        attributes = stated["Item"] if kind == "Put" else stated["Key"]
        return _Operation(kind, stated, self.keep(stated["TableName"], attributes), attributes)

    def condition_fault(self, one: _Operation) -> tuple[str | None, str | None, Any]:
        """Give the cancellation reason of one part, or none."""
        stated, present = one.stated, one.kept.item
        condition = get_filter_expression(
            stated.get("ConditionExpression"),
            stated.get("ExpressionAttributeNames"),
            stated.get("ExpressionAttributeValues"),
        )
        if condition.expr(present):
            return None, None, None
        shown = None
        if stated.get("ReturnValuesOnConditionCheckFailure") == "ALL_OLD" and present is not None:
            shown = present.to_json()["Attributes"]
        return "ConditionalCheckFailed", str(ConditionalCheckFailed().message), shown

    def write(self, one: _Operation) -> None:
        """Make one part's write; its condition was checked."""
        table_name = one.stated["TableName"]
        if one.kind == "Put":
            self.put_item(table_name, one.key)
        elif one.kind == "Delete":
            self.delete_item(table_name, one.key)
        elif one.kind == "Update":
            self.update_item(
                table_name,
                one.key,
                update_expression=one.stated["UpdateExpression"],
                expression_attribute_names=one.stated.get("ExpressionAttributeNames"),
                expression_attribute_values=one.stated.get("ExpressionAttributeValues"),
            )

    @contextmanager
    def as_of_lag(self) -> Iterator[None]:
        """Show the tables as they were `eventual_reads_lag_s` ago, for one read."""
        edge = self.fresh.clock() - self.settings.eventual_reads_lag_s
        recent = [kept for at, kept in self.writes if at > edge]
        present = [
            Kept(
                one.table,
                one.hash_key,
                one.range_key,
                one.table.get_item(one.hash_key, one.range_key),
            )
            for one in recent
        ]
        for one in reversed(recent):
            one.put_back()
        try:
            yield
        finally:
            for one in present:
                one.put_back()


def plug_in(account_id: str, fresh: Fresh, settings: DynamoDBSettings) -> None:
    """Make one account id of this process answer with our DynamoDB, in every region."""

    class Backend(StrictBackend):
        """The backend of this account: moto makes one a region, by region and account id."""

        def __init__(self, region_name: str, account_id: str) -> None:
            super().__init__(region_name, account_id, fresh=fresh, settings=settings)

    models.dynamodb_backends[account_id] = AccountSpecificBackend(
        service_name="dynamodb",
        account_id=account_id,
        backend=Backend,
        use_boto3_regions=True,
        additional_regions=None,
    )
