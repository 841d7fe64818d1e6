"""Signs of life of the enactors, one item an AZ; advice for pacing and people, and nothing more.

A sign that cannot be written or read costs only pace, so writing is best effort. Reading still
tells a failure from an empty board.
"""

from collections.abc import Sequence

import msgspec

from dnsplan.errors import ReadFailed
from dnsplan.ports import Presence
from dnsplan.runtime.aws_errors import AWS_TROUBLE, failed_read
from dnsplan.runtime.dynamodb import PARTITION_KEY, SORT_KEY, DynamoDb, query_all, text_of
from dnsplan.runtime.retry import Retrying

BOARD = {"S": "obs#enactors"}
SIGN = "sign"


class DynamoPresenceBoard:
    """ports.PresenceBoard on the same table as the generation items."""

    def __init__(self, client: DynamoDb, table: str, retrying: Retrying) -> None:
        """Keep a client whose own retries are off."""
        self._client = client
        self._table = table
        self._retrying = retrying

    async def announce(self, presence: Presence) -> None:
        """Replace this AZ's sign, once; the next cycle writes another anyway."""
        try:
            await self._client.put_item(
                TableName=self._table,
                Item={
                    PARTITION_KEY: BOARD,
                    SORT_KEY: {"S": presence.az},
                    SIGN: {"S": msgspec.json.encode(presence).decode()},
                },
            )
        except AWS_TROUBLE as error:
            raise failed_read(error, f"announce {presence.az}") from error

    async def everyone(self) -> Sequence[Presence]:
        """The newest sign of each AZ, sorted by AZ."""
        request = {
            "TableName": self._table,
            "KeyConditionExpression": "#pk = :pk",
            "ExpressionAttributeNames": {"#pk": PARTITION_KEY},
            "ExpressionAttributeValues": {":pk": BOARD},
        }
        try:
            signs = [
                text_of(item, SIGN)
                async for item in query_all(self._client, self._retrying, request)
            ]
        except AWS_TROUBLE as error:
            raise failed_read(error, "read the enactors' signs of life") from error
        try:
            return [msgspec.json.decode(sign.encode(), type=Presence) for sign in signs]
        except msgspec.DecodeError as error:
            raise ReadFailed(f"a sign of life cannot be read: {error}") from error
