"""What every board of vantage points does, be it the fake or DynamoDB."""

from collections.abc import AsyncIterator

import pytest

from dnsplan.errors import ReadFailed
from dnsplan.runtime.table import create_table
from dnsplan.vouch import Signer
from planner.adapters.vantage_board import REPORT_BYTES_MAX, DynamoVantageBoard
from planner.ports import VantageBoard
from planner.rules.health import Phase
from planner.rules.vantage import Report, Voice
from sandbox.aws.server import StandIn, serve
from tests.contracts.conftest import CLIENTS, TABLE, new_retrying
from tests.fakes.clock import FakeClock, SeededJitter
from tests.fakes.vantage import FakeVantageBoard
from tests.unit.signing.hands import ANN_KEY, KEYRING, PLANNER

# Where reports stand, as docs/permissions.md has it.
BOARD = {"S": "obs#health"}


@pytest.fixture
async def aws(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[StandIn]:
    """A stand-in that this process talks to."""
    async with serve() as running:
        monkeypatch.setenv("AWS_ENDPOINT_URL", running.endpoint_url)
        yield running


@pytest.fixture(params=["fake", "stand-in"])
async def board(request: pytest.FixtureRequest, aws: StandIn) -> AsyncIterator[VantageBoard]:
    """One board of each kind in turn, empty."""
    if request.param == "fake":
        yield FakeVantageBoard()
    else:
        async with CLIENTS.open("dynamodb") as client:
            yield await on_a_table(client)


async def on_a_table(client: object) -> DynamoVantageBoard:
    """The adapter on a fresh table."""
    retrying = new_retrying()
    await create_table(
        client,  # type: ignore[arg-type]  # the SDK's client has no types of its own
        TABLE,
        clock=FakeClock(),
        jitter=SeededJitter(),
        retrying=retrying,
    )
    return DynamoVantageBoard(client, TABLE, retrying)  # type: ignore[arg-type]  # likewise


def signed_board(client: object, signer: Signer | None) -> DynamoVantageBoard:
    """The adapter of somebody whose config lists keys."""
    retrying = new_retrying()
    return DynamoVantageBoard(client, TABLE, retrying, keyring=KEYRING, signer=signer)  # type: ignore[arg-type]  # likewise


def report(az: str, written_s: int, *phases: Phase) -> Report:
    """A planner's report of so many targets."""
    voices = tuple(
        Voice("web", f"t{at}", f"192.0.2.{at}", phase, None if phase is Phase.UNKNOWN else True)
        for at, phase in enumerate(phases)
    )
    return Report(az, written_s, voices)


async def test_the_newest_report_of_each_az_is_shown(board: VantageBoard) -> None:
    """Sorted by AZ, as it was written, and nothing of the one before."""
    assert list(await board.everyone()) == []
    await board.announce(report("az2", 1, Phase.HEALTHY))
    await board.announce(report("az1", 2))
    newest = report("az2", 3, *Phase)
    await board.announce(newest)
    assert list(await board.everyone()) == [report("az1", 2), newest]


async def test_two_thousand_targets_are_one_small_item(aws: StandIn) -> None:
    """Three AZs that write one each ten seconds stay cheap."""
    whole = report("az1", 1, *([Phase.HEALTHY] * 2_000))
    async with CLIENTS.open("dynamodb") as client:
        board = await on_a_table(client)
        await board.announce(whole)
        assert list(await board.everyone()) == [whole]
        answer = await client.get_item(TableName=TABLE, Key={"pk": BOARD, "sk": {"S": "az1"}})
    assert len(answer["Item"]["report"]["B"]) < 16_000


async def test_what_a_stranger_shows_is_no_report(aws: StandIn) -> None:
    """Where keys are listed, a report is its own AZ's, by a planner's key, or the board is an
    error: who is not heard is not outvoted, so no stranger's voice takes a target out."""
    async with CLIENTS.open("dynamodb") as client:
        await on_a_table(client)
        board = signed_board(client, PLANNER)
        honest = report("az1", 1, Phase.HEALTHY)
        await board.announce(honest)
        assert list(await board.everyone()) == [honest]
        mine = (await client.get_item(TableName=TABLE, Key={"pk": BOARD, "sk": {"S": "az1"}}))[
            "Item"
        ]
        for other, why in (
            ({"report": {"B": mine["report"]["B"] + b"x"}}, "signature that key planner-1"),
            ({"sk": {"S": "az2"}}, "signature that key planner-1 did not make"),
            ({"vouch": {"S": "planner-9:00"}}, "planner-9, which the config does not list"),
        ):
            await client.put_item(TableName=TABLE, Item={**mine, **other})
            with pytest.raises(ReadFailed, match=why):
                await board.everyone()
            await client.delete_item(
                TableName=TABLE, Key={"pk": BOARD, "sk": other.get("sk", mine["sk"])}
            )
        for signer, why in ((None, "is not signed"), (ANN_KEY, "only a key of planners may")):
            await signed_board(client, signer).announce(honest)
            with pytest.raises(ReadFailed, match=why):
                await board.everyone()


async def test_what_does_not_fit_or_cannot_be_read_is_an_error(aws: StandIn) -> None:
    """Nothing is cut, half of the board is not all of it, and a board away is no empty one."""
    chance = SeededJitter(1)
    voices = tuple(
        Voice("web", chance.token(256), chance.token(128), Phase.HEALTHY, True)
        for _ in range(10_000)
    )
    async with CLIENTS.open("dynamodb") as client:
        board = await on_a_table(client)
        with pytest.raises(ReadFailed, match=f"10000 targets in .*; limit: {REPORT_BYTES_MAX}"):
            await board.announce(Report("az1", 1, voices))
        damaged = {"pk": BOARD, "sk": {"S": "az3"}, "report": {"B": b"no report"}}
        await client.put_item(TableName=TABLE, Item=damaged)
        with pytest.raises(ReadFailed, match="what a planner finds cannot be read"):
            await board.everyone()
        await aws.go_away()
        with pytest.raises(ReadFailed):
            await board.everyone()
        with pytest.raises(ReadFailed):
            await board.announce(report("az1", 2))
