"""One plan, one fence and one generation item, and how to vary them."""

from typing import Any

from msgspec import structs

from dnsplan.fence import FenceRecord
from dnsplan.generation import GenerationItem
from dnsplan.names import Name
from dnsplan.plan import SCHEMA, Digest, Generation, Plan
from dnsplan.records import RecordSet, Weighted

OWNER = "0123456789abcdef0123456789abcdef"
ZONE = Name("example.com.")

PLAN = Plan(
    schema=SCHEMA,
    owner=OWNER,
    label="shop",
    zone=ZONE,
    generation=Generation(7),
    base=Generation(6),
    created_s=1_760_000_000,
    author="planner",
    reason="test",
    content=(),
)

FENCE = FenceRecord(
    generation=Generation(140),
    step=3,
    steps=7,
    base=Generation(131),
    held=0,
    owner=OWNER,
    writer="use1-az2",
    nonce="0123456789abcdef",
    digest=Digest("d" * 64),
)

ITEM = GenerationItem(
    label="shop",
    owner=OWNER,
    incarnation="table-1",
    nonce="before",
    zone_id="Z1",
    head=Generation(140),
    head_digest=Digest("d" * 64),
    claimed=Generation(140),
    applied=Generation(140),
    last_known_good=Generation(139),
    floor=Generation(100),
)


def plan(**changes: Any) -> Plan:
    """The plan with other fields."""
    return structs.replace(PLAN, **changes)


def item(**changes: Any) -> GenerationItem:
    """The item with other fields."""
    return structs.replace(ITEM, **changes)


def a(name: str, *values: str, ttl_s: int = 60) -> RecordSet:
    """A simple A record set."""
    return RecordSet(Name(name), "A", ttl_s, values or ("192.0.2.1",))


def weighted(name: str, set_id: str, value: str, weight: int = 1) -> RecordSet:
    """A member of a weighted A name."""
    return RecordSet(Name(name), "A", 60, (value,), set_id=set_id, routing=Weighted(weight))
