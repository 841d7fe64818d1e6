"""Credentials come late, go stale and are odd at times: a daemon outlives all of it, and signs with
the right ones as soon as there are any."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from botocore.exceptions import ClientError

from dnsplan.errors import AccessDenied, ReadFailed
from dnsplan.runtime import aws_credentials
from dnsplan.runtime.aws import AwsClients
from dnsplan.runtime.aws_errors import is_denial
from dnsplan.runtime.table import DynamoGenerationTable
from tests.contracts.conftest import TABLE, new_retrying

ROLE = "arn:aws:iam::123456789012:role/dns"
EXPIRED = {
    "AccessKeyId": "k",
    "SecretAccessKey": "s",
    "Token": "t",
    "Expiration": "2020-01-01T00:00:00Z",
}


@asynccontextmanager
async def site(answer: Any) -> AsyncIterator[str]:
    """Something on loopback that answers so."""
    runner = web.ServerRunner(web.Server(answer, access_log=None), shutdown_timeout=0.1)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        host, port = runner.addresses[0][:2]
        yield f"http://{host}:{port}"
    finally:
        await runner.cleanup()


async def only_new(request: web.BaseRequest) -> web.Response:
    """A DynamoDB that knows the key `new` and an empty table."""
    if "Credential=new/" in request.headers["Authorization"]:
        return web.json_response({})
    refusal = {"__type": "com.amazon#UnrecognizedClientException", "message": "no such key"}
    return web.Response(status=400, text=json.dumps(refusal))


@pytest.fixture
def keys(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A credentials file that is not there yet, and no other way to credentials."""
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "config"))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "credentials"))
    monkeypatch.setattr(aws_credentials, "SOUGHT_AGAIN_S", 0.0)
    return tmp_path / "credentials"


def write(keys: Path, key: str) -> None:
    """Somebody writes the credentials file anew."""
    keys.write_text(f"[default]\naws_access_key_id={key}\naws_secret_access_key=s\n")


async def test_credentials_that_come_late_or_are_written_anew_are_taken_up(
    monkeypatch: pytest.MonkeyPatch, keys: Path
) -> None:
    """By the client that is open, since daemons open theirs once; and each refusal is told."""
    async with site(only_new) as url:
        monkeypatch.setenv("AWS_ENDPOINT_URL", url)
        async with AwsClients().open("dynamodb") as client:
            table = DynamoGenerationTable(client, TABLE, new_retrying())
            with pytest.raises(AccessDenied, match="Unable to locate credentials"):
                await table.read(("shop",))
            write(keys, "old")
            with pytest.raises(AccessDenied, match="no such key"):
                await table.read(("shop",))
            write(keys, "new")
            assert await table.read(("shop",)) == {}


async def test_refused_credentials_are_not_sought_at_each_request(
    monkeypatch: pytest.MonkeyPatch, keys: Path
) -> None:
    """The machine's metadata service is not asked by every call of a fleet that is denied."""
    monkeypatch.setattr(aws_credentials, "SOUGHT_AGAIN_S", 1_000.0)
    write(keys, "old")
    async with site(only_new) as url:
        monkeypatch.setenv("AWS_ENDPOINT_URL", url)
        async with AwsClients().open("dynamodb") as client:
            table = DynamoGenerationTable(client, TABLE, new_retrying())
            for key in ("old", "new"):
                write(keys, key)
                with pytest.raises(AccessDenied, match="no such key"):
                    await table.read(("shop",))


@pytest.mark.parametrize(
    ("given", "said"),
    [(EXPIRED, "still expired.; check this machine's clock"), ({"odd": 1}, "KeyError")],
    ids=["expired", "odd"],
)
@pytest.mark.parametrize("role_arn", [None, ROLE])
async def test_credentials_that_cannot_be_used_are_a_denial(
    monkeypatch: pytest.MonkeyPatch,
    keys: Path,
    given: dict[str, object],
    said: str,
    role_arn: str | None,
) -> None:
    """As where this machine's clock is ahead by hours, so that all that comes is expired: the SDK
    raises what is no error of its own, and no daemon may end by it."""

    async def answer(_: web.BaseRequest) -> web.Response:
        return web.json_response(given)

    async with site(answer) as url:
        monkeypatch.setenv("AWS_CONTAINER_CREDENTIALS_FULL_URI", f"{url}/credentials")
        monkeypatch.setenv("AWS_ENDPOINT_URL", url)
        async with AwsClients().open("dynamodb", role_arn=role_arn) as client:
            table = DynamoGenerationTable(client, TABLE, new_retrying())
            with pytest.raises(AccessDenied, match=said):
                await table.read(("shop",))


def test_every_refusal_of_credentials_is_a_denial() -> None:
    """So that it is said as one, and not asked again at once."""
    for code in aws_credentials.REFUSED:
        assert is_denial(ClientError({"Error": {"Code": code}}, "GetItem"))


@pytest.mark.parametrize("url", ["127.0.0.1:4566", "nonsense", "http://127.0.0.1:99999"])
async def test_an_endpoint_that_is_none_is_said(monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    """When the client is opened, in one line; it is a slip in what was exported."""
    monkeypatch.setenv("AWS_ENDPOINT_URL", url)
    with pytest.raises(ReadFailed, match=r"open a client for dynamodb: ValueError: .*\d|nonsense"):
        async with AwsClients().open("dynamodb"):
            pass
