"""What a client meets when a fault strikes, and what the service has done all the same."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
from botocore.exceptions import (
    ClientError,
    ConnectionClosedError,
    EndpointConnectionError,
    ReadTimeoutError,
)

from sandbox.aws.faults import (
    CONFLICT,
    INTERNAL,
    PRIOR_REQUEST,
    THROTTLE,
    UNAVAILABLE,
    Armed,
    Delay,
    Fault,
    HoldRequest,
    LoseReply,
    LoseRequest,
    Refuse,
    Where,
    WithholdReply,
)
from sandbox.aws.server import StandIn, serve
from tests.contracts.aws.places import Table, Zone, record, values
from tests.contracts.aws.talk import refusal, talking

BATCH = Where(operation="ChangeResourceRecordSets")
IMPATIENT_S = 0.3


@pytest.fixture
async def aws() -> AsyncIterator[StandIn]:
    """Run a stand-in of the test's own."""
    async with serve() as running:
        yield running


@pytest.fixture
async def zone(aws: StandIn) -> AsyncIterator[Zone]:
    """Open a zone in it, through a client that waits only a moment."""
    async with talking("aiobotocore", aws.endpoint_url, None, read_timeout=IMPATIENT_S) as talk:
        yield await Zone.make(talk)


async def fence(zone: Zone) -> list[str]:
    """Read the fence's texts."""
    return values(await zone.held())


def write(zone: Zone, text: str) -> Any:
    """Start writing the fence."""
    return zone.submit(("UPSERT", record(zone.at("_fence"), "TXT", f'"{text}"')))


async def test_a_lost_request_did_nothing(aws: StandIn, zone: Zone) -> None:
    """The connection closes and the zone is as it was; the next request is well."""
    aws.faults.arm(LoseRequest(), BATCH)
    with pytest.raises(ConnectionClosedError):
        await write(zone, "1")
    assert await fence(zone) == []
    await write(zone, "2")
    assert await fence(zone) == ['"2"']


async def test_a_lost_reply_did_act(aws: StandIn, zone: Zone) -> None:
    """The client cannot tell it from a lost request."""
    aws.faults.arm(LoseReply(), BATCH)
    with pytest.raises(ConnectionClosedError):
        await write(zone, "1")
    assert await fence(zone) == ['"1"']


async def test_a_withheld_reply_did_act(aws: StandIn, zone: Zone) -> None:
    """The client waits in vain, others see the change."""
    armed = aws.faults.arm(WithholdReply(), BATCH)
    with pytest.raises(ReadTimeoutError):
        await write(zone, "1")
    assert await fence(zone) == ['"1"']
    assert [strike.progress for strike in armed.strikes] == ["acted"]


async def test_a_released_reply_arrives(aws: StandIn, zone: Zone) -> None:
    """A client that still waits gets its answer."""
    armed = aws.faults.arm(WithholdReply(), BATCH)
    writing = asyncio.create_task(write(zone, "1"))
    await (await armed.first()).acted.wait()
    assert not writing.done()
    assert aws.faults.release(armed.id) == 1
    assert (await writing)["Status"] == "PENDING"
    assert aws.faults.release(armed.id) == 0


async def test_a_held_request_lands_when_its_client_has_gone(aws: StandIn, zone: Zone) -> None:
    """It acts late, on what is there by then."""
    armed = aws.faults.arm(HoldRequest(), BATCH)
    with pytest.raises(ReadTimeoutError):
        await write(zone, "late")
    await write(zone, "meanwhile")
    strike = armed.strikes[0]
    assert (strike.progress, strike.answer) == ("waiting", None)
    aws.faults.release(armed.id)
    await strike.done.wait()
    assert strike.answer is not None
    assert strike.answer.status == 200
    assert await fence(zone) == ['"late"']


async def test_a_held_swap_lands_refused(aws: StandIn, zone: Zone) -> None:
    """A swap from a value that is gone by then changes nothing."""
    await write(zone, "1")
    name = zone.at("_fence")
    swap = [("DELETE", record(name, "TXT", '"1"')), ("CREATE", record(name, "TXT", '"2"'))]
    armed = aws.faults.arm(HoldRequest(), BATCH)
    with pytest.raises(ReadTimeoutError):
        await zone.submit(*swap)
    await write(zone, "other")
    aws.faults.release(armed.id)
    await (await armed.first()).done.wait()
    assert armed.strikes[0].answer is not None
    assert armed.strikes[0].answer.error == "InvalidChangeBatch"
    assert await fence(zone) == ['"other"']


@pytest.mark.parametrize("applied", [False, True])
@pytest.mark.parametrize("fault", [THROTTLE, PRIOR_REQUEST, UNAVAILABLE, INTERNAL])
async def test_an_error_says_nothing_of_what_was_done(
    aws: StandIn, zone: Zone, fault: Refuse, applied: bool
) -> None:
    """Each error can come with and without effect."""
    aws.faults.arm(Refuse(fault.code, fault.message, fault.status, applied), BATCH)
    with pytest.raises(ClientError) as caught:
        await write(zone, "1")
    answer = caught.value.response
    assert (fault.code, fault.status) == (
        answer["Error"]["Code"],
        answer["ResponseMetadata"]["HTTPStatusCode"],
    )
    assert await fence(zone) == (['"1"'] if applied else [])


async def test_a_delay_is_only_a_delay(aws: StandIn, zone: Zone) -> None:
    """The request acts, later."""
    aws.faults.arm(Delay(IMPATIENT_S / 5), BATCH)
    assert (await write(zone, "1"))["Status"] == "PENDING"


async def test_dynamodb_errors_have_its_own_form(aws: StandIn) -> None:
    """A conflict on one table reaches only that table's client."""
    async with talking("aiobotocore", aws.endpoint_url, None) as talk:
        one, other = await Table.make(talk), await Table.make(talk)
        aws.faults.arm(CONFLICT, Where(service="dynamodb", resource=one.name, times=None))
        await other.put("k", 1)
        assert (await refusal(one.put("k", 1))).startswith("TransactionConflictException: ")
        part = {"Put": {"TableName": one.name, "Item": {"k": {"S": "x"}}}}
        asking = talk.ask("dynamodb", "transact_write_items", TransactItems=[part])
        assert (await refusal(asking)).startswith("TransactionConflictException: ")


def armed_for(aws: StandIn, **where: Any) -> Armed:
    """Arm a throttle for the given requests."""
    return aws.faults.arm(THROTTLE, Where(**where))


async def test_a_fault_strikes_only_the_requests_it_names(aws: StandIn, zone: Zone) -> None:
    """By operation, zone, access key, text in the body, and count."""
    twin = await Zone.make(zone.talk)
    missing = [
        armed_for(aws, service="dynamodb"),
        armed_for(aws, operation="ListHostedZones"),
        armed_for(aws, resource="ZNOPE"),
        armed_for(aws, access_key="AKIANOBODY"),
        armed_for(aws, operation="ChangeResourceRecordSets", contains="generation=9"),
    ]
    assert await zone.upsert(record(zone.at("a"))) == ""
    assert [armed.seen for armed in missing] == [0] * 5
    armed_for(aws, resource=twin.id, access_key="AKIATESTTESTTESTTEST", after=1, times=2)
    answers = [await twin.upsert(record(twin.at("a"))) for _ in range(4)]
    assert [answer.partition(":")[0] for answer in answers] == ["", "Throttling", "Throttling", ""]
    assert await zone.upsert(record(zone.at("a"))) == ""
    assert "Throttling" in await zone.upsert(record(zone.at("f"), "TXT", '"generation=9"'))
    assert [armed.spent for armed in missing] == [False] * 4 + [True]


async def test_faults_can_be_taken_away(aws: StandIn, zone: Zone) -> None:
    """What they hold goes on."""
    armed = aws.faults.arm(HoldRequest(), Where(operation="ChangeResourceRecordSets", times=None))
    writing = asyncio.create_task(write(zone, "1"))
    await armed.first()
    aws.faults.clear()
    assert (await writing)["Status"] == "PENDING"
    assert aws.faults.armed == {}


async def test_away_closes_each_connection(aws: StandIn, zone: Zone) -> None:
    """A connection opens and closes with no reply; nothing is done."""
    aws.faults.away = True
    with pytest.raises(ConnectionClosedError):
        await write(zone, "1")
    aws.faults.away = False
    assert await fence(zone) == []


async def test_gone_away_refuses_connections(aws: StandIn, zone: Zone) -> None:
    """Open connections break, new ones are refused, until it is back on the same port."""
    await write(zone, "1")
    port = aws.port
    await aws.go_away()
    for _ in range(2):
        with pytest.raises((EndpointConnectionError, ConnectionClosedError)):
            await write(zone, "2")
    await aws.come_back()
    assert aws.port == port
    assert await fence(zone) == ['"1"']


async def test_gone_away_for_a_while(aws: StandIn, zone: Zone) -> None:
    """It leaves, closing what is open, and comes back without being asked."""
    reader, writer = await asyncio.open_connection("127.0.0.1", aws.port)
    back = aws.go_away_for(IMPATIENT_S)
    assert await reader.read() == b""
    writer.close()
    with pytest.raises((EndpointConnectionError, ConnectionClosedError)):
        await zone.page()
    await back
    assert await fence(zone) == []


@pytest.mark.parametrize("fault", [HoldRequest(), WithholdReply(), Delay(60)])
async def test_closing_drops_what_is_held(fault: Fault) -> None:
    """A stand-in closes at once, whatever it holds."""
    async with serve() as aws, talking("aiobotocore", aws.endpoint_url, None) as talk:
        zone = await Zone.make(talk)
        armed = aws.faults.arm(fault, BATCH)
        writing = asyncio.create_task(write(zone, "1"))
        await armed.first()
        await aws.close()
        with pytest.raises((ConnectionClosedError, ClientError)):
            await writing


async def test_a_throttled_account(aws: StandIn, zone: Zone) -> None:
    """Five requests a second for all of Route 53; DynamoDB is not concerned."""
    aws.settings.route53.rate_per_s = 0.001
    answers = [await refusal(zone.page(MaxItems="1")) for _ in range(6)]
    assert answers == [""] * 5 + ["Throttling: Rate exceeded"]
    await Table.make(zone.talk)
