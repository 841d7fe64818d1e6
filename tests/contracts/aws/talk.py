"""One way to ask AWS for the cases, by either client, of either double.

A case awaits `talk.ask(service, operation, ...)`; the blocking client runs in threads, the other
one in the test's own loop.
"""

import asyncio
import itertools
import uuid
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Protocol

import boto3
import pytest
from aiobotocore.config import AioConfig
from aiobotocore.session import AioSession, get_session
from botocore.config import Config
from botocore.exceptions import ClientError

from sandbox.aws.threaded import ThreadedStandIn

Json = dict[str, Any]
# One try and a bounded wait: the cases look at what the service says, not at what a client retries.
SENT_ONCE: Json = {"retries": {"total_max_attempts": 1}, "read_timeout": 20, "connect_timeout": 5}
POOL = 64


class Talk(Protocol):
    """A client of some double of AWS."""

    @property
    def stand_in(self) -> ThreadedStandIn | None:
        """Give the stand-in behind it, None for plain moto."""

    async def ask(self, service: str, operation: str, **parameters: Any) -> Json:
        """Send one request; raise ClientError for an error answer."""


@dataclass(frozen=True, slots=True)
class BlockingTalk:
    """boto3, each request in a thread."""

    endpoint_url: str
    stand_in: ThreadedStandIn | None

    async def ask(self, service: str, operation: str, **parameters: Any) -> Json:
        """Send one request."""
        client = blocking_client(service, self.endpoint_url)
        answer: Json = await asyncio.to_thread(getattr(client, operation), **parameters)
        return answer


@lru_cache(maxsize=64)
def blocking_client(service: str, endpoint_url: str) -> Any:
    """Make a boto3 client; making one costs more than most cases."""
    config = Config(max_pool_connections=POOL, **SENT_ONCE)
    return boto3.client(service, endpoint_url=endpoint_url, config=config)


def close_blocking_clients() -> None:
    """Close the cached clients' connections, when their servers go."""
    blocking_client.cache_clear()


@lru_cache(maxsize=1)
def loop_session() -> AioSession:
    """Share one session: it holds the service models, which take long to read, and no loop."""
    return get_session()


class LoopTalk:
    """aiobotocore, in the loop of the test."""

    def __init__(
        self,
        endpoint_url: str,
        stand_in: ThreadedStandIn | None,
        stack: AsyncExitStack,
        settings: Json,
    ) -> None:
        self.stand_in = stand_in
        self._endpoint_url = endpoint_url
        self._stack = stack
        self._settings = {**SENT_ONCE, "max_pool_connections": POOL, **settings}
        self._clients: dict[str, Any] = {}

    async def ask(self, service: str, operation: str, **parameters: Any) -> Json:
        """Send one request."""
        client = self._clients.get(service)
        if client is None:
            config = AioConfig(**self._settings)
            made = loop_session().create_client(
                service, endpoint_url=self._endpoint_url, config=config
            )
            client = self._clients[service] = await self._stack.enter_async_context(made)
        answer: Json = await getattr(client, operation)(**parameters)
        return answer


@asynccontextmanager
async def talking(
    client: str, endpoint_url: str, stand_in: ThreadedStandIn | None, **settings: Any
) -> AsyncIterator[Talk]:
    """Open a client of the named kind; settings are the loop client's."""
    async with AsyncExitStack() as stack:
        if client == "boto3":
            yield BlockingTalk(endpoint_url, stand_in)
        else:
            yield LoopTalk(endpoint_url, stand_in, stack, settings)


_numbers = itertools.count(1)


def unique(prefix: str) -> str:
    """Make a name that no other case has used."""
    return f"{prefix}{next(_numbers)}-{uuid.uuid4().hex[:6]}"


async def refusal(asking: Any) -> str:
    """Await a request; give "" if it was accepted, else the error's code and words."""
    try:
        await asking
    except ClientError as error:
        found = error.response["Error"]
        return f"{found['Code']}: {found['Message']}"
    return ""


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


Run = Callable[[Talk], Any]


@dataclass(frozen=True, slots=True)
class Case:
    """One row: what it shows, and why plain moto fails it (None: plain moto passes)."""

    name: str
    run: Run
    moto_fails: str | None


def row(cases: list[Case], moto_fails: str | None = None) -> Callable[[Run], Run]:
    """Add a function to the rows; its name is the row's."""

    def note(run: Run) -> Run:
        cases.append(Case(run.__name__, run, moto_fails))
        return run

    return note


def known_failure(case: Case) -> list[pytest.MarkDecorator]:
    """Mark a row that plain moto fails; it must fail by a claim of the row, not by any error."""
    if case.moto_fails is None:
        return []
    return [pytest.mark.xfail(reason=case.moto_fails, raises=AssertionError)]
