"""Plan bodies and rows as DynamoDB items, and back; a key tells where a thing is and what it is."""

from typing import Any

import msgspec

from dnsplan.errors import PlanDamaged, ReadFailed
from dnsplan.plan import Generation, PlanId
from dnsplan.ports import PlanRow
from dnsplan.runtime.dynamodb import (
    PARTITION_KEY,
    SORT_KEY,
    Attribute,
    Item,
    bytes_of,
    number_of,
    text_of,
)

PLANS = "plan#"
ROWS = "row#"
CHUNKS_MAX = 9_999


def plan_partition(label: str) -> Attribute:
    """Where a zone's chunks are."""
    return {"S": f"{PLANS}{label}"}


def row_partition(label: str) -> Attribute:
    """Where a zone's rows are."""
    return {"S": f"{ROWS}{label}"}


def generation_prefix(generation: Generation) -> str:
    """What the sort keys of a generation begin with; as text they sort as the numbers do."""
    return f"{generation:012d}"


def id_prefix(plan_id: PlanId) -> str:
    """What the sort keys of a plan begin with."""
    return f"{generation_prefix(plan_id.generation)}#{plan_id.digest}"


def chunk_prefix(plan_id: PlanId) -> str:
    """What the sort keys of a plan's chunks begin with."""
    return f"{id_prefix(plan_id)}#"


def chunk_key(plan_id: PlanId, index: int) -> dict[str, Attribute]:
    """The key of one chunk."""
    return {
        PARTITION_KEY: plan_partition(plan_id.label),
        SORT_KEY: {"S": f"{chunk_prefix(plan_id)}{index:04d}"},
    }


def row_key(plan_id: PlanId) -> dict[str, Attribute]:
    """The key of a plan's row."""
    return {PARTITION_KEY: row_partition(plan_id.label), SORT_KEY: {"S": id_prefix(plan_id)}}


def plan_of_chunk(item: Item) -> str:
    """The sort key of the row that would speak of a chunk."""
    return text_of(item, SORT_KEY).rpartition("#")[0]


def index_of_chunk(item: Item) -> int:
    """A chunk's place among its plan's."""
    place = text_of(item, SORT_KEY).rpartition("#")[2]
    if not place.isdecimal() or len(place) > len(str(CHUNKS_MAX)):
        raise PlanDamaged(f"the chunk {text_of(item, SORT_KEY)} has no place")
    return int(place)


def row_item(row: PlanRow) -> dict[str, Any]:
    """A row as it is stored. Its facts are one JSON text, so that a newer release may add some."""
    return {**row_key(row.plan_id), "row": {"S": msgspec.json.encode(row).decode()}}


def row_from(item: Item) -> PlanRow:
    """A stored row, with the tombstone that `bury` wrote beside its facts."""
    try:
        row = msgspec.json.decode(text_of(item, "row").encode(), type=PlanRow)
    except msgspec.DecodeError as error:
        raise ReadFailed(f"the row {text_of(item, SORT_KEY)} cannot be read: {error}") from error
    if "deleted_s" not in item:
        return row
    return msgspec.structs.replace(
        row, deleted_s=number_of(item, "deleted_s"), deleted_by=text_of(item, "deleted_by")
    )


def chunk_item(
    plan_id: PlanId, index: int, chunk: bytes, *, count: int, key_id: str, signature: bytes
) -> dict[str, Any]:
    """One chunk as it is stored; each says how many there are and who vouches for the plan."""
    vouched = {"key_id": {"S": key_id}, "signature": {"B": signature}} if key_id else {}
    return {
        **chunk_key(plan_id, index),
        "body": {"B": chunk},
        "chunks": {"N": str(count)},
        **vouched,
    }


def is_vouched(item: Item) -> bool:
    """Whether a chunk says who vouches for its plan."""
    return "key_id" in item


def unvouched(item: Item) -> dict[str, Attribute]:
    """A chunk but for who vouches for its plan."""
    return {name: value for name, value in item.items() if name not in ("key_id", "signature")}


def joined(plan_id: PlanId, items: list[Item]) -> tuple[list[bytes], str, bytes]:
    """The chunks in order with the signature, or PlanDamaged when one is missing or astray."""
    where = f"plan {plan_id.label} {plan_id.generation}"
    counts = {number_of(item, "chunks") for item in items}
    places = [index_of_chunk(item) for item in items]
    if counts != {len(items)} or places != list(range(len(items))):
        found = f"chunks {places} of {sorted(counts)}"
        raise PlanDamaged(f"{where}: {found}; it was half written or half deleted")
    first = items[0]
    key_id = text_of(first, "key_id") if "key_id" in first else ""
    signature = bytes_of(first, "signature") if "signature" in first else b""
    return [bytes_of(item, "body") for item in items], key_id, signature
