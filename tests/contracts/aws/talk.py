"""One way to ask AWS for the cases, by either client, of either double.

A case awaits `talk.ask(service, operation, ...)`; the blocking client runs in threads, the other
one in the test's own loop.
"""

import asyncio
import itertools
import uuid
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Protocol

import boto3
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
