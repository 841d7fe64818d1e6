"""What every generation table does, be it the fake or DynamoDB."""

import pytest
from msgspec import structs

from dnsplan.generation import (
    AbsentOr,
    AtLeast,
    AtMost,
    Condition,
    Equals,
    GenerationItem,
    IsAbsent,
    Transition,
)
from dnsplan.outcomes import ConditionFailed, Written
from dnsplan.plan import Digest, Generation, PlanId
from dnsplan.transitions import (
    claim,
    create,
    freeze,
    pin,
    publish,
    raise_floor,
    reconcile,
    record_ahead,
    record_applied,
    thaw,
    unpin,
)
from tests.contracts.conftest import Store
from tests.unit.dnsplan.samples import OWNER, item

FULL = item(
    applied_fence='"a" "b \\"quoted\\""',
    frozen="f1",
    pin=Generation(120),
    pin_digest=Digest("c" * 64),
    ahead=Generation(2_000_000),
    zone_id="Z1",
)
BARE = GenerationItem(label="bare", owner=OWNER, incarnation="table-1", nonce="n0")


async def put(store: Store, wanted: GenerationItem) -> GenerationItem:
    """Write an item where there is none."""
    assert await store.table.write(create(wanted)) == Written()
    return wanted


async def test_incarnation_is_the_tables(store: Store) -> None:
    """The table says its own id, each time the same."""
    assert await store.table.incarnation() == store.incarnation
    assert await store.table.incarnation() == store.incarnation


@pytest.mark.parametrize("wanted", [FULL, BARE], ids=["full", "bare"])
async def test_what_is_written_is_read(store: Store, wanted: GenerationItem) -> None:
    """Every field comes back as it was written, absent ones absent."""
    await put(store, wanted)
    assert dict(await store.table.read([wanted.label])) == {wanted.label: wanted}


async def test_absent_items_are_left_out(store: Store) -> None:
    """A label without an item is not in the answer, and asking for none is no error."""
    await put(store, BARE)
    assert dict(await store.table.read([])) == {}
    assert dict(await store.table.read(["nobody"])) == {}
    assert dict(await store.table.read(["nobody", "bare"])) == {"bare": BARE}


async def test_many_labels(store: Store) -> None:
    """Any number of labels is read at once, doubled ones too."""
    labels = [f"zone-{n}" for n in range(250)]
    for label in labels[::10]:
        await put(store, structs.replace(BARE, label=label))
    found = await store.table.read([*labels, *labels])
    assert sorted(found) == sorted(labels[::10])


async def test_the_first_item_wins(store: Store) -> None:
    """A second create is refused, names why, and shows what stands there."""
    await put(store, BARE)
    second = structs.replace(BARE, owner="other", nonce="n1")
    refused = ConditionFailed(BARE, (IsAbsent("label"),))
    assert await store.table.write(create(second)) == refused
    assert dict(await store.table.read(["bare"])) == {"bare": BARE}


async def test_my_own_earlier_try_is_mine(store: Store) -> None:
    """A write that arrives twice is written, not refused: its nonce stands in the item."""
    await put(store, BARE)
    assert await store.table.write(create(BARE)) == Written()


async def test_the_life_of_a_zone(store: Store) -> None:
    """Publish, claim, apply, raise the floor, freeze, thaw, pin, unpin: each changes its fields."""
    seen = await put(
        store,
        item(
            head=0, head_digest="", claimed=0, applied=0, last_known_good=0, floor=0, zone_id=None
        ),
    )
    digest = Digest("d" * 64)
    one = PlanId("shop", Generation(1), digest)
    writes: list[tuple[Transition, dict[str, object]]] = [
        (publish(seen, one, nonce="1"), {"head": 1, "head_digest": digest}),
        (claim(seen, Generation(1), zone_id="Z1", nonce="2"), {"claimed": 1, "zone_id": "Z1"}),
        (
            record_applied(seen, Generation(1), fence="f", good=True, nonce="3"),
            {"applied": 1, "applied_fence": "f", "last_known_good": 1},
        ),
        (raise_floor(seen, Generation(1), keep=0, nonce="4"), {"floor": 1}),
        (freeze(seen, "f1", nonce="5"), {"frozen": "f1"}),
        (thaw(seen, "f1", nonce="6"), {"frozen": None}),
        (pin(seen, one, nonce="7"), {"pin": 1, "pin_digest": digest}),
        (unpin(seen, Generation(1), nonce="8"), {"pin": None, "pin_digest": None}),
    ]
    now = seen
    for transition, changed in writes:
        assert await store.table.write(transition) == Written()
        now = structs.replace(now, nonce=transition.nonce, **changed)
        assert dict(await store.table.read(["shop"])) == {"shop": now}
    ahead = record_ahead(now, Generation(9), nonce="9")
    assert await store.table.write(ahead) == Written()
    assert (await store.table.read(["shop"]))["shop"].ahead == 9


async def test_history_goes_on_in_another_table(store: Store) -> None:
    """Head, claim, freeze and the table's id move in one write, and `ahead` is gone."""
    seen = await put(store, item(ahead=Generation(150), frozen="f1"))
    plan_id = PlanId("shop", Generation(1_000_000), Digest("e" * 64))
    write = reconcile(seen, plan_id, incarnation="table-2", zone_id="Z2", frozen="f2", nonce="x")
    assert await store.table.write(write) == Written()
    now = structs.replace(
        seen,
        head=plan_id.generation,
        head_digest=plan_id.digest,
        claimed=plan_id.generation,
        incarnation="table-2",
        zone_id="Z2",
        frozen="f2",
        ahead=None,
        nonce="x",
    )
    assert dict(await store.table.read(["shop"])) == {"shop": now}
    again = reconcile(seen, plan_id, incarnation="table-2", zone_id="Z2", frozen="f2", nonce="y")
    refused = await store.table.write(again)
    assert isinstance(refused, ConditionFailed)
    assert refused.item == now


async def test_a_refusal_changes_nothing_and_says_why(store: Store) -> None:
    """A refused write leaves the item as it was and names each condition that failed."""
    seen = await put(store, FULL)
    refused = await store.table.write(claim(seen, Generation(141), zone_id="Z2", nonce="x"))
    unmet = (
        IsAbsent("frozen"),
        AtLeast("head", 141),
        AbsentOr(AtLeast("pin", 141)),
        AbsentOr(Equals("zone_id", "Z2")),
    )
    assert refused == ConditionFailed(FULL, unmet)
    assert dict(await store.table.read(["shop"])) == {"shop": FULL}


async def test_a_write_to_nothing_is_refused(store: Store) -> None:
    """Where there is no item, only create is admitted."""
    refused = await store.table.write(thaw(FULL, "f1", nonce="x"))
    unmet = (Equals("incarnation", "table-1"), Equals("frozen", "f1"))
    assert refused == ConditionFailed(None, unmet)
    assert dict(await store.table.read(["shop"])) == {}


@pytest.mark.parametrize(
    "condition",
    [
        Equals("pin", 1),
        AtMost("pin", 1),
        AtLeast("pin", 1),
        IsAbsent("head"),
        AbsentOr(Equals("head", 1)),
        AbsentOr(AtMost("head", 139)),
        Equals("label", "other"),
    ],
    ids=str,
)
async def test_unmet_conditions(store: Store, condition: Condition) -> None:
    """Each kind of condition refuses what it does not hold for."""
    stands = await put(store, item())
    transition = Transition(
        name="test", label="shop", nonce="x", conditions=(condition,), put=(("floor", 7),)
    )
    assert await store.table.write(transition) == ConditionFailed(stands, (condition,))


@pytest.mark.parametrize(
    "condition",
    [
        IsAbsent("pin"),
        AtMost("head", 140),
        AtLeast("head", 9),
        AbsentOr(Equals("pin", 1)),
        AbsentOr(AtLeast("head", 140)),
        Equals("label", "shop"),
    ],
    ids=str,
)
async def test_met_conditions(store: Store, condition: Condition) -> None:
    """Each kind of condition admits what it holds for; numbers compare as numbers."""
    stands = await put(store, item())
    transition = Transition(
        name="test", label="shop", nonce="x", conditions=(condition,), put=(("floor", 7),)
    )
    assert await store.table.write(transition) == Written()
    expected = structs.replace(stands, floor=7, nonce="x")
    assert dict(await store.table.read(["shop"])) == {"shop": expected}


async def test_absent_or_asks_for_an_item(store: Store) -> None:
    """A field that may be absent does not make an item that may be."""
    transition = Transition(
        name="test",
        label="ghost",
        nonce="x",
        conditions=(AbsentOr(Equals("pin", 1)),),
        put=(("floor", 7),),
    )
    refused = await store.table.write(transition)
    assert refused == ConditionFailed(None, transition.conditions)
    assert dict(await store.table.read(["ghost"])) == {}
