"""Tables: their ids, copies of them, and writes that happen whole or not at all."""

from collections.abc import AsyncIterator

import aiohttp
import pytest

from sandbox.aws.threaded import ThreadedStandIn
from tests.contracts.aws.places import Table
from tests.contracts.aws.talk import Json, Talk, refusal, talking, unique


@pytest.fixture
async def talk(stand_in: ThreadedStandIn) -> AsyncIterator[Talk]:
    """Talk to the stand-in."""
    async with talking("aiobotocore", stand_in.endpoint_url, stand_in) as open_talk:
        yield open_talk


async def table_id(table: Table) -> str:
    """Ask for a table's id."""
    found: str = (await table.ask("describe_table"))["Table"]["TableId"]
    return found


async def control(talk: Talk, path: str, **body: object) -> Json:
    """Send a control request."""
    assert talk.stand_in is not None
    async with (
        aiohttp.ClientSession(talk.stand_in.endpoint_url) as session,
        session.post(f"/_sandbox/dynamodb/{path}", json=body) as answer,
    ):
        found: Json = await answer.json()
        assert answer.status == 200, found
        return found


async def test_a_table_has_an_id_of_its_own(talk: Talk) -> None:
    """It stays the same while the table lives; a table made anew has another."""
    table = await Table.make(talk)
    first = await table_id(table)
    assert first == await table_id(table)
    assert first != await table_id(await Table.make(talk))
    await table.ask("delete_table")
    await talk.ask(
        "dynamodb",
        "create_table",
        TableName=table.name,
        KeySchema=[{"AttributeName": "k", "KeyType": "HASH"}],
        AttributeDefinitions=[{"AttributeName": "k", "AttributeType": "S"}],
        BillingMode="PAY_PER_REQUEST",
    )
    assert first != await table_id(table)


async def test_a_restored_table_has_another_id(talk: Talk) -> None:
    """By backup, to a point in time, or by the control API, in place or under another name."""
    table = await Table.make(talk)
    await table.put("gen", 1)
    kept = (await control(talk, "snapshot", table=table.name))["snapshot"]
    backup = await table.ask("create_backup", BackupName="kept")
    await table.put("gen", 2)
    ids = [await table_id(table)]
    copy = Table(talk, unique("copy"))
    ids.append((await control(talk, "restore", snapshot=kept, table=copy.name))["table_id"])
    assert [await copy.generation(), await table.generation()] == ["1", "2"]
    arn = (await copy.ask("describe_table"))["Table"]["TableArn"]
    assert arn.endswith(f":table/{copy.name}")
    restored = Table(talk, unique("restored"))
    await talk.ask(
        "dynamodb",
        "restore_table_from_backup",
        TargetTableName=restored.name,
        BackupArn=backup["BackupDetails"]["BackupArn"],
    )
    pointed = Table(talk, unique("pointed"))
    await talk.ask(
        "dynamodb",
        "restore_table_to_point_in_time",
        SourceTableName=table.name,
        TargetTableName=pointed.name,
        UseLatestRestorableTime=True,
    )
    ids += [await table_id(restored), await table_id(pointed)]
    await control(talk, "restore", snapshot=kept)
    ids.append(await table_id(table))
    assert await table.generation() == "1"
    assert len(set(ids)) == 5
    await copy.put("gen", 9)
    assert await table.generation() == "1"


async def test_a_failed_update_changes_nothing(talk: Talk) -> None:
    """An update whose second half cannot be made leaves its first half unmade."""
    table = await Table.make(talk)
    await table.put("gen", 1)
    asking = table.ask(
        "update_item",
        Key={"k": {"S": "gen"}},
        UpdateExpression="SET g = :n, k2.x = :n",
        ExpressionAttributeValues={":n": {"N": "2"}},
    )
    assert (await refusal(asking)).startswith("ValidationException")
    assert await table.generation() == "1"
    too_big = table.ask(
        "update_item",
        Key={"k": {"S": "gen"}},
        UpdateExpression="SET g = :n, big = :big",
        ExpressionAttributeValues={":n": {"N": "2"}, ":big": {"S": "x" * 410_000}},
    )
    assert "size" in await refusal(too_big)
    assert await table.generation() == "1"


async def test_a_failed_transaction_leaves_nothing(talk: Talk) -> None:
    """Also where the failure is found only while writing."""
    table = await Table.make(talk)
    await table.put("gen", 1)
    bad = {
        "Key": {"k": {"S": "gen"}},
        "UpdateExpression": "SET g = g + :n",
        "ExpressionAttributeValues": {":n": {"S": "no number"}},
    }
    parts = [
        {"Put": {"TableName": table.name, "Item": {"k": {"S": "new"}, "g": {"N": "1"}}}},
        {"Delete": {"TableName": table.name, "Key": {"k": {"S": "old"}}}},
        {"Update": {"TableName": table.name, **bad}},
    ]
    await table.put("old", 5)
    assert await refusal(talk.ask("dynamodb", "transact_write_items", TransactItems=parts)) != ""
    found = [await table.generation(key) for key in ("new", "old", "gen")]
    assert found == [None, "5", "1"]


async def test_an_item_without_its_key_is_refused_in_moto_words(talk: Talk) -> None:
    """The wrapper around writes does not hide what moto says."""
    table = await Table.make(talk)
    assert "Missing the key k in the item" in await refusal(
        table.ask("put_item", Item={"g": {"N": "1"}})
    )
