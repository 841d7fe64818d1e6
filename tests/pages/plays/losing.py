"""Plays of pages about what is lost: the table, a plan, accepted changes, or all but Route 53."""

import asyncio
import os
from collections.abc import Iterator
from contextlib import contextmanager

from dnsplan.runtime.aws import AwsClients
from dnsplan.runtime.table_expressions import key_of
from runbooks.drilling.making import delete_body
from sandbox.route53.model import Change
from sandbox.run.environment import REGION
from tests.pages.plays.states import API, WWW, a_pool, api_at, two_names
from tests.pages.room import LABEL, Room, a

TABLE = "dnsplan"
NOBODY = "http://127.0.0.1:1/"


@contextmanager
def no_table() -> Iterator[None]:
    """Nobody listens where the table should be."""
    os.environ["AWS_ENDPOINT_URL_DYNAMODB"] = NOBODY
    try:
        yield
    finally:
        del os.environ["AWS_ENDPOINT_URL_DYNAMODB"]


def break_glass(room: Room) -> Iterator[str]:
    """One name is edited, one deleted, and there are no table, no daemons and no config."""
    two_names(room)
    room.by_hand(Change("UPSERT", a("www", "192.0.2.66")), Change("DELETE", a("api", "192.0.2.20")))
    (room.folder / "dns.yaml").unlink()
    room.watched.vouch(1)
    with no_table():
        yield "dns-runbook restore plans/shop/1.json --dry-run"
        yield "dns-runbook restore plans/shop/1.json --save before.json"
        yield "dns-runbook restore plans/shop/1.json"
    room.config(WWW, API)
    room.enact()
    room.must("dns-runbook reconcile shop --because over --yes")


def table_unreachable(room: Room) -> Iterator[str]:
    """The table does not answer; then it does."""
    a_pool(room)
    with no_table():
        yield "dns-runbook explain www.example.com"
    yield "dns-runbook explain shop"


def table_restored(room: Room) -> Iterator[str]:
    """The table is put back to a moment before the live plan was published."""
    two_names(room)
    kept = room.backstage(lambda stand_in: stand_in.backend.dynamodb(REGION).take_snapshot(TABLE))
    room.config(WWW, api_at("192.0.2.21"))
    room.go_on()
    room.backstage(lambda one: one.backend.dynamodb(REGION).restore_snapshot(kept, TABLE))
    yield "dns-enactor once --az use1-az2"
    yield "dns-runbook reconcile shop --dry-run"
    yield "dns-runbook reconcile shop --because"
    room.enact()
    yield "dns-runbook status shop"
    yield "dns-runbook reconcile shop"


def lost_plan(room: Room) -> Iterator[str]:
    """The body of the newest plan is deleted before any enactor has read it."""
    two_names(room)
    room.config(WWW, api_at("192.0.2.21"))
    room.publish()
    asyncio.run(delete_body(TABLE, LABEL, 2))
    yield "dns-enactor once --az use1-az2"
    yield "dns-runbook reconcile shop --dry-run"
    yield 'dns-runbook reconcile shop --because "plan 2 lost"'
    yield "dns-planner plan shop --publish"
    room.enact()


def unreadable_item(room: Room) -> Iterator[str]:
    """Somebody takes a field out of the item, and nobody knows what it said."""
    two_names(room)
    asyncio.run(_lose_a_field())
    yield "dns-enactor once --az use1-az2"
    yield "dns-runbook status shop"
    asyncio.run(_delete_item())
    mark = room.watched.book.mark
    assert mark is not None
    room.watched.book.ceded.add(mark.owner)
    yield "dns-runbook reconcile shop --take-over"
    yield "dns-runbook reconcile shop --take-over"
    yield "dns-planner plan shop"
    room.enact()


async def _lose_a_field() -> None:
    async with AwsClients().open("dynamodb") as dynamodb:
        found = await dynamodb.get_item(TableName=TABLE, Key=key_of(LABEL), ConsistentRead=True)
        left = {name: one for name, one in found["Item"].items() if name != "floor"}
        await dynamodb.put_item(TableName=TABLE, Item=left)


async def _delete_item() -> None:
    async with AwsClients().open("dynamodb") as dynamodb:
        await dynamodb.delete_item(TableName=TABLE, Key=key_of(LABEL))


def lost_fence(room: Room) -> Iterator[str]:
    """Somebody edits a name and deletes the fence."""
    two_names(room)
    fence = room.zone.sets_at("_dnsplan.example.com.")["TXT", ""]
    room.by_hand(Change("UPSERT", a("www", "192.0.2.66")), Change("DELETE", fence))
    room.enact()
    yield "dns-runbook explain shop"
    yield "dns-runbook adopt shop --dry-run"
    yield "dns-runbook adopt shop --because"
    yield "dns-planner plan shop --publish"
    room.enact()
    yield "dns-runbook explain shop"


def failover(room: Room) -> Iterator[str]:
    """Route 53 loses the last accepted batch."""
    two_names(room)
    room.config(WWW, api_at("192.0.2.21"))
    room.go_on()
    room.backstage(lambda stand_in: stand_in.route53.forget_last(room.zone.id, 1))
    yield "dns-runbook history shop --limit 2"
    room.enact()
    yield "dns-runbook explain shop"
    yield "dns-runbook verify shop"


PLAYS = (
    break_glass,
    failover,
    lost_fence,
    lost_plan,
    table_restored,
    table_unreachable,
    unreadable_item,
)
