"""Which table answers: the id that changes when a table is restored, copied or made again.

AWS gives every table an id of its own. An engine that gives none gets one written into the table
at `init`; such a copy carries the id along, so there a restore must be followed by a new `init`.
A global table with eventual consistency is refused: its Regions would each admit a claim.
"""

from typing import Any

from dnsplan.errors import ReadFailed
from dnsplan.runtime.dynamodb import PARTITION_KEY, SORT_KEY, Answer, DynamoDb, text_of
from dnsplan.runtime.retry import Retrying

IDENTITY_KEY: dict[str, Any] = {PARTITION_KEY: {"S": "table#"}, SORT_KEY: {"S": "id"}}
IDENTITY_FIELD = "incarnation"


async def read_identity(client: DynamoDb, table: str, retrying: Retrying) -> str:
    """The id of the table, or ReadFailed when it has none or cannot be trusted."""
    answer = await retrying.call(lambda: client.describe_table(TableName=table))
    if problem := replication_problem(answer):
        raise ReadFailed(f"table {table}: {problem}")
    if identity := answer.get("Table", {}).get("TableId"):
        return str(identity)
    written = await read_written_identity(client, table, retrying)
    if written is None:
        raise ReadFailed(f"table {table} has no id; run dns-planner init")
    return written


async def read_written_identity(client: DynamoDb, table: str, retrying: Retrying) -> str | None:
    """The id that `init` wrote beside the items, if it did."""
    answer = await retrying.call(
        lambda: client.get_item(TableName=table, Key=IDENTITY_KEY, ConsistentRead=True)
    )
    item = answer.get("Item")
    return None if item is None else text_of(item, IDENTITY_FIELD)


def replication_problem(described: Answer) -> str | None:
    """Why a table's replication makes conditions worthless, or None."""
    table = described.get("Table", {})
    if table.get("Replicas") and table.get("MultiRegionConsistency") != "STRONG":
        return (
            "a global table with eventual consistency: two Regions could each admit a claim; "
            "use a table of one Region or multi-Region strong consistency"
        )
    return None
