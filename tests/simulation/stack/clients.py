"""The SDK's clients of one pretended process, each set with a session and a key of its own.

A set is opened once and serves every run and every life of its name, since opening one takes the
SDK longer than a whole run over fakes. Nothing of a run stays in it: its requests go wherever its
line leads now.
"""

import os
from collections.abc import Awaitable
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from functools import cache
from random import Random
from typing import Any, Protocol
from unittest.mock import patch

from aiobotocore.session import get_session

from dnsplan.runtime.aws import AwsClients
from sandbox.aws.call import Answer, Call
from sandbox.aws.in_process import InProcessSession
from tests.simulation.loop import SimLoop
from tests.simulation.processes import RUNNING, Process

REGION = "us-east-1"


class Carrier(Protocol):
    """What takes a request to the cloud and its answer back."""

    def carry(self, process: Process, url: str, call: Call) -> Awaitable[Answer]:
        """The answer, or what the SDK raises when there is none."""
        ...


@dataclass(slots=True)
class Line:
    """Where a set's requests go: by the present run's carrier, in the name of a process.

    Code of a process runs as that life of it, dead ones too; `process` is for whoever acts in its
    name from outside.
    """

    carrier: Carrier | None = None
    process: Process | None = None

    async def carry(self, url: str, call: Call) -> Answer:
        """Carry one request."""
        process = RUNNING.get(self.process)
        if self.carrier is None or process is None:
            raise AssertionError(f"{call.operation} was asked outside of any run")
        return await self.carrier.carry(process, url, call)


@dataclass(slots=True)
class ClientSet:
    """Open clients. `opened` is never closed: there is no connection behind it."""

    line: Line
    dynamodb: Any
    route53: Any
    opened: AsyncExitStack = field(repr=False)


@cache
def clients_of(name: str) -> ClientSet:
    """The set of a process, by its name."""
    return SimLoop(Random(0)).run(_open(name))


async def _open(name: str) -> ClientSet:
    line, opened = Line(), AsyncExitStack()
    with patch.dict(os.environ, _environment(name), clear=True):
        clients = AwsClients(transport=_transport(line))
        clients._sessions[None] = _session()
        dynamodb = await opened.enter_async_context(clients.open("dynamodb"))
        route53 = await opened.enter_async_context(clients.open("route53"))
    return ClientSet(line, dynamodb, route53, opened)


def _environment(name: str) -> dict[str, str]:
    """All that a process knows of AWS; nothing of this machine's."""
    return {
        "AWS_ACCESS_KEY_ID": f"AKIA{name.upper()}",
        "AWS_SECRET_ACCESS_KEY": "rehearsal",
        "AWS_DEFAULT_REGION": REGION,
        "AWS_CONFIG_FILE": os.devnull,
        "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
    }


def _session() -> Any:
    """A session of its own, with service models that are read once for all."""
    session = get_session()
    session.register_component("data_loader", _models())
    return session


@cache
def _models() -> Any:
    return get_session().get_component("data_loader")


def _transport(line: Line) -> type[InProcessSession]:
    """The HTTP session class whose requests go by this line."""

    class Session(InProcessSession):
        """Bound to one line, for botocore makes its sessions itself."""

        async def _carried(self, request: Any, call: Call) -> Answer:
            return await line.carry(request.url, call)

    return Session
