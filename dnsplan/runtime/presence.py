"""Enactors' signs of life in DynamoDB: `beat#enactor`, one item an AZ.

Written without conditions and read without consistency, since nothing may rest on them. A sign that
cannot be read is left out: it is advice from a peer, not a record of ours.
"""

from collections.abc import Sequence
from typing import Any

import msgspec
import zstandard

from dnsplan.ports import Presence
from dnsplan.runtime.aws_errors import AWS_TROUBLE, failed_read
from dnsplan.runtime.retry import Retrying

KEY = "beat#enactor"

# Some hundred zones a sign; a hundred thousand is no sign of ours.
_BODY_BYTES_MAX = 16 * 1024 * 1024


class DynamoPresenceBoard:
    """`dnsplan.ports.PresenceBoard` on aiobotocore."""

    def __init__(self, client: Any, table: str, *, retrying: Retrying) -> None:
        """The client is open for as long as this lives."""
        self._client = client
        self._table = table
        self._retrying = retrying

    async def announce(self, presence: Presence) -> None:
        """Replace this AZ's sign, or ReadFailed; never repeated, the next one is newer."""
        item = {
            "pk": {"S": KEY},
            "sk": {"S": presence.az},
            "body": {"B": zstandard.compress(msgspec.json.encode(presence))},
        }
        try:
            await self._client.put_item(TableName=self._table, Item=item)
        except AWS_TROUBLE as error:
            raise failed_read(error, "show presence") from error

    async def everyone(self) -> Sequence[Presence]:
        """The newest sign of each AZ, by AZ."""
        found: list[Presence] = []
        start: dict[str, Any] = {}
        while True:
            answer = await self._page(start)
            found.extend(sign for item in answer["Items"] if (sign := _sign(item)) is not None)
            if "LastEvaluatedKey" not in answer:
                return found
            start = {"ExclusiveStartKey": answer["LastEvaluatedKey"]}

    async def _page(self, start: dict[str, Any]) -> Any:
        try:
            return await self._retrying.call(
                lambda: self._client.query(
                    TableName=self._table,
                    KeyConditionExpression="pk = :pk",
                    ExpressionAttributeValues={":pk": {"S": KEY}},
                    **start,
                )
            )
        except AWS_TROUBLE as error:
            raise failed_read(error, "read presence") from error


def _sign(item: Any) -> Presence | None:
    try:
        body = zstandard.ZstdDecompressor().decompress(
            item["body"]["B"], max_output_size=_BODY_BYTES_MAX
        )
        return msgspec.json.decode(body, type=Presence)
    except (KeyError, zstandard.ZstdError, msgspec.DecodeError):
        return None
