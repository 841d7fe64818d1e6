"""An answer that points elsewhere is an answer: a request and its credentials go to AWS alone."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from aiohttp import web

from dnsplan.outcomes import Unknown
from dnsplan.runtime.aws import AwsClients
from dnsplan.runtime.table import DynamoGenerationTable
from dnsplan.transitions import freeze
from tests.contracts.conftest import TABLE, new_retrying
from tests.unit.dnsplan.samples import item


@asynccontextmanager
async def served(location: str | None, asked: list[str]) -> AsyncIterator[str]:
    """A server that notes what it is asked; where it points to, or nothing."""

    async def answer(request: web.BaseRequest) -> web.Response:
        asked.append(request.headers.get("X-Amz-Target", ""))
        if location is None:
            return web.Response(text="{}", content_type="application/x-amz-json-1.0")
        return web.Response(status=307, headers={"Location": location})

    runner = web.ServerRunner(web.Server(answer, access_log=None), shutdown_timeout=0.1)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        host, port = runner.addresses[0][:2]
        yield f"http://{host}:{port}"
    finally:
        await runner.cleanup()


async def test_a_write_is_sent_nowhere_else(monkeypatch: pytest.MonkeyPatch) -> None:
    """A 307 asks for the same request elsewhere; HTTP clients do as they are told."""
    here: list[str] = []
    elsewhere: list[str] = []
    async with served(None, elsewhere) as other, served(f"{other}/", here) as portal:
        monkeypatch.setenv("AWS_ENDPOINT_URL", portal)
        async with AwsClients().open("dynamodb") as client:
            table = DynamoGenerationTable(client, TABLE, new_retrying())
            outcome = await table.write(freeze(item(), "f1", nonce="mine"))
    assert isinstance(outcome, Unknown)
    assert here.count("DynamoDB_20120810.UpdateItem") == 1
    assert elsewhere == []
