"""Audit rows in DynamoDB: `audit#<label>`, sorted by time. Only ever added, never changed."""

from collections.abc import Callable
from typing import Any

import msgspec

from dnsplan.errors import DnsplanError
from dnsplan.ports import Jitter
from dnsplan.runtime.aws_errors import AWS_TROUBLE, failed_read
from dnsplan.runtime.dynamodb import DynamoDb
from dnsplan.runtime.retry import Retrying
from runbooks.controls.outside import AuditLog, AuditRow

_KEY_BITS = 32


class DynamoAuditLog:
    """`runbooks.controls.outside.AuditLog` on aiobotocore."""

    def __init__(self, client: DynamoDb, table: str, retrying: Retrying, jitter: Jitter) -> None:
        """Keep a client whose own retries are off."""
        self._client = client
        self._table = table
        self._retrying = retrying
        self._jitter = jitter

    async def append(self, row: AuditRow) -> None:
        """Add a row. A repeated try that meets its own first is harmless: the key is its own."""
        item: dict[str, Any] = {
            "pk": {"S": f"audit#{row.label}"},
            "sk": {"S": f"{row.at_s:012d}#{self._jitter.token(_KEY_BITS)}"},
            "body": {"B": msgspec.json.encode(row)},
        }
        try:
            await self._retrying.call(
                lambda: self._client.put_item(TableName=self._table, Item=item)
            )
        except AWS_TROUBLE as error:
            raise failed_read(error, f"audit {row.action} of {row.label}") from error


class SaidAuditLog:
    """An audit log whose trouble is told and is none of the work's: what a row would tell of is
    done by then, and holds without it."""

    def __init__(self, log: AuditLog, tell: Callable[[str], None]) -> None:
        """`tell` hears of each row that could not be added."""
        self._log, self._tell = log, tell

    async def append(self, row: AuditRow) -> None:
        """Add a row, or say that there is none."""
        try:
            await self._log.append(row)
        except DnsplanError as error:
            self._tell(f"{row.label}: no audit row of this {row.action}, which holds: {error}")
