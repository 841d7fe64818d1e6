"""What somebody changed by hand in table or zone, as real bytes: held with words that name it, and
no record is changed. Answers, packets, sources and config are tried where they are read."""

import re
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import pytest
from msgspec import structs

from dnsplan.codec import seal, to_chunks, unseal
from dnsplan.errors import ReadFailed
from dnsplan.fence import fence_name
from dnsplan.plan import SCHEMA, PlanId
from dnsplan.runtime.archive_items import chunk_key
from dnsplan.runtime.aws import AwsClients
from dnsplan.runtime.keys import keyring_of
from enactor.rules.adoption import before_fence
from enactor.rules.outcomes import Held
from tests.fakes.world import a
from tests.integration.aws_stage import TABLE, AwsStage, aws_stage

OLD, NEW = a("www.example.com", "192.0.2.1"), a("www.example.com", "192.0.2.2")
ELSEWHERE = a("www.example.com", "203.0.113.9")


@dataclass
class Hand:
    """Somebody with a client and every right."""

    stage: AwsStage
    dynamodb: Any
    route53: Any

    async def head(self) -> PlanId:
        """The newest plan."""
        return (await self.stage.item()).head_id

    @asynccontextmanager
    async def put_right_after(self) -> AsyncIterator[None]:
        """What stands in table and fence now stands there again when the block ends."""
        stood, fence = await self._items(), ""

        def remember(text: str) -> str:
            nonlocal fence
            fence = text
            return text

        await self.fence(remember)
        yield
        await self.fence(lambda _: fence)
        for pk, sk in (await self._items()).keys() - stood.keys():
            key = {"pk": {"S": pk}, "sk": {"S": sk}}
            await self.dynamodb.delete_item(TableName=TABLE, Key=key)
        for item in stood.values():
            await self.dynamodb.put_item(TableName=TABLE, Item=item)

    async def _items(self) -> dict[tuple[str, str], Any]:
        """Everything in the table."""
        found = (await self.dynamodb.scan(TableName=TABLE, ConsistentRead=True))["Items"]
        return {(one["pk"]["S"], one["sk"]["S"]): one for one in found}

    async def item(self, **fields: Mapping[str, str]) -> None:
        """Set fields of the generation item."""
        await self.dynamodb.update_item(
            TableName=TABLE,
            Key={"pk": {"S": "gen#shop"}, "sk": {"S": "item"}},
            UpdateExpression="SET " + ", ".join(f"#{one} = :{one}" for one in fields),
            ExpressionAttributeNames={f"#{one}": one for one in fields},
            ExpressionAttributeValues={f":{one}": value for one, value in fields.items()},
        )

    async def chunk(self, change: Callable[[bytes], bytes]) -> None:
        """Change the first chunk of the newest plan."""
        key = chunk_key(await self.head(), 0)
        found = await self.dynamodb.get_item(TableName=TABLE, Key=key)
        body = change(bytes(found["Item"]["body"]["B"]))
        await self.dynamodb.put_item(TableName=TABLE, Item={**found["Item"], "body": {"B": body}})

    async def fence(self, change: Callable[[str], str]) -> None:
        """Change the fence record's text."""
        name = fence_name(self.stage.zone.name)
        zone = self.stage.zone.zone_id
        listed = await self.route53.list_resource_record_sets(HostedZoneId=zone)
        [stands] = [
            one
            for one in listed["ResourceRecordSets"]
            if (one["Name"], one["Type"]) == (name, "TXT")
        ]
        [value] = stands["ResourceRecords"]
        other = {**stands, "ResourceRecords": [{"Value": change(value["Value"])}]}
        await self.route53.change_resource_record_sets(
            HostedZoneId=zone,
            ChangeBatch={"Changes": [{"Action": "UPSERT", "ResourceRecordSet": other}]},
        )


async def bytes_of_a_chunk(hand: Hand) -> None:
    """One byte of a plan's chunk."""
    await hand.chunk(lambda body: body[:-1] + bytes([body[-1] ^ 1]))


async def half_of_a_chunk(hand: Hand) -> None:
    """Half of a chunk is gone."""
    await hand.chunk(lambda body: body[: len(body) // 2])


async def plan_under_the_name_of_another(hand: Hand) -> None:
    """A whole plan with other answers, in the place of the newest."""
    plan = unseal(await hand.stage.archive.load(await hand.head()))
    [forged] = to_chunks(seal(structs.replace(plan, content=(ELSEWHERE,))).body)
    await hand.chunk(lambda _: forged)


async def plan_of_a_newer_release(hand: Hand) -> None:
    """A whole plan of a form that nobody here knows."""
    plan = unseal(await hand.stage.archive.load(await hand.head()))
    newer = seal(structs.replace(plan, schema=SCHEMA + 1))
    await hand.dynamodb.put_item(
        TableName=TABLE,
        Item={
            **chunk_key(newer.plan_id, 0),
            "body": {"B": to_chunks(newer.body)[0]},
            "chunks": {"N": "1"},
        },
    )
    await hand.item(head_digest={"S": newer.plan_id.digest})


async def head_that_was_never_published(hand: Hand) -> None:
    """A number of the future."""
    await hand.item(head={"N": "900"})


async def digest_of_the_head(hand: Hand) -> None:
    """Another plan's digest."""
    await hand.item(head_digest={"S": "0" * 64})


async def head_of_words(hand: Hand) -> None:
    """No number at all."""
    await hand.item(head={"S": "two"})


async def item_of_a_newer_release(hand: Hand) -> None:
    """An item of a form that nobody here knows."""
    await hand.item(schema={"N": "2"})


async def item_of_another_table(hand: Hand) -> None:
    """An item that was copied here."""
    await hand.item(incarnation={"S": "another"})


async def item_of_another_zone(hand: Hand) -> None:
    """An item that is bound elsewhere."""
    await hand.item(zone_id={"S": "ZELSEWHERE"})


async def owner_of_the_item(hand: Hand) -> None:
    """Another deployment's."""
    await hand.item(owner={"S": "f" * 32})


async def words_in_the_fence(hand: Hand) -> None:
    """A field that nobody knows."""
    await hand.fence(lambda text: text.replace("held=", "hold="))


async def fence_of_a_newer_release(hand: Hand) -> None:
    """A form that nobody here knows."""
    await hand.fence(lambda text: text.replace("dnsplan/1", "dnsplan/2"))


async def owner_in_the_fence(hand: Hand) -> None:
    """Another deployment's."""
    await hand.fence(lambda text: re.sub("owner=[0-9a-f]+", f"owner={'f' * 32}", text))


async def generation_in_the_fence(hand: Hand) -> None:
    """A number above all that were published."""
    await hand.fence(lambda text: text.replace("generation=1 ", "generation=900 "))


TAMPERED: dict[Callable[[Hand], Awaitable[None]], str] = {
    bytes_of_a_chunk: "plan_unusable: plan shop 2: the body cannot be decompressed",
    half_of_a_chunk: "plan_unusable: plan shop 2: the body cannot be decompressed",
    plan_under_the_name_of_another: "plan_unusable: plan shop 2: the bytes do not match digest",
    plan_of_a_newer_release: "plan_unusable: plan shop 2 has schema 2; .* upgrade this daemon",
    head_that_was_never_published: "plan_unusable: ",
    digest_of_the_head: "plan_unusable: ",
    head_of_words: "unread: the item gen#shop/item has no whole number head",
    item_of_a_newer_release: "unread: the item gen#shop has schema 2; .* upgrade this daemon",
    item_of_another_table: "foreign_table: .* was written in table another",
    item_of_another_zone: "other_zone: shop is bound to zone ZELSEWHERE",
    owner_of_the_item: "foreign_owner: ",
    words_in_the_fence: "fence_damaged: ",
    fence_of_a_newer_release: "fence_damaged: .*'dnsplan/2'; this release reads 'dnsplan/1'",
    owner_in_the_fence: "foreign_owner: ",
    generation_in_the_fence: "ahead: ",
}


@pytest.fixture
async def hand(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Hand]:
    """A zone at its first plan, with a second one published."""
    async with aws_stage(monkeypatch) as stage:
        await stage.publish(OLD)
        cycle = stage.az()
        await stage.enact(cycle)
        await stage.settle(cycle)
        await stage.publish(NEW)
        clients = AwsClients()
        async with clients.open("dynamodb") as dynamodb, clients.open("route53") as route53:
            yield Hand(stage, dynamodb, route53)


async def looked_at(stage: AwsStage) -> str:
    """What an enactor says that meets it after a restart: by its item, then by its cycle."""
    try:
        item = await stage.item()
        incarnation = await stage.table.incarnation()
        adopted = before_fence(item, stage.zone, incarnation=incarnation, keyring=keyring_of(None))
        outcome = adopted if isinstance(adopted, Held) else await stage.enact(stage.az())
    except ReadFailed as error:
        return f"unread: {error}"
    return f"{outcome.rule}: {outcome.text}" if isinstance(outcome, Held) else "went on"


def records(stage: AwsStage) -> list[object]:
    """Everything that stands in the zone."""
    return sorted(stage.stand_in.route53.zone(stage.zone.zone_id).records(), key=repr)


async def test_what_was_tampered_with_is_held_and_nothing_else(hand: Hand) -> None:
    """By the rule that fits, in words that name it; the zone stays as it is. Untouched, or put
    right again, the newest plan is applied."""
    stage = hand.stage
    for tamper, words in TAMPERED.items():
        async with hand.put_right_after():
            await tamper(hand)
            before = records(stage)
            said = await looked_at(stage)
            assert re.match(words, said), (tamper.__name__, said)
            assert records(stage) == before, tamper.__name__
    before = records(stage)
    assert await looked_at(stage) == "went on"
    assert records(stage) != before
