"""The same stand-in without a socket: same answers, same faults, time from the loop."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any, cast

import pytest
from aiobotocore.config import AioConfig
from botocore.exceptions import (
    ConnectionClosedError,
    EndpointConnectionError,
    ReadTimeoutError,
)

from sandbox.aws.faults import HoldRequest, LoseReply, LoseRequest, Where
from sandbox.aws.in_process import InProcessStandIn
from sandbox.aws.settings import Chance
from tests.contracts.aws.places import Table, Zone, record, values
from tests.contracts.aws.talk import Json, loop_session

URL = "http://aws.stand-in"
IMPATIENT_S = 0.2


class InProcessTalk:
    """aiobotocore, straight into the gate."""

    stand_in = None

    def __init__(self, aws: InProcessStandIn) -> None:
        self._config = AioConfig(
            http_session_cls=cast(Any, aws.session),  # it need not be aiobotocore's own
            retries={"total_max_attempts": 1},
            read_timeout=IMPATIENT_S,
        )

    async def ask(self, service: str, operation: str, **parameters: Any) -> Json:
        """Send one request."""
        made = loop_session().create_client(service, endpoint_url=URL, config=self._config)
        async with made as client:
            answer: Json = await getattr(client, operation)(**parameters)
            return answer


@pytest.fixture
async def aws() -> AsyncIterator[InProcessStandIn]:
    """Make a stand-in without a server."""
    made = InProcessStandIn()
    yield made
    made.close()


async def test_route53_and_dynamodb_answer(aws: InProcessStandIn) -> None:
    """Zones, record sets and items, with no socket."""
    talk = InProcessTalk(aws)
    zone = await Zone.make(talk)
    assert await zone.create(record(zone.at("*"))) == ""
    assert "already exists" in await zone.create(record(zone.at("\\052")))
    table = await Table.make(talk)
    await table.put("gen", 1)
    assert await table.generation() == "1"
    assert (await talk.ask("sts", "get_caller_identity"))["Account"] == aws.backend.account_id
    assert aws.ledger.requests["dynamodb", "GetItem", "AKIATESTTESTTESTTEST"] == 1


async def test_faults_are_the_client_s_own_errors(aws: InProcessStandIn) -> None:
    """A lost connection, an absence and a timeout raise what a socket would raise."""
    zone = await Zone.make(InProcessTalk(aws))
    batch = Where(operation="ChangeResourceRecordSets")
    name = zone.at("f")

    async def write(text: str) -> None:
        await zone.submit(("UPSERT", record(name, "TXT", f'"{text}"')))

    aws.faults.arm(LoseRequest(), batch)
    with pytest.raises(ConnectionClosedError):
        await write("lost")
    assert values(await zone.held()) == []
    aws.faults.arm(LoseReply(), batch)
    with pytest.raises(ConnectionClosedError):
        await write("unheard")
    assert values(await zone.held()) == ['"unheard"']
    armed = aws.faults.arm(HoldRequest(), batch)
    with pytest.raises(ReadTimeoutError):
        await write("late")
    aws.faults.release(armed.id)
    await armed.strikes[0].done.wait()
    assert values(await zone.held()) == ['"late"']
    aws.faults.away = True
    with pytest.raises(EndpointConnectionError):
        await write("away")


async def test_a_cancelled_client_does_not_stop_its_request(aws: InProcessStandIn) -> None:
    """What is on its way arrives."""
    zone = await Zone.make(InProcessTalk(aws))
    armed = aws.faults.arm(HoldRequest(), Where(operation="ChangeResourceRecordSets"))
    writing = asyncio.create_task(zone.create(record(zone.at("a"))))
    strike = await armed.first()
    writing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await writing
    aws.faults.release(armed.id)
    await strike.done.wait()
    assert len(await zone.held()) == 1


async def test_a_token_is_forgotten_after_ten_minutes() -> None:
    """Until then the same transaction is only acknowledged; after it, it is made again."""
    now_s = 1_000.0
    aws = InProcessStandIn(chance=Chance(clock=lambda: now_s))
    table = await Table.make(InProcessTalk(aws))
    await table.put("gen", 0)
    add = {
        "TableName": table.name,
        "Key": {"k": {"S": "gen"}},
        "UpdateExpression": "ADD g :n",
        "ExpressionAttributeValues": {":n": {"N": "1"}},
    }
    found = []
    for passed_s in (0.0, 599.0, 1.0):
        now_s += passed_s
        await table.talk.ask(
            "dynamodb",
            "transact_write_items",
            TransactItems=[{"Update": add}],
            ClientRequestToken="token",
        )
        found.append(await table.generation())
    aws.close()
    assert found == ["1", "1", "2"]


async def test_a_seeded_stand_in_repeats_itself() -> None:
    """With its chance seeded and its clocks fixed, ids are the same each time."""
    import random

    async def run() -> tuple[str, str, str]:
        source = random.Random(7)
        aws = InProcessStandIn(chance=Chance(clock=lambda: 1.0, wall=lambda: 2.0, source=source))
        talk = InProcessTalk(aws)
        made = await talk.ask(
            "route53", "create_hosted_zone", Name="a.example", CallerReference="1"
        )
        await talk.ask(
            "dynamodb",
            "create_table",
            TableName="t",
            KeySchema=[{"AttributeName": "k", "KeyType": "HASH"}],
            AttributeDefinitions=[{"AttributeName": "k", "AttributeType": "S"}],
            BillingMode="PAY_PER_REQUEST",
        )
        found = await talk.ask("dynamodb", "describe_table", TableName="t")
        aws.close()
        return made["HostedZone"]["Id"], made["ChangeInfo"]["Id"], found["Table"]["TableId"]

    assert await run() == await run()
