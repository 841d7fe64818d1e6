"""Making the table: waited for within a bound, safe beside another, and never forced to fit."""

import pytest

from dnsplan.errors import ConfigError, ReadFailed
from dnsplan.runtime.dynamodb import DynamoDb
from dnsplan.runtime.table import create_table
from tests.contracts.conftest import TABLE, new_retrying
from tests.contracts.scripted import ScriptedDynamoDb, aws_error
from tests.fakes.clock import FakeClock, SeededJitter

KEYS = [
    {"AttributeName": "pk", "KeyType": "HASH"},
    {"AttributeName": "sk", "KeyType": "RANGE"},
]
ACTIVE = {"Table": {"TableStatus": "ACTIVE", "TableId": "x", "KeySchema": KEYS}}


async def make(client: DynamoDb, clock: FakeClock | None = None) -> object:
    """Make the table, and give what came of it."""
    made = await create_table(
        client,
        TABLE,
        clock=clock or FakeClock(),
        jitter=SeededJitter(),
        retrying=new_retrying(),
    )
    return (made.incarnation, made.created)


async def test_making_waits_until_the_table_serves() -> None:
    """A table that is being made is waited for, and then its id is given."""
    creating = {"Table": {"TableStatus": "CREATING"}}
    missing = aws_error("ResourceNotFoundException")
    client = ScriptedDynamoDb([missing, {}, creating, creating, ACTIVE])
    assert await make(client) == ("x", True)
    request = dict(client.requests[1][1])
    assert request["BillingMode"] == "PAY_PER_REQUEST"
    assert request["KeySchema"] == KEYS


async def test_making_beside_another() -> None:
    """Two inits at once: the second finds the table in use, and waits like the first."""
    missing, in_use = aws_error("ResourceNotFoundException"), aws_error("ResourceInUseException")
    assert await make(ScriptedDynamoDb([missing, in_use, ACTIVE])) == ("x", True)


async def test_making_waits_a_bounded_time() -> None:
    """A table that never serves is ReadFailed, not a wait for ever."""
    clock = FakeClock()
    creating = {"Table": {"TableStatus": "CREATING"}}
    with pytest.raises(ReadFailed, match="CREATING after"):
        await make(ScriptedDynamoDb([creating] * 500), clock)
    assert clock.elapsed_s() < 200


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ({**ACTIVE["Table"], "KeySchema": KEYS[:1]}, "keys"),
        ({**ACTIVE["Table"], "Replicas": [{}]}, "replicas"),
    ],
)
async def test_a_table_that_does_not_fit(table: dict[str, object], said: str) -> None:
    """A table with other keys, or replicated without consistency, is refused and left alone."""
    client = ScriptedDynamoDb([{"Table": table}] * 2)
    with pytest.raises(ConfigError, match=said):
        await make(client)
    assert {operation for operation, _ in client.requests} == {"describe_table"}
