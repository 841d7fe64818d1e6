"""An enactor of thousands of zones shows itself, also when all of them hold."""

import msgspec

from dnsplan.plan import Generation
from dnsplan.ports import Presence, ZoneSighting
from dnsplan.runtime.presence import SIGN_BYTES_MAX, DynamoPresenceBoard
from tests.contracts.conftest import TABLE, new_retrying
from tests.contracts.scripted import ScriptedDynamoDb


def holding(label: str, reason: str) -> ZoneSighting:
    """A zone with much to say."""
    said = ("www.example.com. A was changed by others",) * 3
    return ZoneSighting(label, Generation(140), 0, reason, 1_760_000_000, drift=said, notes=said)


async def shown(*zones: ZoneSighting) -> Presence:
    """What is written for these zones."""
    client = ScriptedDynamoDb([{}])
    board = DynamoPresenceBoard(client, TABLE, new_retrying())
    await board.announce(Presence("az1", 1, zones))
    ((_, request),) = client.requests
    sign = request["Item"]["sign"]["S"]
    assert len(sign.encode()) <= SIGN_BYTES_MAX
    return msgspec.json.decode(sign, type=Presence)


async def test_a_sign_that_no_item_holds_is_shortened_and_not_lost() -> None:
    """Peers would take this AZ for silent, and each do its work beside it."""
    zones = [holding(f"zone{number}", "velocity: " + "x" * 500) for number in range(2_000)]
    found = (await shown(*zones)).zones
    assert [one.label for one in found] == [one.label for one in zones]
    assert {one.holding for one in found} == {("velocity: " + "x" * 500)[:40]}


async def test_a_sign_that_fits_says_all() -> None:
    """Every word of a few zones."""
    one = holding("shop", "velocity: " + "x" * 500)
    assert (await shown(one)).zones == (one,)
