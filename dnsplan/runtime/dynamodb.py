"""Attribute values of DynamoDB and the part of its client that we call, with the calls' answers.

Nothing here decides anything: it narrows an untyped SDK to what the adapters use.
"""

import re
from collections.abc import AsyncIterator, Mapping
from typing import Any, Protocol, TypeAlias

from dnsplan.errors import ReadFailed
from dnsplan.generation import Value
from dnsplan.runtime.retry import Retrying
from dnsplan.words import is_word

Attribute: TypeAlias = Mapping[str, Any]
Item: TypeAlias = Mapping[str, Attribute]
Answer: TypeAlias = Mapping[str, Any]

PARTITION_KEY = "pk"
SORT_KEY = "sk"

# A page holds 1 MB; a plan of 256 MB has fewer, and so has a million rows.
PAGES_MAX = 1_000

# Enough of a foreign text to find it in the table; an item holds 400 KB of it.
SHOWN_CHARS_MAX = 80


class DynamoDb(Protocol):
    """The calls of an aiobotocore client that the adapters make; it ships no types of its own."""

    async def get_item(self, **request: Any) -> Answer:
        """GetItem."""
        ...

    async def batch_get_item(self, **request: Any) -> Answer:
        """BatchGetItem."""
        ...

    async def update_item(self, **request: Any) -> Answer:
        """UpdateItem."""
        ...

    async def put_item(self, **request: Any) -> Answer:
        """PutItem."""
        ...

    async def delete_item(self, **request: Any) -> Answer:
        """DeleteItem."""
        ...

    async def query(self, **request: Any) -> Answer:
        """Query."""
        ...

    async def describe_table(self, **request: Any) -> Answer:
        """DescribeTable."""
        ...

    async def create_table(self, **request: Any) -> Answer:
        """CreateTable."""
        ...


def attribute(value: Value) -> Attribute:
    """A text or a whole number as DynamoDB writes it."""
    return {"N": str(value)} if isinstance(value, int) else {"S": value}


def text_of(item: Item, name: str) -> str:
    """A text attribute, or ReadFailed: a damaged item is not known, and never a default."""
    value = item.get(name, {}).get("S")
    if not isinstance(value, str) or _HALF_PAIR.search(value):
        raise ReadFailed(f"the item {_key(item)} has no text {name}")
    return value


def word_of(item: Item, name: str) -> str:
    """A text that is one plain word, or ReadFailed: no tool of ours writes another there."""
    value = text_of(item, name)
    if not is_word(value):
        shown = value[:SHOWN_CHARS_MAX]
        raise ReadFailed(f"the item {_key(item)} has a {name} that is no plain word: {shown!r}")
    return value


# JSON can spell half of a pair of surrogates, which is no character and has no bytes.
_HALF_PAIR = re.compile("[\ud800-\udfff]")


def number_of(item: Item, name: str) -> int:
    """A whole number, or ReadFailed."""
    value = item.get(name, {}).get("N")
    try:
        return int(value)  # type: ignore[arg-type]  # None is a TypeError, which is caught
    except (TypeError, ValueError):
        raise ReadFailed(f"the item {_key(item)} has no whole number {name}") from None


def bytes_of(item: Item, name: str) -> bytes:
    """Bytes, or ReadFailed."""
    value = item.get(name, {}).get("B")
    if not isinstance(value, bytes):
        raise ReadFailed(f"the item {_key(item)} has no bytes {name}")
    return value


async def query_all(
    client: DynamoDb, retrying: Retrying, request: Mapping[str, Any]
) -> AsyncIterator[Item]:
    """Every item of a consistent query, page by page; it ends with all of them or an error."""
    start: Mapping[str, Any] = {}
    for _ in range(PAGES_MAX):
        page = {**request, "ConsistentRead": True, **start}
        answer = await retrying.call(lambda page=page: client.query(**page))  # type: ignore[misc]  # a default of a lambda has no type
        for item in answer.get("Items", ()):
            yield item
        if not answer.get("LastEvaluatedKey"):
            return
        start = {"ExclusiveStartKey": answer["LastEvaluatedKey"]}
    raise ReadFailed(f"a query of more than {PAGES_MAX} pages")


def _key(item: Item) -> str:
    return "/".join(str(item.get(key, {}).get("S")) for key in (PARTITION_KEY, SORT_KEY))
