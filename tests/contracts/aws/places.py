"""Fresh zones and tables for the cases, and short ways to write to them and to look at them."""

from dataclasses import dataclass
from typing import Any

from tests.contracts.aws.talk import Json, Talk, refusal, unique


def record(name: str, kind: str = "A", *values: str, **fields: Any) -> Json:
    """Make a record set as the API takes it."""
    made: Json = {"Name": name, "Type": kind, **fields}
    if "AliasTarget" not in fields:
        made.setdefault("TTL", 60)
        made["ResourceRecords"] = [{"Value": value} for value in values or ("192.0.2.1",)]
    return made


@dataclass(frozen=True, slots=True)
class Zone:
    """A fresh hosted zone, and short ways to change and list it."""

    talk: Talk
    id: str
    name: str

    @classmethod
    async def make(cls, talk: Talk) -> "Zone":
        """Create a zone that no other case uses."""
        name = f"{unique('z')}.example.com."
        made = await talk.ask(
            "route53", "create_hosted_zone", Name=name, CallerReference=unique("ref")
        )
        return cls(talk, made["HostedZone"]["Id"].rpartition("/")[2], name)

    def at(self, label: str) -> str:
        """Give a name in the zone."""
        return f"{label}.{self.name}"

    async def submit(self, *changes: tuple[str, Json], comment: str | None = None) -> Json:
        """Send a batch; give the change's state."""
        batch: Json = {
            "Changes": [{"Action": action, "ResourceRecordSet": one} for action, one in changes]
        }
        if comment is not None:
            batch["Comment"] = comment
        answer = await self.talk.ask(
            "route53", "change_resource_record_sets", HostedZoneId=self.id, ChangeBatch=batch
        )
        info: Json = answer["ChangeInfo"]
        return info

    async def send(self, *changes: tuple[str, Json]) -> str:
        """Send a batch; give "" if it was accepted, else the refusal."""
        return await refusal(self.submit(*changes))

    async def create(self, *records: Json) -> str:
        """Send a batch of CREATEs."""
        return await self.send(*[("CREATE", one) for one in records])

    async def upsert(self, *records: Json) -> str:
        """Send a batch of UPSERTs."""
        return await self.send(*[("UPSERT", one) for one in records])

    async def delete(self, *records: Json) -> str:
        """Send a batch of DELETEs."""
        return await self.send(*[("DELETE", one) for one in records])

    async def page(self, **parameters: Any) -> Json:
        """List one page."""
        return await self.talk.ask(
            "route53", "list_resource_record_sets", HostedZoneId=self.id, **parameters
        )

    async def held(self) -> list[Json]:
        """List what the zone holds beside NS and SOA."""
        listed = (await self.page())["ResourceRecordSets"]
        return [one for one in listed if one["Type"] not in ("NS", "SOA")]

    async def apex(self, kind: str) -> Json:
        """Give the zone's own NS or SOA."""
        listed = (await self.page())["ResourceRecordSets"]
        found: Json = next(one for one in listed if one["Type"] == kind)
        return found


def values(records: list[Json]) -> list[str]:
    """Give the values of record sets."""
    return [one["Value"] for found in records for one in found.get("ResourceRecords", [])]


def labels(records: list[Json]) -> list[str]:
    """Give the first labels of record sets."""
    return [found["Name"].partition(".")[0] for found in records]


@dataclass(frozen=True, slots=True)
class Table:
    """A fresh table with one string key `k`."""

    talk: Talk
    name: str

    @classmethod
    async def make(cls, talk: Talk) -> "Table":
        """Create a table that no other case uses."""
        table = cls(talk, unique("table"))
        await talk.ask(
            "dynamodb",
            "create_table",
            TableName=table.name,
            KeySchema=[{"AttributeName": "k", "KeyType": "HASH"}],
            AttributeDefinitions=[{"AttributeName": "k", "AttributeType": "S"}],
            BillingMode="PAY_PER_REQUEST",
        )
        return table

    async def ask(self, operation: str, **parameters: Any) -> Json:
        """Send a request about this table."""
        return await self.talk.ask("dynamodb", operation, TableName=self.name, **parameters)

    async def put(self, key: str, generation: int | str, **parameters: Any) -> Json:
        """Put an item with a generation."""
        item = {"k": {"S": key}, "g": {"N": str(generation)}}
        return await self.ask("put_item", Item=item, **parameters)

    async def generation(self, key: str = "gen", **parameters: Any) -> str | None:
        """Read an item's generation consistently."""
        read = {"ConsistentRead": True, **parameters}
        found = await self.ask("get_item", Key={"k": {"S": key}}, **read)
        return found["Item"]["g"]["N"] if "Item" in found else None

    def advance(self, *, expected: int, to: int, writer: str, key: str = "gen") -> Json:
        """State an update that moves an item from one generation to another, once."""
        return {
            "Key": {"k": {"S": key}},
            "UpdateExpression": "SET g = :to, w = :w",
            "ConditionExpression": "g = :expected",
            "ExpressionAttributeValues": {
                ":expected": {"N": str(expected)},
                ":to": {"N": str(to)},
                ":w": {"S": writer},
            },
        }
