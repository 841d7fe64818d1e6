"""What every plan archive does, be it the fake or DynamoDB."""

import hashlib

import pytest
from msgspec import structs

from dnsplan.codec import CHUNK_BYTES_MAX, Envelope, digest_of, seal
from dnsplan.errors import PlanMissing
from dnsplan.plan import Generation, PlanId
from dnsplan.ports import PlanRow
from tests.contracts.conftest import Store
from tests.unit.dnsplan.samples import a, plan


def sealed(generation: int = 7, label: str = "shop", text: str = "test") -> Envelope:
    """A plan, sealed."""
    content = (a("www.example.com."),)
    return seal(plan(generation=Generation(generation), label=label, reason=text, content=content))


def row_of(envelope: Envelope) -> PlanRow:
    """The row of a plan."""
    return PlanRow(
        plan_id=envelope.plan_id,
        created_s=1_760_000_000,
        author="planner/use1-az1",
        reason="two targets less",
        base=Generation(6),
        chunks=1,
        record_sets=1,
    )


async def keep(store: Store, envelope: Envelope) -> PlanRow:
    """Store a plan with its row."""
    row = row_of(envelope)
    await store.archive.store(envelope, row)
    return row


async def test_what_is_stored_is_loaded(store: Store) -> None:
    """The same envelope comes back, with who vouches for it."""
    unsigned = sealed()
    signed = structs.replace(sealed(8), key_id="key-1", signature=b"\x00\xff")
    await keep(store, unsigned)
    await keep(store, signed)
    assert await store.archive.load(unsigned.plan_id) == unsigned
    assert await store.archive.load(signed.plan_id) == signed


async def test_a_large_body(store: Store) -> None:
    """A body of many chunks comes back whole."""
    body = hashlib.shake_256(b"seed").digest(5 * CHUNK_BYTES_MAX)
    envelope = Envelope(PlanId("shop", Generation(7), digest_of(body)), body)
    await keep(store, envelope)
    assert await store.archive.load(envelope.plan_id) == envelope


async def test_storing_again_changes_nothing(store: Store) -> None:
    """The same plan may be stored twice; the first row's words stay."""
    envelope = sealed()
    row = await keep(store, envelope)
    await store.archive.store(envelope, structs.replace(row, author="another"))
    assert await store.archive.load(envelope.plan_id) == envelope
    assert list(await store.archive.rows("shop")) == [row]


async def test_who_vouches_for_the_same_bytes_may_change(store: Store) -> None:
    """A signature comes onto what was stored without one or with another's, and none goes."""
    unsigned = sealed()
    for key_id in ("", "key-1", "key-2"):
        envelope = structs.replace(unsigned, key_id=key_id, signature=key_id.encode())
        await keep(store, envelope)
        assert await store.archive.load(unsigned.plan_id) == envelope
    await keep(store, unsigned)
    assert await store.archive.load(unsigned.plan_id) == envelope


async def test_what_was_never_stored_is_missing(store: Store) -> None:
    """Another number, digest or zone is PlanMissing."""
    envelope = sealed()
    await keep(store, envelope)
    plan_id = envelope.plan_id
    for other in (
        structs.replace(plan_id, generation=Generation(8)),
        structs.replace(plan_id, digest=sealed(text="other").plan_id.digest),
        structs.replace(plan_id, label="shop2"),
        structs.replace(plan_id, label="sho"),
    ):
        with pytest.raises(PlanMissing):
            await store.archive.load(other)


async def test_two_contents_of_one_number_stand_side_by_side(store: Store) -> None:
    """Planners that race store both; each is loaded by its own digest."""
    one, other = sealed(text="one"), sealed(text="other")
    await keep(store, one)
    await keep(store, other)
    assert await store.archive.load(one.plan_id) == one
    assert await store.archive.load(other.plan_id) == other
    assert len(await store.archive.rows("shop")) == 2


async def test_rows_are_of_one_zone_in_order(store: Store) -> None:
    """Rows come by generation as numbers, and only those of the zone."""
    for generation in (1_000_000, 9, 10):
        await keep(store, sealed(generation))
    await keep(store, sealed(1, label="other"))
    rows = await store.archive.rows("shop")
    assert [row.plan_id.generation for row in rows] == [9, 10, 1_000_000]
    assert list(await store.archive.rows("nobody")) == []


async def test_many_rows(store: Store) -> None:
    """All rows come, however many there are."""
    for generation in range(1, 60):
        envelope = sealed(generation)
        row = structs.replace(row_of(envelope), reason="x" * 40_000)
        await store.archive.store(envelope, row)
    assert len(await store.archive.rows("shop")) == 59


async def test_a_buried_plan(store: Store) -> None:
    """Its row stays as a tombstone that says who and when; its body is gone."""
    envelope, other = sealed(), sealed(8)
    row = await keep(store, envelope)
    await keep(store, other)
    await store.archive.bury(row, by="cleanup", now_s=1_760_000_100)
    tombstone = structs.replace(row, deleted_s=1_760_000_100, deleted_by="cleanup")
    assert list(await store.archive.rows("shop")) == [tombstone, row_of(other)]
    with pytest.raises(PlanMissing):
        await store.archive.load(envelope.plan_id)
    assert await store.archive.load(other.plan_id) == other


async def test_burying_again_keeps_the_first_words(store: Store) -> None:
    """A burial that is taken up after a crash does not change who and when."""
    envelope = sealed()
    row = await keep(store, envelope)
    await store.archive.bury(row, by="first", now_s=1)
    await store.archive.bury(row, by="second", now_s=2)
    expected = structs.replace(row, deleted_s=1, deleted_by="first")
    assert list(await store.archive.rows("shop")) == [expected]


async def test_a_buried_plan_is_not_stored_again(store: Store) -> None:
    """A number that was deleted stays deleted, so that a late planner learns of it."""
    envelope = sealed()
    row = await keep(store, envelope)
    await store.archive.bury(row, by="cleanup", now_s=1)
    with pytest.raises(PlanMissing):
        await store.archive.store(envelope, row)
    rows = await store.archive.rows("shop")
    assert [one.deleted_s for one in rows] == [1]


async def test_sweep_leaves_living_plans(store: Store) -> None:
    """A sweep deletes nothing that a row speaks of."""
    envelope = sealed()
    await keep(store, envelope)
    assert await store.archive.sweep("shop", below=Generation(100)) == 0
    assert await store.archive.load(envelope.plan_id) == envelope


async def test_sweep_takes_what_a_burial_left(store: Store) -> None:
    """What a late `store` put back under a tombstone is swept below the floor, and only there."""
    envelope = sealed(7)
    row = await keep(store, envelope)
    await store.archive.bury(row, by="cleanup", now_s=1)
    with pytest.raises(PlanMissing):
        await store.archive.store(envelope, row)
    assert await store.archive.sweep("shop", below=Generation(7)) == 0
    assert await store.archive.sweep("other", below=Generation(8)) == 0
    assert await store.archive.sweep("shop", below=Generation(8)) == 1
    assert await store.archive.sweep("shop", below=Generation(8)) == 0


async def test_a_tombstone_is_forgotten_and_nothing_else(store: Store) -> None:
    """Neither a row whose plan stands nor one that was buried otherwise since it was read."""
    envelope, other = sealed(), sealed(8)
    row, standing = await keep(store, envelope), await keep(store, other)
    claimed = structs.replace(standing, deleted_s=1, deleted_by="cleanup")
    await store.graveyard.forget(claimed)
    await store.archive.bury(row, by="cleanup", now_s=1)
    stale = structs.replace(row, deleted_s=2, deleted_by="cleanup")
    await store.graveyard.forget(stale)
    (tombstone, there) = await store.archive.rows("shop")
    assert (tombstone.deleted_s, there) == (1, standing)
    await store.graveyard.forget(tombstone)
    await store.graveyard.forget(tombstone)
    assert list(await store.archive.rows("shop")) == [standing]
    await store.archive.store(envelope, row)
    assert await store.archive.load(envelope.plan_id) == envelope
