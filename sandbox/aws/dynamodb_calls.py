"""Answer DynamoDB's calls by moto, adding what it leaves out: tokens, table ids, stale reads."""

import base64
import json
from collections.abc import Callable

import msgspec
from moto.core.common_types import TYPE_RESPONSE
from moto.core.responses import ActionResult
from moto.dynamodb import responses
from moto.dynamodb.exceptions import DynamodbException

from sandbox.aws.moto_dynamodb import StrictBackend

TOKEN_TTL_S = 600.0  # as long as DynamoDB remembers a token after it was honoured
TOKENS_MAX = 10_000
# Answers made of items, which moto keeps as DynamoDB writes them.
ITEM_ACTIONS = frozenset({"GetItem", "BatchGetItem", "Query", "PutItem", "UpdateItem"})
ERROR_PREFIX = "com.amazonaws.dynamodb.v20120810#"


class IdempotentParameterMismatch(DynamodbException):
    """A client token came again with another request."""

    def __init__(self) -> None:
        super().__init__(
            ERROR_PREFIX + "IdempotentParameterMismatchException",
            "The request uses the same client token as a previous, but non-identical request. Do "
            "not reuse a client token with different requests, unless the requests are identical",
        )


class StrictHandler(responses.DynamoHandler):
    """moto's operations, with tokens, table ids and stale reads."""

    def serialized(self, action_result: ActionResult) -> TYPE_RESPONSE:
        """Write item answers as they are: they have their wire form already, and moto's walk
        through the service's shapes takes seven times as long for a hundred items."""
        result = action_result.result
        if not isinstance(result, dict) or self._get_action() not in ITEM_ACTIONS:
            return super().serialized(action_result)
        body = {name: value for name, value in result.items() if value is not None}
        headers = {**self.response_headers, "Content-Type": "application/x-amz-json-1.0"}
        return 200, headers, json.dumps(body, default=_as_base64)

    @property
    def strict(self) -> StrictBackend:
        """Give the backend of the account that asks."""
        backend = self.dynamodb_backend
        if not isinstance(backend, StrictBackend):
            msg = f"account {self.current_account} is not one of the stand-in's"
            raise TypeError(msg)
        return backend

    def transact_write_items(self) -> ActionResult:
        """TransactWriteItems: a token that was honoured once is only acknowledged."""
        token = self.body.get("ClientRequestToken")
        if token is None:
            return super().transact_write_items()
        asked = msgspec.json.encode(self.body.get("TransactItems"), order="deterministic")
        tokens, now = self.strict.tokens, self.strict.fresh.clock()
        known = tokens.get(token)
        if known is not None and now - known[0] < TOKEN_TTL_S:
            if known[1] != asked:
                raise IdempotentParameterMismatch
            return ActionResult({"ConsumedCapacity": [], "ItemCollectionMetrics": {}})
        result = super().transact_write_items()
        tokens[token] = (now, asked)
        if len(tokens) > TOKENS_MAX:
            tokens.popitem(last=False)
        return result

    def with_table_id(self, result: ActionResult) -> ActionResult:
        """Add the table's id to a description."""
        answer = result.result
        if isinstance(answer, dict):
            described = answer.get("Table") or answer.get("TableDescription")
            table = self.strict.tables.get(described["TableName"]) if described else None
            if described and table is not None:
                described["TableId"] = self.strict.table_id(table)
        return result

    def create_table(self) -> ActionResult:
        """CreateTable."""
        return self.with_table_id(super().create_table())

    def describe_table(self) -> ActionResult:
        """DescribeTable."""
        return self.with_table_id(super().describe_table())

    def update_table(self) -> ActionResult:
        """UpdateTable."""
        return self.with_table_id(super().update_table())

    def restore_table_from_backup(self) -> ActionResult:
        """RestoreTableFromBackup."""
        return self.with_table_id(super().restore_table_from_backup())

    def restore_table_to_point_in_time(self) -> ActionResult:
        """RestoreTableToPointInTime."""
        return self.with_table_id(super().restore_table_to_point_in_time())

    def eventually(self, read: Callable[[], ActionResult]) -> ActionResult:
        """Answer a read from a while ago, unless it asks for the present."""
        consistent = self.body.get("ConsistentRead") or any(
            asked.get("ConsistentRead") for asked in (self.body.get("RequestItems") or {}).values()
        )
        if consistent or self.strict.settings.eventual_reads_lag_s <= 0:
            return read()
        with self.strict.as_of_lag():
            return read()

    def get_item(self) -> ActionResult:
        """GetItem."""
        return self.eventually(super().get_item)

    def query(self) -> ActionResult:
        """Query."""
        return self.eventually(super().query)

    def scan(self) -> ActionResult:
        """Scan."""
        return self.eventually(super().scan)

    def batch_get_item(self) -> ActionResult:
        """BatchGetItem."""
        return self.eventually(super().batch_get_item)


def _as_base64(value: bytes) -> str:
    return base64.b64encode(value).decode()
