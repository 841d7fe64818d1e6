"""What the planners find, in the table: one compressed item an AZ.

A report that would not fit an item is an error that names its size, and is not cut. One that cannot
be read is an error too: half of the vantage points would be another majority.
"""

from collections.abc import Sequence

import msgspec
import zstandard

from dnsplan.codec import unpacked
from dnsplan.errors import ReadFailed
from dnsplan.runtime.board import Board
from dnsplan.runtime.dynamodb import DynamoDb, bytes_of
from dnsplan.runtime.retry import Retrying
from planner.rules.vantage import Report

REPORT = "report"

# An item holds 400 KB with its names. Source: Amazon DynamoDB developer guide, quotas.
REPORT_BYTES_MAX = 390_000
# A report of 100,000 targets unpacks to some 5 MB.
UNPACKED_BYTES_MAX = 32 * 1024 * 1024


class DynamoVantageBoard:
    """ports.VantageBoard on the same table as the generation items."""

    def __init__(self, client: DynamoDb, table: str, retrying: Retrying) -> None:
        """Keep a client whose own retries are off."""
        shows = "what the planners find"
        self._board = Board(client, table, retrying, key="obs#health", shows=shows)

    async def announce(self, report: Report) -> None:
        """Replace this AZ's report, once; the next pass writes another anyway."""
        packed = zstandard.ZstdCompressor().compress(msgspec.msgpack.encode(report))
        if len(packed) > REPORT_BYTES_MAX:
            found = f"{len(report.voices)} targets in {len(packed)} bytes"
            raise ReadFailed(f"announce {report.az}: {found}; limit: {REPORT_BYTES_MAX}")
        await self._board.put(report.az, REPORT, {"B": packed})

    async def everyone(self) -> Sequence[Report]:
        """The newest report of each AZ, sorted by AZ."""
        return [_unpacked(bytes_of(item, REPORT)) for item in await self._board.items()]


def _unpacked(packed: bytes) -> Report:
    try:
        plain = unpacked(packed, bytes_max=UNPACKED_BYTES_MAX)
        return msgspec.msgpack.decode(plain, type=Report)
    except (zstandard.ZstdError, msgspec.DecodeError) as error:
        raise ReadFailed(f"what a planner finds cannot be read: {error}") from error
