"""Signs of life of the enactors, one item an AZ; advice for pacing and people, and nothing more.

A sign that cannot be written or read costs only pace, so writing is best effort. Reading still
tells a failure from an empty board.
"""

from collections.abc import Sequence

import msgspec

from dnsplan.errors import ReadFailed
from dnsplan.ports import Presence
from dnsplan.runtime.board import Board
from dnsplan.runtime.dynamodb import DynamoDb, text_of
from dnsplan.runtime.retry import Retrying

SIGN = "sign"


class DynamoPresenceBoard:
    """ports.PresenceBoard on the same table as the generation items."""

    def __init__(self, client: DynamoDb, table: str, retrying: Retrying) -> None:
        """Keep a client whose own retries are off."""
        shows = "the enactors' signs of life"
        self._board = Board(client, table, retrying, key="obs#enactors", shows=shows)

    async def announce(self, presence: Presence) -> None:
        """Replace this AZ's sign, once; the next cycle writes another anyway."""
        sign = msgspec.json.encode(presence).decode()
        await self._board.put(presence.az, {SIGN: {"S": sign}})

    async def everyone(self) -> Sequence[Presence]:
        """The newest sign of each AZ, sorted by AZ."""
        signs = [text_of(item, SIGN) for item in await self._board.items()]
        try:
            return [msgspec.json.decode(sign.encode(), type=Presence) for sign in signs]
        except msgspec.DecodeError as error:
            raise ReadFailed(f"a sign of life cannot be read: {error}") from error
