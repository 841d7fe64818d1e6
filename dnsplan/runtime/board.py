"""A board in the table: one item an AZ, which each AZ replaces and everybody reads.

It tells and decides nothing: whoever reads it judges how old a sign may be.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from dnsplan.runtime.aws_errors import AWS_TROUBLE, failed_read
from dnsplan.runtime.dynamodb import PARTITION_KEY, SORT_KEY, Attribute, DynamoDb, query_all
from dnsplan.runtime.retry import Retrying


class Board:
    """The items under one partition key."""

    def __init__(
        self, client: DynamoDb, table: str, retrying: Retrying, *, key: str, shows: str
    ) -> None:
        """Keep a client whose own retries are off. `shows` is for people: what stands on it."""
        self._client, self._table, self._retrying = client, table, retrying
        self._key, self._shows = {"S": key}, shows

    async def put(self, az: str, fields: Mapping[str, Attribute]) -> None:
        """Replace this AZ's item, once; whoever announces does so again anyway."""
        item = {PARTITION_KEY: self._key, SORT_KEY: {"S": az}, **fields}
        try:
            await self._client.put_item(TableName=self._table, Item=item)
        except AWS_TROUBLE as error:
            raise failed_read(error, f"announce {az}") from error

    async def items(self) -> Sequence[Mapping[str, Any]]:
        """The newest item of each AZ, sorted by AZ."""
        request = {
            "TableName": self._table,
            "KeyConditionExpression": "#pk = :pk",
            "ExpressionAttributeNames": {"#pk": PARTITION_KEY},
            "ExpressionAttributeValues": {":pk": self._key},
        }
        try:
            return [item async for item in query_all(self._client, self._retrying, request)]
        except AWS_TROUBLE as error:
            raise failed_read(error, f"read {self._shows}") from error
