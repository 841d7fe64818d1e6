"""The plan archive when it is stopped half-way, or finds what it did not write: a plan is whole or
it is no plan."""

import hashlib
from collections.abc import AsyncIterator
from typing import Any

import pytest
from msgspec import structs

from dnsplan.codec import CHUNK_BYTES_MAX, Envelope, digest_of
from dnsplan.errors import PlanDamaged, PlanMissing, PlanUnusable, ReadFailed
from dnsplan.plan import Generation, PlanId
from dnsplan.runtime.archive_items import chunk_key, chunk_prefix
from sandbox.aws.faults import LoseReply, LoseRequest, Refuse, Where
from sandbox.aws.server import StandIn, serve
from tests.contracts.conftest import CLIENTS, TABLE, Store, adapters
from tests.contracts.test_plan_archive import row_of, sealed

BODY = hashlib.shake_256(b"seed").digest(3 * CHUNK_BYTES_MAX)
LARGE = Envelope(PlanId("shop", Generation(7), digest_of(BODY)), BODY)
CHUNKS = 4  # what does not compress grows by some bytes
DENIED = Refuse("AccessDeniedException", "no")


@pytest.fixture
async def aws(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[StandIn]:
    """A stand-in of this test alone."""
    async with serve() as stand_in:
        monkeypatch.setenv("AWS_ENDPOINT_URL", stand_in.endpoint_url)
        yield stand_in


@pytest.fixture
async def store(aws: StandIn) -> AsyncIterator[Store]:
    """The adapters on an empty table."""
    async with adapters(TABLE) as opened:
        yield opened


@pytest.fixture
async def client(aws: StandIn) -> AsyncIterator[Any]:
    """A plain client, to do damage with."""
    async with CLIENTS.open("dynamodb") as opened:
        yield opened


async def test_lost_answers_are_harmless(aws: StandIn, store: Store) -> None:
    """Every answer of a store is lost once; the repeat finds its own bytes, and all is whole."""
    for after in range(0, 2 * CHUNKS, 2):
        aws.faults.arm(LoseReply(), Where(operation="PutItem", after=after))
    await store.archive.store(LARGE, row_of(LARGE))
    assert await store.archive.load(LARGE.plan_id) == LARGE
    assert list(await store.archive.rows("shop")) == [row_of(LARGE)]


@pytest.mark.parametrize("written", range(CHUNKS + 1))
async def test_stopped_half_way(aws: StandIn, store: Store, written: int) -> None:
    """A store that stops after any write leaves no row and nothing that loads but a whole body;
    doing it again completes it."""
    aws.faults.arm(DENIED, Where(operation="PutItem", after=written, times=None))
    with pytest.raises(ReadFailed):
        await store.archive.store(LARGE, row_of(LARGE))
    aws.faults.clear()
    assert list(await store.archive.rows("shop")) == []
    if written < CHUNKS:
        with pytest.raises(PlanUnusable):
            await store.archive.load(LARGE.plan_id)
    else:
        assert await store.archive.load(LARGE.plan_id) == LARGE
    await store.archive.store(LARGE, row_of(LARGE))
    assert await store.archive.load(LARGE.plan_id) == LARGE


async def test_orphans_of_a_stopped_store_are_swept(aws: StandIn, store: Store) -> None:
    """Chunks without a row go once the floor is above them, and not before."""
    aws.faults.arm(DENIED, Where(operation="PutItem", after=2, times=None))
    with pytest.raises(ReadFailed):
        await store.archive.store(LARGE, row_of(LARGE))
    aws.faults.clear()
    assert await store.archive.sweep("shop", below=Generation(7)) == 0
    assert await store.archive.sweep("shop", below=Generation(8)) == 2
    with pytest.raises(PlanMissing):
        await store.archive.load(LARGE.plan_id)


@pytest.mark.parametrize("deleted", range(CHUNKS))
async def test_a_burial_stopped_half_way(aws: StandIn, store: Store, deleted: int) -> None:
    """The tombstone comes first, so that what is left of the body is known to be dead: a second
    burial or a sweep takes it."""
    row = row_of(LARGE)
    await store.archive.store(LARGE, row)
    aws.faults.arm(DENIED, Where(operation="DeleteItem", after=deleted, times=None))
    with pytest.raises(ReadFailed):
        await store.archive.bury(row, by="cleanup", now_s=9)
    aws.faults.clear()
    tombstone = structs.replace(row, deleted_s=9, deleted_by="cleanup")
    assert list(await store.archive.rows("shop")) == [tombstone]
    if deleted % 2:
        await store.archive.bury(tombstone, by="another", now_s=99)
    else:
        assert await store.archive.sweep("shop", below=Generation(8)) == CHUNKS - deleted
    with pytest.raises(PlanMissing):
        await store.archive.load(LARGE.plan_id)
    assert list(await store.archive.rows("shop")) == [tombstone]


async def test_no_chunk_goes_before_the_tombstone(aws: StandIn, store: Store) -> None:
    """A burial whose tombstone cannot be written deletes nothing."""
    await store.archive.store(LARGE, row_of(LARGE))
    aws.faults.arm(DENIED, Where(operation="UpdateItem"))
    with pytest.raises(ReadFailed):
        await store.archive.bury(row_of(LARGE), by="cleanup", now_s=9)
    assert await store.archive.load(LARGE.plan_id) == LARGE


@pytest.mark.parametrize("lost", range(CHUNKS))
async def test_a_missing_chunk(store: Store, client: Any, lost: int) -> None:
    """A body with a hole is damaged, wherever the hole is."""
    await store.archive.store(LARGE, row_of(LARGE))
    await client.delete_item(TableName=TABLE, Key=chunk_key(LARGE.plan_id, lost))
    with pytest.raises(PlanDamaged, match="chunks"):
        await store.archive.load(LARGE.plan_id)


async def test_a_changed_chunk(store: Store, client: Any) -> None:
    """A chunk with other bytes is damaged or gives a body that its digest does not fit."""
    await store.archive.store(LARGE, row_of(LARGE))
    key = chunk_key(LARGE.plan_id, 1)
    other = {**key, "body": {"B": b"x" * CHUNK_BYTES_MAX}, "chunks": {"N": str(CHUNKS)}}
    await client.put_item(TableName=TABLE, Item=other)
    try:
        loaded = await store.archive.load(LARGE.plan_id)
    except PlanDamaged:
        return
    assert digest_of(loaded.body) != LARGE.plan_id.digest


async def test_a_chunk_that_is_not_ours(store: Store, client: Any) -> None:
    """Nothing is overwritten: other bytes in a chunk's place are damage, and stay for a person."""
    key = chunk_key(LARGE.plan_id, 0)
    other = {**key, "body": {"B": b"other"}, "chunks": {"N": "1"}}
    await client.put_item(TableName=TABLE, Item=other)
    with pytest.raises(PlanDamaged, match="other bytes"):
        await store.archive.store(LARGE, row_of(LARGE))
    there = await client.get_item(TableName=TABLE, Key=key)
    assert there["Item"] == other
    assert list(await store.archive.rows("shop")) == []


async def test_a_stray_key(store: Store, client: Any) -> None:
    """A chunk whose key has no number makes the plan damaged, not readable."""
    await store.archive.store(LARGE, row_of(LARGE))
    key = chunk_key(LARGE.plan_id, 0)
    stray = {**key, "sk": {"S": f"{chunk_prefix(LARGE.plan_id)}x"}, "chunks": {"N": "5"}}
    await client.put_item(TableName=TABLE, Item=stray)
    with pytest.raises(PlanDamaged):
        await store.archive.load(LARGE.plan_id)


async def test_a_row_that_cannot_be_read(store: Store, client: Any) -> None:
    """A damaged row is a failed read of all rows: a list with a gap would be a lie."""
    await store.archive.store(LARGE, row_of(LARGE))
    stray = {"pk": {"S": "row#shop"}, "sk": {"S": "x"}, "row": {"S": "{"}}
    await client.put_item(TableName=TABLE, Item=stray)
    with pytest.raises(ReadFailed, match="row"):
        await store.archive.rows("shop")


async def test_a_page_that_fails_fails_the_whole(aws: StandIn, store: Store) -> None:
    """When a later page of a query cannot be read, nothing of it is an answer."""
    for generation in range(1, 60):
        envelope = sealed(generation)
        await store.archive.store(envelope, structs.replace(row_of(envelope), reason="x" * 40_000))
    aws.faults.arm(LoseRequest(), Where(operation="Query", after=1, times=None))
    with pytest.raises(ReadFailed):
        await store.archive.rows("shop")
    aws.faults.clear()
    assert len(await store.archive.rows("shop")) == 59


async def test_archive_reads_are_consistent(aws: StandIn, store: Store) -> None:
    """Where eventual reads lag by an hour, a plan is loaded as soon as it is stored."""
    aws.settings.dynamodb.eventual_reads_lag_s = 3_600.0
    await store.archive.store(LARGE, row_of(LARGE))
    assert await store.archive.load(LARGE.plan_id) == LARGE
    assert list(await store.archive.rows("shop")) == [row_of(LARGE)]
