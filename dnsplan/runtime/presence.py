"""Signs of life of the enactors, one item an AZ; advice for pacing and people, and nothing more.

A sign that cannot be written or read costs only pace, so writing is best effort. Reading still
tells a failure from an empty board.
"""

from collections.abc import Sequence

import msgspec
from msgspec import structs

from dnsplan.errors import ReadFailed
from dnsplan.ports import Presence, ZoneSighting
from dnsplan.runtime.board import Board
from dnsplan.runtime.dynamodb import DynamoDb, text_of
from dnsplan.runtime.retry import Retrying

SIGN = "sign"
# An item holds 400 KB with its names. Source: Amazon DynamoDB developer guide, quotas.
SIGN_BYTES_MAX = 350_000
# Of thousands of zones that all hold, peers and people see the beginning of each reason.
SHORTER_CHARS = (200, 40)


class DynamoPresenceBoard:
    """ports.PresenceBoard on the same table as the generation items."""

    def __init__(self, client: DynamoDb, table: str, retrying: Retrying) -> None:
        """Keep a client whose own retries are off."""
        shows = "the enactors' signs of life"
        self._board = Board(client, table, retrying, key="obs#enactors", shows=shows)

    async def announce(self, presence: Presence) -> None:
        """Replace this AZ's sign, once; the next cycle writes another anyway."""
        await self._board.put(presence.az, {SIGN: {"S": _fitting(presence).decode()}})

    async def everyone(self) -> Sequence[Presence]:
        """The newest sign of each AZ, sorted by AZ."""
        signs = [text_of(item, SIGN) for item in await self._board.items()]
        try:
            return [msgspec.json.decode(sign.encode(), type=Presence) for sign in signs]
        except msgspec.DecodeError as error:
            raise ReadFailed(f"a sign of life cannot be read: {error}") from error


def _fitting(presence: Presence) -> bytes:
    """A sign that an item can hold: with too many words in it there would be none at all."""
    sign = msgspec.json.encode(presence)
    for chars in SHORTER_CHARS:
        if len(sign) > SIGN_BYTES_MAX:
            zones = tuple(_shorter(one, chars) for one in presence.zones)
            sign = msgspec.json.encode(structs.replace(presence, zones=zones))
    return sign


def _shorter(one: ZoneSighting, chars: int) -> ZoneSighting:
    holding = None if one.holding is None else one.holding[:chars]
    return structs.replace(one, holding=holding, drift=(), notes=())
