"""A request that makes no headway ends, whatever it hangs in: a zone, or a freeze, waits for it."""

import asyncio
import socket
import threading

import pytest
from aiohttp import web

from dnsplan.outcomes import Unknown
from dnsplan.runtime.aws import AwsClients, CallBounds
from dnsplan.runtime.table import DynamoGenerationTable
from dnsplan.transitions import freeze
from tests.contracts.conftest import TABLE, new_retrying
from tests.unit.dnsplan.samples import item

BOUNDS = CallBounds(connect_timeout_s=0.2, read_timeout_s=0.2)
# Far more than a write and the read that settles it take by these bounds.
WITHIN_S = 20.0


async def trickle(request: web.BaseRequest) -> web.StreamResponse:
    """An answer whose bytes come one by one, none of them late, until the other side goes."""
    answer = web.StreamResponse()
    await answer.prepare(request)
    while True:
        await answer.write(b" ")
        await asyncio.sleep(0.02)


async def written() -> object:
    """A write to the table at AWS_ENDPOINT_URL."""
    async with asyncio.timeout(WITHIN_S), AwsClients(bounds=BOUNDS).open("dynamodb") as client:
        table = DynamoGenerationTable(client, TABLE, new_retrying())
        return await table.write(freeze(item(), "f1", nonce="mine"))


async def test_an_answer_that_never_ends_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of its bytes comes in time, and the whole never does."""
    runner = web.ServerRunner(web.Server(trickle, access_log=None), shutdown_timeout=0.1)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        host, port = runner.addresses[0][:2]
        monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://{host}:{port}")
        outcome = await written()
    finally:
        await runner.cleanup()
    assert isinstance(outcome, Unknown)
    assert "ReadTimeoutError" in outcome.reason


async def test_a_resolver_that_hangs_holds_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """The machine's resolver may take a minute to give up."""
    asked = threading.Event()

    def hang(*_: object, **__: object) -> object:
        asked.wait(WITHIN_S)
        raise socket.gaierror(socket.EAI_AGAIN, "no name server answered")

    monkeypatch.setattr(socket, "getaddrinfo", hang)
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://dynamodb.example:1")
    try:
        outcome = await written()
    finally:
        asked.set()
    assert isinstance(outcome, Unknown)
    assert "ReadTimeoutError" in outcome.reason
