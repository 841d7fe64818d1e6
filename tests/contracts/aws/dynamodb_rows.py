"""The DynamoDB rows: each shows one thing that real DynamoDB does, to whichever double is asked.

D01 to D03 are races, so what plain moto does with them is up to chance: test_races.py has those.
"""

import asyncio
import uuid
from typing import Any

import pytest
from botocore.exceptions import ClientError

from sandbox.aws.faults import THROUGHPUT, Where
from sandbox.aws.server import StandIn
from tests.contracts.aws.places import Table
from tests.contracts.aws.rows import Case, row
from tests.contracts.aws.talk import Json, Talk, refusal

ROWS: list[Case] = []
WRITERS = 8
ROUNDS = 5


def update(table: Table, **stated: Any) -> Json:
    """State an update within a transaction."""
    return {"Update": {"TableName": table.name, **stated}}


async def transact(table: Table, *parts: Json, **parameters: Any) -> Json:
    """Send a transaction."""
    return await table.talk.ask(
        "dynamodb", "transact_write_items", TransactItems=list(parts), **parameters
    )


async def failure(asking: Any) -> Json:
    """Await a request that must fail; give the whole error answer."""
    with pytest.raises(ClientError) as caught:
        await asking
    return dict(caught.value.response)


@row(ROWS)
async def d01_one_of_many_conditional_updates_wins(talk: Talk) -> None:
    """Of updates that expect the same generation, exactly one is made."""
    table = await Table.make(talk)
    await table.put("gen", 0)
    for turn in range(ROUNDS):
        answers = await asyncio.gather(
            *[
                refusal(
                    table.ask(
                        "update_item", **table.advance(expected=turn, to=turn + 1, writer=f"w{n}")
                    )
                )
                for n in range(WRITERS)
            ]
        )
        assert answers.count("") == 1
    assert await table.generation() == str(ROUNDS)


@row(ROWS)
async def d02_one_of_many_transactions_wins(talk: Talk) -> None:
    """Of transactions that expect the same generation, exactly one is made."""
    table = await Table.make(talk)
    await table.put("gen", 0)
    for turn in range(ROUNDS):
        answers = await asyncio.gather(
            *[
                refusal(
                    transact(
                        table,
                        update(table, **table.advance(expected=turn, to=turn + 1, writer=f"w{n}")),
                    )
                )
                for n in range(WRITERS)
            ]
        )
        assert answers.count("") == 1
        assert {one.partition(":")[0] for one in answers} == {"", "TransactionCanceledException"}


@row(ROWS)
async def d03_a_failed_transaction_undoes_only_itself(talk: Talk) -> None:
    """Writes made meanwhile by others stay, and nothing of the failed one does."""
    table = await Table.make(talk)
    await table.put("gen", 0)
    doomed = [
        {"Put": {"TableName": table.name, "Item": {"k": {"S": "half"}, "g": {"N": "1"}}}},
        update(table, **table.advance(expected=9, to=10, writer="w")),
    ]
    writes = [table.put(f"other{n}", n) for n in range(WRITERS)]
    failed = [refusal(transact(table, *doomed)) for _ in range(WRITERS)]
    answers = await asyncio.gather(
        *[one for pair in zip(writes, failed, strict=True) for one in pair]
    )
    assert all("TransactionCanceled" in str(one) for one in answers[1::2])
    found = [await table.generation(f"other{n}") for n in range(WRITERS)]
    assert found == [str(n) for n in range(WRITERS)]
    assert await table.generation("half") is None


@row(ROWS, "conflicts and throttles never occur")
async def d04_conflicts_and_throttles_occur(talk: Talk) -> None:
    """A client must be ready for errors that are no verdict; here a fault brings them."""
    table = await Table.make(talk)
    await table.put("gen", 0)
    if talk.stand_in is not None:
        talk.stand_in.call(lambda aws: arm_throughput(aws, table.name))
    answer = await refusal(table.ask("update_item", **table.advance(expected=0, to=1, writer="w")))
    assert answer.startswith("ProvisionedThroughputExceededException: ")
    assert await table.generation() == "0"


def arm_throughput(aws: StandIn, table_name: str) -> None:
    """Let the next update of a table meet a throughput error."""
    aws.faults.arm(THROUGHPUT, Where(operation="UpdateItem", resource=table_name))


@row(ROWS, "the token is ignored, the write is made twice")
async def d05_a_client_token_makes_a_transaction_idempotent(talk: Talk) -> None:
    """The same again is acknowledged and not made; another request with the token is refused."""
    table = await Table.make(talk)
    await table.put("gen", 0)
    token = str(uuid.uuid4())

    def add(amount: int) -> Json:
        return update(
            table,
            Key={"k": {"S": "gen"}},
            UpdateExpression="ADD g :n",
            ExpressionAttributeValues={":n": {"N": str(amount)}},
        )

    await transact(table, add(1), ClientRequestToken=token)
    await transact(table, add(1), ClientRequestToken=token)
    assert await table.generation() == "1"
    other = await refusal(transact(table, add(2), ClientRequestToken=token))
    assert other.startswith("IdempotentParameterMismatchException: ")


@row(ROWS)
async def d06_a_failed_condition_shows_the_item(talk: Talk) -> None:
    """With ALL_OLD, on Put, Update and ConditionCheck."""
    table = await Table.make(talk)
    await table.put("gen", 7)
    there = {"k": {"S": "gen"}, "g": {"N": "7"}}
    wanted = {"ReturnValuesOnConditionCheckFailure": "ALL_OLD"}
    condition = {
        "ConditionExpression": "g = :x",
        "ExpressionAttributeValues": {":x": {"N": "0"}},
        **wanted,
    }
    put = await failure(table.ask("put_item", Item={"k": {"S": "gen"}}, **condition))
    updated = await failure(
        table.ask("update_item", **table.advance(expected=0, to=1, writer="w"), **wanted)
    )
    check = {"ConditionCheck": {"TableName": table.name, "Key": {"k": {"S": "gen"}}, **condition}}
    checked = await failure(transact(table, check))
    assert [put["Item"], updated["Item"]] == [there, there]
    assert checked["CancellationReasons"][0]["Item"] == there


@row(ROWS)
async def d07_cancellation_reasons_are_in_order(talk: Talk) -> None:
    """One reason a part, in the order of the request."""
    table = await Table.make(talk)
    await table.put("a", 1)
    await table.put("b", 1)
    answer = await failure(
        transact(
            table,
            update(table, **table.advance(expected=1, to=2, writer="w", key="a")),
            update(table, **table.advance(expected=9, to=2, writer="w", key="b")),
        )
    )
    codes = [reason["Code"] for reason in answer["CancellationReasons"]]
    assert codes == ["None", "ConditionalCheckFailed"]
    assert await table.generation("a") == "1"


@row(ROWS)
async def d08_a_transaction_has_100_parts(talk: Talk) -> None:
    """101 are refused, 100 are not, two parts about one item are."""
    table = await Table.make(talk)

    def put(key: str) -> Json:
        return {"Put": {"TableName": table.name, "Item": {"k": {"S": key}}}}

    answer = await refusal(transact(table, *[put(f"k{n}") for n in range(101)]))
    assert answer.startswith("ValidationException: ")
    await transact(table, *[put(f"k{n}") for n in range(100)])
    twice = await refusal(transact(table, put("x"), put("x")))
    assert "cannot include multiple operations on one item" in twice


@row(ROWS)
async def d09_numbers_compare_as_numbers(talk: Talk) -> None:
    """10 is more than 9, and equals 10.0 and 1E1."""
    table = await Table.make(talk)
    await table.put("gen", 10)

    async def holds(condition: str, value: str) -> bool:
        answer = await refusal(
            table.put(
                "gen",
                10,
                ConditionExpression=condition,
                ExpressionAttributeValues={":v": {"N": value}},
            )
        )
        return answer == ""

    found = [await holds(*one) for one in (("g > :v", "9"), ("g = :v", "10.0"), ("g = :v", "1E1"))]
    assert found == [True, True, True]
    assert not await holds("g < :v", "9")


@row(ROWS, "every read is of the present")
async def d10_an_eventual_read_may_be_stale(talk: Talk) -> None:
    """Only a consistent read is sure to see the last write; get, query, scan and batch alike."""
    table = await Table.make(talk)
    await table.put("gen", 1)
    if talk.stand_in is not None:
        talk.stand_in.call(lambda aws: setattr(aws.settings.dynamodb, "eventual_reads_lag_s", 60.0))
    try:
        await table.put("gen", 2)
        await table.put("gen", 3)
        await table.put("new", 1)
        await table.ask("delete_item", Key={"k": {"S": "new"}})
        stale = await generations_read(table, consistent=False)
        fresh = await generations_read(table, consistent=True)
    finally:
        if talk.stand_in is not None:
            talk.stand_in.call(
                lambda aws: setattr(aws.settings.dynamodb, "eventual_reads_lag_s", 0.0)
            )
    assert fresh == ["3"] * 4
    assert stale == ["1"] * 4
    assert await table.generation(ConsistentRead=False) == "3"
    assert await table.generation("new") is None


async def generations_read(table: Table, *, consistent: bool) -> list[str]:
    """Read the item in each of the four ways."""
    key = {"k": {"S": "gen"}}
    read: Json = {"ConsistentRead": consistent}
    got = [(await table.ask("get_item", Key=key, **read))["Item"]]
    values = {":k": {"S": "gen"}}
    got += (
        await table.ask(
            "query", KeyConditionExpression="k = :k", ExpressionAttributeValues=values, **read
        )
    )["Items"]
    got += (await table.ask("scan", **read))["Items"]
    batch = {table.name: {"Keys": [key], **read}}
    answer = await table.talk.ask("dynamodb", "batch_get_item", RequestItems=batch)
    got += answer["Responses"][table.name]
    return [item["g"]["N"] for item in got]


@row(ROWS)
async def d11_an_expired_item_is_still_there(talk: Talk) -> None:
    """Deletion by TTL is up to days late, so that readers must look at the time themselves."""
    table = await Table.make(talk)
    await table.ask(
        "update_time_to_live",
        TimeToLiveSpecification={"Enabled": True, "AttributeName": "g"},
    )
    await table.put("gen", 1)  # 1 second after the epoch
    assert await table.generation() == "1"
