"""The generation items in DynamoDB: consistent reads, and one conditional UpdateItem a write.

A read is whole or ReadFailed; a key that DynamoDB did not get to is never taken for absent. A
write is sent once. When its answer does not say what happened, one consistent read settles it: the
item carries this attempt's nonce, or the outcome is unknown.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from dnsplan.errors import ItemUnreadable, ReadFailed
from dnsplan.generation import SCHEMA, GenerationItem, Transition, failed
from dnsplan.outcomes import ConditionFailed, Unknown, WriteOutcome, Written
from dnsplan.plan import Digest, Generation
from dnsplan.ports import all_readable
from dnsplan.runtime.aws_errors import (
    AWS_TROUBLE,
    CONDITION_FAILED,
    code_of,
    failed_read,
    in_words,
    unknown_write,
)
from dnsplan.runtime.dynamodb import PARTITION_KEY, DynamoDb, Item, number_of, text_of, word_of
from dnsplan.runtime.retry import Retrying
from dnsplan.runtime.table_expressions import PREFIX, key_of, update_request
from dnsplan.runtime.table_identity import read_identity
from dnsplan.runtime.table_making import MadeTable, create_table

__all__ = ["DynamoGenerationTable", "MadeTable", "create_table"]

# BatchGetItem's own bound. Source: Amazon DynamoDB API reference.
KEYS_MAX = 100
# Each round asks for what the last one left; DynamoDB that gives nothing five times is failing.
ROUNDS_MAX = 5


class DynamoGenerationTable:
    """ports.GenerationTable on one table."""

    def __init__(self, client: DynamoDb, table: str, retrying: Retrying) -> None:
        """Keep a client whose own retries are off."""
        self._client = client
        self._table = table
        self._retrying = retrying

    async def incarnation(self) -> str:
        """The id of the table that answers now; never remembered, since it can be swapped."""
        try:
            return await read_identity(self._client, self._table, self._retrying)
        except AWS_TROUBLE as error:
            raise failed_read(error, f"describe table {self._table}") from error

    async def read(self, labels: Sequence[str]) -> Mapping[str, GenerationItem]:
        """The items there are."""
        return all_readable(await self.read_each(labels))

    async def read_each(
        self, labels: Sequence[str]
    ) -> Mapping[str, GenerationItem | ItemUnreadable]:
        """The items there are, each that cannot be read as an error in its place."""
        wanted = tuple(dict.fromkeys(labels))
        found: dict[str, Item] = {}
        try:
            if len(wanted) == 1:
                item = await self._get_raw(wanted[0])
                found = {} if item is None else {wanted[0]: item}
            else:
                for start in range(0, len(wanted), KEYS_MAX):
                    found.update(await self._get_many(wanted[start : start + KEYS_MAX]))
        except AWS_TROUBLE as error:
            raise failed_read(error, f"read generation items of {self._table}") from error
        return {label: _readable(raw) for label, raw in found.items()}

    async def write(self, transition: Transition) -> WriteOutcome:
        """Write one item if its conditions hold, once."""
        request = update_request(transition)
        try:
            await self._client.update_item(TableName=self._table, ReturnValues="NONE", **request)
        except AWS_TROUBLE as error:
            if code_of(error) == CONDITION_FAILED:
                return await self._refused(transition)
            return await self._settled(transition, error)
        return Written()

    async def _refused(self, transition: Transition) -> WriteOutcome:
        try:
            item = await self._get(transition.label)
        except (ReadFailed, *AWS_TROUBLE) as error:
            reason = f"{transition.name} was refused, and the item could not be read: {error}"
            return Unknown(reason)
        if item is not None and item.nonce == transition.nonce:
            return Written()
        return ConditionFailed(item, failed(transition.conditions, item))

    async def _settled(self, transition: Transition, error: BaseException) -> WriteOutcome:
        try:
            item = await self._get(transition.label)
        except (ReadFailed, *AWS_TROUBLE) as second:
            reason = unknown_write(error, transition.name).reason
            return Unknown(f"{reason}; then {in_words(second)}")
        if item is not None and item.nonce == transition.nonce:
            return Written()
        return unknown_write(error, transition.name)

    async def _get(self, label: str) -> GenerationItem | None:
        raw = await self._get_raw(label)
        return None if raw is None else item_from(raw)

    async def _get_raw(self, label: str) -> Item | None:
        answer = await self._retrying.call(
            lambda: self._client.get_item(
                TableName=self._table, Key=key_of(label), ConsistentRead=True
            )
        )
        item: Item | None = answer.get("Item")
        return item

    async def _get_many(self, labels: Sequence[str]) -> dict[str, Item]:
        found: dict[str, Item] = {}
        keys: Sequence[Mapping[str, Any]] = [key_of(label) for label in labels]
        for _ in range(ROUNDS_MAX):
            if not keys:
                return found
            answer = await self._batch(keys)
            for raw in answer.get("Responses", {}).get(self._table, ()):
                found[_label_of(raw)] = raw
            keys = answer.get("UnprocessedKeys", {}).get(self._table, {}).get("Keys", ())
        if keys:
            raise ReadFailed(f"{self._table} left {len(keys)} of {len(labels)} items unread")
        return found

    async def _batch(self, keys: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
        request = {self._table: {"Keys": list(keys), "ConsistentRead": True}}
        return await self._retrying.call(lambda: self._client.batch_get_item(RequestItems=request))


def _readable(raw: Item) -> GenerationItem | ItemUnreadable:
    try:
        return item_from(raw)
    except ItemUnreadable as error:
        return error


def _label_of(raw: Item) -> str:
    return text_of(raw, PARTITION_KEY).removeprefix(PREFIX)


def item_from(raw: Item) -> GenerationItem:
    """A stored item, or ItemUnreadable when a needed field is absent or of another kind, or the
    item is of a newer release: what its fields mean there is not guessed."""
    try:
        return _item_from(raw)
    except ReadFailed as error:
        raise ItemUnreadable(str(error)) from error


def _item_from(raw: Item) -> GenerationItem:
    schema = number_of(raw, "schema") if "schema" in raw else SCHEMA
    if schema > SCHEMA:
        raise ReadFailed(
            f"the item {text_of(raw, PARTITION_KEY)} has schema {schema}; this release reads"
            f" {SCHEMA}: upgrade this daemon"
        )

    def text(name: str) -> str | None:
        return text_of(raw, name) if name in raw else None

    def word(name: str) -> str | None:
        return word_of(raw, name) if name in raw else None

    def number(name: str) -> Generation:
        return Generation(number_of(raw, name))

    digest = word("pin_digest")
    return GenerationItem(
        label=_label_of(raw),
        owner=word_of(raw, "owner"),
        incarnation=word_of(raw, "incarnation"),
        nonce=word_of(raw, "nonce"),
        zone_id=word("zone_id"),
        head=number("head"),
        head_digest=_head_digest(raw),
        claimed=number("claimed"),
        applied=number("applied"),
        applied_fence=text("applied_fence"),
        last_known_good=number("last_known_good"),
        floor=number("floor"),
        frozen=word("frozen"),
        pin=number("pin") if "pin" in raw else None,
        pin_digest=None if digest is None else Digest(digest),
        pin_vouch=text("pin_vouch"),
        ahead=number("ahead") if "ahead" in raw else None,
        waivers=text("waivers"),
        drains=text("drains"),
    )


def _head_digest(raw: Item) -> Digest:
    """Empty until there is a plan."""
    is_none = raw.get("head_digest", {}).get("S") == ""
    return Digest("" if is_none else word_of(raw, "head_digest"))
