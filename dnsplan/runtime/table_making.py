"""Making the table: one with `pk` and `sk`, paid by request, or the one that is there if it fits.

It never changes or deletes a table. A table that does not fit is a ConfigError that says why.
"""

from dataclasses import dataclass
from typing import Any

from dnsplan.errors import ConfigError, Problem, ReadFailed
from dnsplan.ports import Clock, Jitter
from dnsplan.runtime.aws_errors import AWS_TROUBLE, CONDITION_FAILED, code_of, failed_read
from dnsplan.runtime.dynamodb import PARTITION_KEY, SORT_KEY, Answer, DynamoDb
from dnsplan.runtime.retry import Retrying
from dnsplan.runtime.table_identity import (
    IDENTITY_FIELD,
    IDENTITY_KEY,
    read_written_identity,
    replication_problem,
)

# A table is ready in some ten seconds; one that takes minutes is looked at by a person.
READY_WITHIN_S = 180.0
LOOK_EVERY_S = 1.0
IDENTITY_BITS = 128

KEY_SCHEMA = (
    {"AttributeName": PARTITION_KEY, "KeyType": "HASH"},
    {"AttributeName": SORT_KEY, "KeyType": "RANGE"},
)


@dataclass(frozen=True, slots=True)
class MadeTable:
    """What `init` found or made."""

    table: str
    incarnation: str
    created: bool


async def create_table(
    client: DynamoDb, table: str, *, clock: Clock, jitter: Jitter, retrying: Retrying
) -> MadeTable:
    """Make a table ready for use; safe to run again, and beside another that does the same."""
    return await _Maker(client, clock, jitter, retrying).make(table)


class _Maker:
    def __init__(self, client: DynamoDb, clock: Clock, jitter: Jitter, retrying: Retrying) -> None:
        self._client = client
        self._clock = clock
        self._jitter = jitter
        self._retrying = retrying

    async def make(self, table: str) -> MadeTable:
        try:
            described = await self._describe(table)
            created = described is None
            if described is None:
                await self._create(table)
            ready = await self._ready(table)
            _refuse_unfit(table, ready)
            return MadeTable(table, await self._identity(table, ready), created)
        except AWS_TROUBLE as error:
            raise failed_read(error, f"make table {table}") from error

    async def _describe(self, table: str) -> Answer | None:
        try:
            return await self._retrying.call(lambda: self._client.describe_table(TableName=table))
        except AWS_TROUBLE as error:
            if code_of(error) == "ResourceNotFoundException":
                return None
            raise

    async def _create(self, table: str) -> None:
        request: dict[str, Any] = {
            "TableName": table,
            "KeySchema": list(KEY_SCHEMA),
            "AttributeDefinitions": [
                {"AttributeName": name, "AttributeType": "S"} for name in (PARTITION_KEY, SORT_KEY)
            ],
            "BillingMode": "PAY_PER_REQUEST",
            "DeletionProtectionEnabled": True,
        }
        try:
            await self._retrying.call(lambda: self._client.create_table(**request))
        except AWS_TROUBLE as error:
            # Another init, or an earlier try of this call: the wait that follows sees it.
            if code_of(error) != "ResourceInUseException":
                raise

    async def _ready(self, table: str) -> Answer:
        deadline_s = self._clock.elapsed_s() + READY_WITHIN_S
        while True:
            described = await self._describe(table)
            status = (described or {}).get("Table", {}).get("TableStatus")
            if described is not None and status in {"ACTIVE", "UPDATING"}:
                return described
            if self._clock.elapsed_s() >= deadline_s:
                raise ReadFailed(
                    f"table {table} is {status} after {READY_WITHIN_S:g} s; look at it"
                )
            await self._clock.sleep(LOOK_EVERY_S)

    async def _identity(self, table: str, described: Answer) -> str:
        if identity := described.get("Table", {}).get("TableId"):
            return str(identity)
        try:
            await self._retrying.call(lambda: self._client.put_item(**self._identity_item(table)))
        except AWS_TROUBLE as error:
            if code_of(error) != CONDITION_FAILED:
                raise
        written = await read_written_identity(self._client, table, self._retrying)
        if written is None:
            raise ReadFailed(f"table {table}: the id that was written cannot be read back")
        return written

    def _identity_item(self, table: str) -> dict[str, Any]:
        return {
            "TableName": table,
            "Item": {**IDENTITY_KEY, IDENTITY_FIELD: {"S": self._jitter.token(IDENTITY_BITS)}},
            "ConditionExpression": "attribute_not_exists(#pk)",
            "ExpressionAttributeNames": {"#pk": PARTITION_KEY},
        }


def _refuse_unfit(table: str, described: Answer) -> None:
    keys = {
        (one["AttributeName"], one["KeyType"]) for one in described["Table"].get("KeySchema", ())
    }
    wanted = {(one["AttributeName"], one["KeyType"]) for one in KEY_SCHEMA}
    where = f"table {table}"
    if keys != wanted:
        found = ", ".join(f"{name} ({kind})" for name, kind in sorted(keys)) or "no keys"
        allowed = f"{PARTITION_KEY} (HASH) and {SORT_KEY} (RANGE); name another table"
        raise ConfigError((Problem(where, None, "keys", found, allowed),))
    if problem := replication_problem(described):
        found, _, allowed = problem.partition("; ")
        raise ConfigError((Problem(where, None, "replicas", found, allowed),))
