"""Notes of held names on the stand-in: whole however many names they hold, and none where a part
of one is gone. A zone whose note cannot be kept sends nothing."""

import random
from collections.abc import AsyncIterator

import pytest

from dnsplan.names import parse_name
from dnsplan.plan import Generation
from dnsplan.records import RecordSet
from dnsplan.runtime.table import create_table
from enactor.adapters.exceptions import DynamoExceptionsLog
from enactor.rules.exceptions import ExceptionsRow, HeldName
from sandbox.aws.server import serve
from tests.contracts.conftest import CLIENTS, TABLE, new_retrying
from tests.fakes.clock import FakeClock, SeededJitter

SEVEN = Generation(7)


@pytest.fixture
async def client(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[object]:
    """A client of a stand-in with the table."""
    async with serve() as stand_in:
        monkeypatch.setenv("AWS_ENDPOINT_URL", stand_in.endpoint_url)
        async with CLIENTS.open("dynamodb") as opened:
            clock, jitter = FakeClock(), SeededJitter()
            await create_table(opened, TABLE, clock=clock, jitter=jitter, retrying=new_retrying())
            yield opened


def log_on(client: object) -> DynamoExceptionsLog:
    """The adapter."""
    return DynamoExceptionsLog(client, TABLE, retrying=new_retrying())


def note(names: int, *, generation: Generation = SEVEN, nonce: str = "aa") -> ExceptionsRow:
    """So many names with texts that no compression makes shorter."""
    chance = random.Random(names)

    def held(number: int) -> HeldName:
        name = parse_name(f"n{number}.example.com")
        text = RecordSet(name, "TXT", 300, (f'"{chance.randbytes(120).hex()}"',))
        return HeldName(name, "drift", (text,), (text,))

    return ExceptionsRow("shop", generation, nonce, tuple(held(one) for one in range(names)))


@pytest.mark.parametrize("names", [1, 3_000])
async def test_a_note_is_found_whole(client: object, names: int) -> None:
    """Three thousand names are more than an item holds: before, their zone was held for ever."""
    log, row = log_on(client), note(names)
    await log.note(row)
    assert await log.find("shop", SEVEN, "aa") == row


async def test_the_newest_notes_are_told_with_all_their_names(client: object) -> None:
    """In the order of their generations, whatever parts they have."""
    log, rows = log_on(client), [note(3_000), note(2, generation=Generation(8), nonce="bb")]
    for row in rows:
        await log.note(row)
    assert await log.newest("shop") == rows[::-1]


async def test_half_a_note_is_none(client: object) -> None:
    """What it lacks would be taken for not held."""
    log = log_on(client)
    await log.note(note(3_000))
    key = {"pk": {"S": "exc#shop"}, "sk": {"S": f"{SEVEN:012d}!aa#0001"}}
    await client.delete_item(TableName=TABLE, Key=key)  # type: ignore[attr-defined]  # the SDK's
    assert await log.find("shop", SEVEN, "aa") is None
    assert await log.newest("shop") == []
