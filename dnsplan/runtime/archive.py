"""Plan bodies and rows in DynamoDB: written once each, checked for being whole, buried in order.

A body's chunks come before its row, and a tombstone before the chunks go, so that whatever stops
half-way leaves a plan that nobody can load, or chunks that `sweep` finds. Every write may be
repeated: what is there already and the same is a success, and nothing is ever overwritten.
"""

from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any

from dnsplan.codec import Envelope, from_chunks, to_chunks
from dnsplan.errors import PlanDamaged, PlanMissing
from dnsplan.plan import Generation, PlanId
from dnsplan.ports import PlanRow
from dnsplan.runtime.archive_items import (
    CHUNKS_MAX,
    chunk_item,
    chunk_prefix,
    generation_prefix,
    id_prefix,
    is_vouched,
    joined,
    plan_of_chunk,
    plan_partition,
    row_from,
    row_item,
    row_key,
    row_partition,
    unvouched,
)
from dnsplan.runtime.aws_errors import AWS_TROUBLE, CONDITION_FAILED, code_of, failed_read
from dnsplan.runtime.dynamodb import PARTITION_KEY, SORT_KEY, DynamoDb, Item, query_all
from dnsplan.runtime.retry import Retrying


class DynamoPlanArchive:
    """ports.PlanArchive on the same table as the generation items."""

    def __init__(self, client: DynamoDb, table: str, retrying: Retrying) -> None:
        """Keep a client whose own retries are off."""
        self._client = client
        self._table = table
        self._retrying = retrying

    async def store(self, envelope: Envelope, row: PlanRow) -> None:
        """Write chunks, then the row."""
        plan_id = envelope.plan_id
        chunks = to_chunks(envelope.body)
        if len(chunks) > CHUNKS_MAX:
            raise PlanDamaged(f"plan {plan_id.label}: {len(chunks)} chunks; at most {CHUNKS_MAX}")
        items = [
            chunk_item(
                plan_id,
                index,
                chunk,
                count=len(chunks),
                key_id=envelope.key_id,
                signature=envelope.signature,
            )
            for index, chunk in enumerate(chunks)
        ]
        try:
            for item in items:
                await self._put_once(item)
            await self._put_row(row)
        except AWS_TROUBLE as error:
            raise failed_read(error, f"store {_words(plan_id)}") from error

    async def load(self, plan_id: PlanId) -> Envelope:
        """The body, or PlanMissing / PlanDamaged when it is not whole."""
        try:
            items = [item async for item in self._chunks(plan_id)]
        except AWS_TROUBLE as error:
            raise failed_read(error, f"load {_words(plan_id)}") from error
        if not items:
            raise PlanMissing(f"{_words(plan_id)} with digest {plan_id.digest} is not stored")
        chunks, key_id, signature = joined(plan_id, items)
        try:
            return Envelope(plan_id, from_chunks(chunks), key_id, signature)
        except PlanDamaged as error:
            raise PlanDamaged(f"{_words(plan_id)}: {error}") from error

    async def rows(self, label: str) -> Sequence[PlanRow]:
        """Every row of a zone by generation, tombstones too."""
        try:
            return [row_from(item) async for item in self._row_items(label)]
        except AWS_TROUBLE as error:
            raise failed_read(error, f"read the plan rows of {label}") from error

    async def bury(self, row: PlanRow, *, by: str, now_s: int) -> None:
        """Turn a row into a tombstone, then delete its chunks; the first burial's words stay."""
        try:
            await self._mark_buried(row, by=by, now_s=now_s)
            keys = [_key_of(item) async for item in self._chunks(row.plan_id, keys_only=True)]
            for key in keys:
                await self._delete(key)
        except AWS_TROUBLE as error:
            raise failed_read(error, f"bury {_words(row.plan_id)}") from error

    async def forget(self, tombstone: PlanRow) -> None:
        """Delete a row for good, if it is this tombstone still; a living row never."""
        where = f"forget {_words(tombstone.plan_id)}"
        try:
            await self._retrying.call(
                lambda: self._client.delete_item(
                    TableName=self._table,
                    Key=row_key(tombstone.plan_id),
                    ConditionExpression="#at = :at AND #by = :by",
                    ExpressionAttributeNames={"#at": "deleted_s", "#by": "deleted_by"},
                    ExpressionAttributeValues={
                        ":at": {"N": str(tombstone.deleted_s)},
                        ":by": {"S": tombstone.deleted_by},
                    },
                )
            )
        except AWS_TROUBLE as error:
            if code_of(error) != CONDITION_FAILED:
                raise failed_read(error, where) from error

    async def sweep(self, label: str, *, below: Generation) -> int:
        """Delete chunks below a floor that no row speaks of, or only a tombstone."""
        rows = await self.rows(label)
        living = {id_prefix(row.plan_id) for row in rows if row.deleted_s is None}
        try:
            keys = [
                _key_of(item)
                async for item in self._chunks_below(label, below)
                if plan_of_chunk(item) not in living
            ]
            for key in keys:
                await self._delete(key)
        except AWS_TROUBLE as error:
            raise failed_read(error, f"sweep the plans of {label}") from error
        return len(keys)

    async def _put_once(self, item: Mapping[str, Any]) -> None:
        """Write an item unless the same is there; another one in its place is damage.

        Who vouches for the same bytes may change: a command that goes on where another operator's
        stopped, or one that signs what was stored before anybody signed.
        """
        try:
            await self._put_new(item)
        except AWS_TROUBLE as error:
            if code_of(error) != CONDITION_FAILED:
                raise
            there = await self._get(_key_of(item)) or {}
            if unvouched(there) != unvouched(item):
                where = f"{item[PARTITION_KEY]['S']} {item[SORT_KEY]['S']}"
                raise PlanDamaged(f"{where} holds other bytes; plan anew") from error
            if there != item and is_vouched(item):
                await self._put_vouch(item)

    async def _put_row(self, row: PlanRow) -> None:
        item = row_item(row)
        try:
            await self._put_new(item)
        except AWS_TROUBLE as error:
            if code_of(error) != CONDITION_FAILED:
                raise
            there = await self._get(_key_of(item))
            if there is not None and row_from(there).deleted_s is not None:
                raise PlanMissing(f"{_words(row.plan_id)} was deleted already") from error

    async def _put_new(self, item: Mapping[str, Any]) -> None:
        await self._retrying.call(
            lambda: self._client.put_item(
                TableName=self._table,
                Item=item,
                ConditionExpression="attribute_not_exists(#pk)",
                ExpressionAttributeNames={"#pk": PARTITION_KEY},
            )
        )

    async def _put_vouch(self, item: Mapping[str, Any]) -> None:
        await self._retrying.call(
            lambda: self._client.put_item(
                TableName=self._table,
                Item=item,
                ConditionExpression="#body = :body AND #chunks = :chunks",
                ExpressionAttributeNames={"#body": "body", "#chunks": "chunks"},
                ExpressionAttributeValues={":body": item["body"], ":chunks": item["chunks"]},
            )
        )

    async def _mark_buried(self, row: PlanRow, *, by: str, now_s: int) -> None:
        await self._retrying.call(
            lambda: self._client.update_item(
                TableName=self._table,
                Key=row_key(row.plan_id),
                UpdateExpression=(
                    "SET #row = if_not_exists(#row, :row),"
                    " #at = if_not_exists(#at, :at), #by = if_not_exists(#by, :by)"
                ),
                ExpressionAttributeNames={"#row": "row", "#at": "deleted_s", "#by": "deleted_by"},
                ExpressionAttributeValues={
                    ":row": row_item(row)["row"],
                    ":at": {"N": str(now_s)},
                    ":by": {"S": by},
                },
            )
        )

    async def _get(self, key: Mapping[str, Any]) -> Item | None:
        answer = await self._retrying.call(
            lambda: self._client.get_item(TableName=self._table, Key=key, ConsistentRead=True)
        )
        return answer.get("Item")

    async def _delete(self, key: Mapping[str, Any]) -> None:
        await self._retrying.call(lambda: self._client.delete_item(TableName=self._table, Key=key))

    def _chunks(self, plan_id: PlanId, *, keys_only: bool = False) -> AsyncIterator[Item]:
        request = self._request(
            "#pk = :pk AND begins_with(#sk, :sk)",
            {":pk": plan_partition(plan_id.label), ":sk": {"S": chunk_prefix(plan_id)}},
        )
        if keys_only:
            request["ProjectionExpression"] = "#pk, #sk"
        return query_all(self._client, self._retrying, request)

    def _chunks_below(self, label: str, below: Generation) -> AsyncIterator[Item]:
        request = self._request(
            "#pk = :pk AND #sk < :sk",
            {":pk": plan_partition(label), ":sk": {"S": generation_prefix(below)}},
        )
        request["ProjectionExpression"] = "#pk, #sk"
        return query_all(self._client, self._retrying, request)

    def _row_items(self, label: str) -> AsyncIterator[Item]:
        request = self._request("#pk = :pk", {":pk": row_partition(label)})
        del request["ExpressionAttributeNames"]["#sk"]  # a name that no expression uses is refused
        return query_all(self._client, self._retrying, request)

    def _request(self, condition: str, values: Mapping[str, Any]) -> dict[str, Any]:
        return {
            "TableName": self._table,
            "KeyConditionExpression": condition,
            "ExpressionAttributeNames": {"#pk": PARTITION_KEY, "#sk": SORT_KEY},
            "ExpressionAttributeValues": dict(values),
        }


def _key_of(item: Mapping[str, Any]) -> dict[str, Any]:
    return {PARTITION_KEY: item[PARTITION_KEY], SORT_KEY: item[SORT_KEY]}


def _words(plan_id: PlanId) -> str:
    return f"plan {plan_id.label} {plan_id.generation}"
