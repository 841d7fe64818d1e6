"""Notes of held names in DynamoDB: `exc#<label>`, sorted by generation, then nonce.

A note that no item can hold has further parts. They are written before it and sort below the notes
of their generation, so that a note which is there is whole, and the newest ones come first.
"""

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

# An item holds 400 KB with its names. Source: Amazon DynamoDB developer guide, quotas.
_PART_BYTES_MAX = 350_000

# Below the mark of a note, so that parts sort below all notes of their generation.
_PART_MARK = "!"

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
        bodies = _bodies(row)
        for part in reversed(range(len(bodies))):
            item = {
                **_key(row.label, row.generation, row.nonce, part=part),
                "body": {"B": bodies[part]},
                "parts": {"N": str(len(bodies))},
            }
            await self._ask(
                "note held names",
                lambda item=item: self._client.put_item(TableName=self._table, Item=item),
            )

    async def find(self, label: str, generation: Generation, nonce: str) -> ExceptionsRow | None:
        """The row of one fence value."""
        item = await self._item(_key(label, generation, nonce))
        return None if item is None else await self._whole(item)

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
        notes = [item for item in answer["Items"] if _PART_MARK not in item["sk"]["S"]]
        return [row for item in notes if (row := await self._whole(item)) is not None]

    async def _whole(self, item: Any) -> ExceptionsRow | None:
        """A note with all its parts; None where one is gone, since half a note is none."""
        row = _row(item)
        names = list(row.names)
        for part in range(1, int(item.get("parts", {}).get("N", "1"))):
            more = await self._item(_key(row.label, row.generation, row.nonce, part=part))
            if more is None:
                return None
            names.extend(_row(more).names)
        return msgspec.structs.replace(row, names=tuple(names))

    async def _item(self, key: Any) -> Any:
        answer = await self._ask(
            "read held names",
            lambda: self._client.get_item(TableName=self._table, Key=key, ConsistentRead=True),
        )
        return answer.get("Item")

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


def _key(
    label: str, generation: Generation, nonce: str, *, part: int = 0
) -> dict[str, dict[str, str]]:
    place = f"#{nonce}" if part == 0 else f"{_PART_MARK}{nonce}#{part:04d}"
    return {"pk": {"S": f"exc#{label}"}, "sk": {"S": f"{generation:012d}{place}"}}


def _bodies(row: ExceptionsRow) -> list[bytes]:
    """What the items of a note hold, each of some of its names."""
    body = zstandard.compress(msgspec.json.encode(row))
    if len(body) <= _PART_BYTES_MAX or len(row.names) < 2:
        return [body]
    half = len(row.names) // 2
    first, second = (
        msgspec.structs.replace(row, names=names) for names in (row.names[:half], row.names[half:])
    )
    return [*_bodies(first), *_bodies(second)]


def _row(item: Any) -> ExceptionsRow:
    try:
        body = unpacked(item["body"]["B"], bytes_max=_BODY_BYTES_MAX)
        return msgspec.json.decode(body, type=ExceptionsRow)
    except (KeyError, zstandard.ZstdError, msgspec.DecodeError) as error:
        raise ReadFailed(f"a note of held names cannot be read: {error}") from error
