"""The generation table when DynamoDB or the way to it fails: done, refused or unknown, and no
other word; nothing half-read is ever an answer."""

from collections.abc import AsyncIterator

import pytest
from msgspec import structs

from dnsplan.errors import AccessDenied, ReadFailed
from dnsplan.generation import Equals, Transition
from dnsplan.outcomes import ConditionFailed, Unknown, Written
from dnsplan.runtime.table import DynamoGenerationTable
from dnsplan.transitions import create, freeze, thaw
from sandbox.aws.faults import Delay, Fault, LoseReply, LoseRequest, Refuse, Where
from sandbox.aws.server import StandIn, serve
from tests.contracts.conftest import TABLE, Store, adapters, new_retrying
from tests.contracts.scripted import ScriptedDynamoDb
from tests.unit.dnsplan.samples import item

THROTTLED = Refuse("ProvisionedThroughputExceededException", "slow down")
ITEM = item()
FREEZE = freeze(ITEM, "f1", nonce="mine")
THAW = thaw(ITEM, "other", nonce="mine")


@pytest.fixture
async def aws(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[StandIn]:
    """A stand-in of this test alone."""
    async with serve() as stand_in:
        monkeypatch.setenv("AWS_ENDPOINT_URL", stand_in.endpoint_url)
        yield stand_in


@pytest.fixture
async def store(aws: StandIn) -> AsyncIterator[Store]:
    """The adapters, with one item in the table."""
    async with adapters(TABLE) as opened:
        assert await opened.table.write(create(ITEM)) == Written()
        aws.ledger.reset()
        yield opened


def sent(aws: StandIn, operation: str) -> int:
    """How often an operation reached the stand-in."""
    return sum(one.operation == operation for one in aws.ledger.recent)


@pytest.mark.parametrize(
    ("fault", "outcome"),
    [
        (LoseReply(), Written),
        (LoseRequest(), Unknown),
        (Refuse("InternalServerError", "x", 500, applied=True), Written),
        (Refuse("InternalServerError", "x", 500), Unknown),
        (Refuse(THROTTLED.code, "x", 400, applied=True), Written),
        (THROTTLED, Unknown),
        (Refuse("AccessDeniedException", "no"), Unknown),
        (Refuse("ResourceNotFoundException", "no"), Unknown),
    ],
    ids=str,
)
async def test_a_write_without_a_clear_answer(
    aws: StandIn, store: Store, fault: Fault, outcome: type
) -> None:
    """It is sent once; one read settles it: my nonce means written, else it is unknown."""
    aws.faults.arm(fault, Where(operation="UpdateItem"))
    assert isinstance(await store.table.write(FREEZE), outcome)
    assert (sent(aws, "UpdateItem"), sent(aws, "GetItem")) == (1, 1)
    frozen = (await store.table.read(["shop"]))["shop"].frozen
    assert frozen == ("f1" if outcome is Written else None)


@pytest.mark.parametrize("transition", [FREEZE, THAW], ids=["admitted", "refused"])
async def test_a_write_that_cannot_be_settled(
    aws: StandIn, store: Store, transition: Transition
) -> None:
    """When the settling read fails too, nothing is known, and no word is made up."""
    aws.faults.arm(LoseReply(), Where(operation="UpdateItem"))
    aws.faults.arm(Refuse("AccessDeniedException", "no"), Where(operation="GetItem"))
    assert isinstance(await store.table.write(transition), Unknown)
    assert sent(aws, "UpdateItem") == 1


async def test_a_write_that_is_denied_says_what_to_look_at(aws: StandIn, store: Store) -> None:
    """Running it again would change nothing, whether or not the item may be read."""
    for service in ("UpdateItem", None):
        denied = aws.faults.arm(
            Refuse("AccessDeniedException", "no"), Where(operation=service, times=None)
        )
        ended = await store.table.write(FREEZE)
        assert isinstance(ended, Unknown)
        assert "AccessDeniedException: no; check the credentials and their policy" in ended.reason
        aws.faults.disarm(denied.id)


async def test_a_refusal_that_cannot_be_read_is_unknown(aws: StandIn, store: Store) -> None:
    """A refused write whose item cannot be read is unknown: why it was refused is not known."""
    aws.faults.arm(Refuse("AccessDeniedException", "no"), Where(operation="GetItem"))
    assert isinstance(await store.table.write(THAW), Unknown)


async def test_reads_are_asked_again(aws: StandIn, store: Store) -> None:
    """A throttled or lost read is repeated, and then whole."""
    aws.faults.arm(THROTTLED, Where(operation="GetItem", times=2))
    aws.faults.arm(LoseReply(), Where(operation="GetItem"))
    assert dict(await store.table.read(["shop"])) == {"shop": ITEM}
    aws.faults.arm(THROTTLED, Where(operation="BatchGetItem", times=2))
    assert dict(await store.table.read(["shop", "x"])) == {"shop": ITEM}


async def test_retries_are_bounded(aws: StandIn, store: Store) -> None:
    """A read that fails again and again is ReadFailed after four tries."""
    aws.faults.arm(THROTTLED, Where(operation="GetItem", times=None))
    with pytest.raises(ReadFailed, match="ProvisionedThroughput"):
        await store.table.read(["shop"])
    assert sent(aws, "GetItem") == 4


async def test_a_denial_is_not_asked_again(aws: StandIn, store: Store) -> None:
    """A missing permission is AccessDenied at once, naming what to check."""
    aws.faults.arm(Refuse("AccessDeniedException", "no"), Where(times=None))
    with pytest.raises(AccessDenied, match="policy"):
        await store.table.read(["shop"])
    with pytest.raises(AccessDenied):
        await store.table.incarnation()
    assert sent(aws, "GetItem") == 1


async def test_an_unreachable_table(aws: StandIn, store: Store) -> None:
    """Nothing listens: reads fail, a write is unknown, and after it is back all works."""
    await aws.go_away()
    with pytest.raises(ReadFailed):
        await store.table.read(["shop"])
    with pytest.raises(ReadFailed):
        await store.table.incarnation()
    assert isinstance(await store.table.write(FREEZE), Unknown)
    await aws.come_back()
    assert await store.table.write(FREEZE) == Written()


async def test_a_restored_table_has_another_id(aws: StandIn, store: Store) -> None:
    """The id is read anew each time, so that a table swapped under a daemon is noticed."""
    before = await store.table.incarnation()
    backend = aws.backend.dynamodb("us-east-1")
    backend.restore_snapshot(backend.take_snapshot(TABLE), TABLE)
    after = await store.table.incarnation()
    assert (before, after != before) == (store.incarnation, True)
    assert dict(await store.table.read(["shop"])) == {"shop": ITEM}


async def test_reads_are_consistent(aws: StandIn, store: Store) -> None:
    """Where eventual reads lag by an hour, the newest item is read all the same."""
    aws.settings.dynamodb.eventual_reads_lag_s = 3_600.0
    assert await store.table.write(FREEZE) == Written()
    frozen = structs.replace(ITEM, frozen="f1", nonce="mine")
    assert dict(await store.table.read(["shop"])) == {"shop": frozen}
    assert dict(await store.table.read(["shop", "x"])) == {"shop": frozen}
    unmet = (Equals("frozen", "other"),)
    assert await store.table.write(thaw(ITEM, "other", nonce="late")) == ConditionFailed(
        frozen, unmet
    )


def scripted(*answers: object) -> tuple[ScriptedDynamoDb, DynamoGenerationTable]:
    """A table on a script."""
    client = ScriptedDynamoDb(answers)  # type: ignore[arg-type]  # mappings and errors, by the caller
    return client, DynamoGenerationTable(client, TABLE, new_retrying())


def left(*labels: str) -> dict[str, object]:
    """An answer of BatchGetItem that got to nothing."""
    keys = [{"pk": {"S": f"gen#{label}"}, "sk": {"S": "item"}} for label in labels]
    return {"Responses": {TABLE: []}, "UnprocessedKeys": {TABLE: {"Keys": keys}}}


RAW = {
    "pk": {"S": "gen#a"},
    "sk": {"S": "item"},
    "owner": {"S": "o"},
    "incarnation": {"S": "t"},
    "nonce": {"S": "n"},
    "head_digest": {"S": ""},
    **{name: {"N": "0"} for name in ("head", "claimed", "applied", "last_known_good", "floor")},
}


async def test_keys_left_over_are_asked_for_again() -> None:
    """DynamoDB may answer a batch in part: the rest is asked for, and only the rest."""
    client, table = scripted(left("a", "b"), {"Responses": {TABLE: [RAW]}})
    assert list(await table.read(["a", "b", "c"])) == ["a"]
    asked = [len(request["RequestItems"][TABLE]["Keys"]) for _, request in client.requests]
    assert asked == [3, 2]


async def test_keys_never_got_to_are_not_absent() -> None:
    """A batch that stays partial is ReadFailed: what was not read is unknown, not absent."""
    _, table = scripted(*[left("b")] * 5)
    with pytest.raises(ReadFailed, match="1 of 2"):
        await table.read(["a", "b"])


@pytest.mark.parametrize("field", sorted(set(RAW) - {"pk", "sk"}))
@pytest.mark.parametrize("damage", [None, {"S": ""}, {"N": "x"}, {"BOOL": True}])
async def test_a_damaged_item_is_a_failed_read(
    field: str, damage: dict[str, object] | None
) -> None:
    """A needed field that is absent or of another kind is never taken for its default."""
    raw = {key: value for key, value in RAW.items() if key != field}
    if damage is not None:
        raw[field] = damage  # type: ignore[assignment]  # damage is the point
    if damage == {"S": ""} and "S" in RAW[field]:
        return  # an empty text is a text
    _, table = scripted({"Item": raw})
    with pytest.raises(ReadFailed, match=field):
        await table.read(["a"])


@pytest.mark.parametrize("known", [{}, {"schema": {"N": "1"}}])
async def test_a_newer_item_is_a_failed_read(known: dict[str, object]) -> None:
    """One without a number is of the first form; a newer one is held, and never guessed."""
    _, table = scripted({"Item": {**RAW, **known}})
    assert list(await table.read(["a"])) == ["a"]
    _, table = scripted({"Item": {**RAW, "schema": {"N": "2"}}})
    with pytest.raises(ReadFailed, match=r"gen#a has schema 2; this release reads 1: upgrade"):
        await table.read(["a"])


@pytest.mark.parametrize(
    ("described", "said"),
    [
        ({"TableId": "x", "Replicas": [{"RegionName": "eu-west-1"}]}, "eventual"),
        ({"Replicas": [{}], "MultiRegionConsistency": "EVENTUAL", "TableId": "x"}, "eventual"),
    ],
)
async def test_global_tables_without_consistency_are_refused(
    described: dict[str, object], said: str
) -> None:
    """Two Regions that each admit a claim are no fence."""
    _, table = scripted({"Table": described})
    with pytest.raises(ReadFailed, match=said):
        await table.incarnation()


async def test_strong_global_tables_serve() -> None:
    """Multi-Region strong consistency is as good as one Region."""
    described = {"TableId": "x", "Replicas": [{}], "MultiRegionConsistency": "STRONG"}
    _, table = scripted({"Table": described})
    assert await table.incarnation() == "x"


async def test_a_table_without_an_id_names_the_command() -> None:
    """An engine that gives no id needs `init` first."""
    _, table = scripted({"Table": {}}, {})
    with pytest.raises(ReadFailed, match="dns-planner init"):
        await table.incarnation()


async def test_a_slow_answer_is_waited_for(aws: StandIn, store: Store) -> None:
    """A slow write that is answered is written."""
    aws.faults.arm(Delay(0.2), Where(operation="UpdateItem"))
    assert await store.table.write(FREEZE) == Written()
    expected = structs.replace(ITEM, frozen="f1", nonce="mine")
    assert dict(await store.table.read(["shop"])) == {"shop": expected}
