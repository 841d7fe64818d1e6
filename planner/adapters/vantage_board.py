"""What the planners find, in the table: one compressed item an AZ.

Where keys are listed each report is signed, since together they decide which targets answer.
A report that would not fit an item is an error that names its size, and is not cut. One that cannot
be read is an error too: half of the vantage points would be another majority.
"""

from collections.abc import Sequence

import msgspec
import zstandard

from dnsplan.codec import unpacked
from dnsplan.errors import ReadFailed
from dnsplan.runtime.board import Board
from dnsplan.runtime.dynamodb import SORT_KEY, Attribute, DynamoDb, Item, bytes_of, text_of
from dnsplan.runtime.retry import Retrying
from dnsplan.signing import report_message
from dnsplan.vouch import NOBODY, PLANNERS, UNCHECKED, Keyring, Signer, vouch_from, vouch_text
from planner.rules.vantage import Report

REPORT, VOUCH = "report", "vouch"

# An item holds 400 KB with its names. Source: Amazon DynamoDB developer guide, quotas.
REPORT_BYTES_MAX = 390_000
# A report of 100,000 targets unpacks to some 5 MB.
UNPACKED_BYTES_MAX = 32 * 1024 * 1024


class DynamoVantageBoard:
    """ports.VantageBoard on the same table as the generation items."""

    def __init__(
        self,
        client: DynamoDb,
        table: str,
        retrying: Retrying,
        *,
        keyring: Keyring = UNCHECKED,
        signer: Signer | None = None,
    ) -> None:
        """Keep a client whose own retries are off. Without a signer it only listens, where keys
        are listed."""
        shows = "what the planners find"
        self._board = Board(client, table, retrying, key="obs#health", shows=shows)
        self._keyring, self._signer = keyring, signer

    async def announce(self, report: Report) -> None:
        """Replace this AZ's report, once; the next pass writes another anyway."""
        packed = zstandard.ZstdCompressor().compress(msgspec.msgpack.encode(report))
        if len(packed) > REPORT_BYTES_MAX:
            found = f"{len(report.voices)} targets in {len(packed)} bytes"
            raise ReadFailed(f"announce {report.az}: {found}; limit: {REPORT_BYTES_MAX}")
        vouch = NOBODY
        if self._signer is not None:
            vouch = self._signer.sign(report_message(report.az, packed))
        fields: dict[str, Attribute] = {REPORT: {"B": packed}}
        if (text := vouch_text(vouch)) is not None:
            fields[VOUCH] = {"S": text}
        await self._board.put(report.az, fields)

    async def everyone(self) -> Sequence[Report]:
        """The newest report of each AZ, sorted by AZ."""
        return [self._report(item) for item in await self._board.items()]

    def _report(self, item: Item) -> Report:
        """What an AZ's planner says, if it is one that says so."""
        az, packed = text_of(item, SORT_KEY), bytes_of(item, REPORT)
        vouch = vouch_from(text_of(item, VOUCH) if VOUCH in item else None)
        doubt = self._keyring.doubt(vouch, report_message(az, packed), PLANNERS)
        if doubt is not None:
            raise ReadFailed(f"what the planner of {az} finds {doubt}")
        report = _unpacked(packed)
        if report.az != az:
            raise ReadFailed(f"what the planner of {az} finds says that it is {report.az}'s")
        return report


def _unpacked(packed: bytes) -> Report:
    try:
        plain = unpacked(packed, bytes_max=UNPACKED_BYTES_MAX)
        return msgspec.msgpack.decode(plain, type=Report)
    except (zstandard.ZstdError, msgspec.DecodeError) as error:
        raise ReadFailed(f"what a planner finds cannot be read: {error}") from error
