"""Notes of held names in DynamoDB: `exc#<label>`, sorted by generation, then nonce."""

from collections.abc import Sequence
from typing import Any

import msgspec
import zstandard

from dnsplan.codec import unpacked
from dnsplan.errors import ReadFailed
from dnsplan.fence import FenceRecord
from dnsplan.plan import Generation
from dnsplan.runtime.aws_errors import AWS_TROUBLE, failed_read
from dnsplan.runtime.retry import Retrying
from dnsplan.runtime.status.collect import HeldReader
from dnsplan.runtime.status.shape import HeldNames
from enactor.notes import held_at
from enactor.rules.exceptions import ExceptionsRow

NEWEST_MAX = 10

# Ten thousand held names with their record sets; more is no exception any more.
_BODY_BYTES_MAX = 16 * 1024 * 1024


class DynamoExceptionsLog:
    """`enactor.ports.ExceptionsLog` on aiobotocore. Keys are unique, so writes may be repeated."""

    def __init__(self, client: Any, table: str, *, retrying: Retrying) -> None:
        """The client is open for as long as this lives."""
        self._client = client
        self._table = table
        self._retrying = retrying

    async def note(self, row: ExceptionsRow) -> None:
        """Keep a row, or ReadFailed: then the batch that counts it must not be sent."""
        item = {
            **_key(row.label, row.generation, row.nonce),
            "body": {"B": zstandard.compress(msgspec.json.encode(row))},
        }
        await self._ask(
            "note held names", lambda: self._client.put_item(TableName=self._table, Item=item)
        )

    async def find(self, label: str, generation: Generation, nonce: str) -> ExceptionsRow | None:
        """The row of one fence value."""
        answer = await self._ask(
            "read held names",
            lambda: self._client.get_item(
                TableName=self._table, Key=_key(label, generation, nonce), ConsistentRead=True
            ),
        )
        return _row(answer["Item"]) if "Item" in answer else None

    async def newest(self, label: str) -> Sequence[ExceptionsRow]:
        """The last few rows of a zone, newest first."""
        answer = await self._ask(
            "read held names",
            lambda: self._client.query(
                TableName=self._table,
                KeyConditionExpression="pk = :pk",
                ExpressionAttributeValues={":pk": {"S": f"exc#{label}"}},
                ScanIndexForward=False,
                Limit=NEWEST_MAX,
                ConsistentRead=True,
            ),
        )
        return [_row(item) for item in answer["Items"]]

    async def _ask(self, what: str, ask: Any) -> Any:
        try:
            return await self._retrying.call(ask)
        except AWS_TROUBLE as error:
            raise failed_read(error, what) from error


def open_held(client: Any, table: str, retrying: Retrying) -> HeldReader:
    """For the status: what held names keep at a fence. ReadFailed when the note is not there."""
    log = DynamoExceptionsLog(client, table, retrying=retrying)

    async def read(label: str, fence: FenceRecord) -> HeldNames:
        held = await held_at(log, label, fence)
        if held is None:
            raise ReadFailed(f"the note of {fence.held} held names is gone")
        return {name: one.kept for name, one in held.items()}

    return read


def _key(label: str, generation: Generation, nonce: str) -> dict[str, dict[str, str]]:
    return {"pk": {"S": f"exc#{label}"}, "sk": {"S": f"{generation:012d}#{nonce}"}}


def _row(item: Any) -> ExceptionsRow:
    try:
        body = unpacked(item["body"]["B"], bytes_max=_BODY_BYTES_MAX)
        return msgspec.json.decode(body, type=ExceptionsRow)
    except (KeyError, zstandard.ZstdError, msgspec.DecodeError) as error:
        raise ReadFailed(f"a note of held names cannot be read: {error}") from error
