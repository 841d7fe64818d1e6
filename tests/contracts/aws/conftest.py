"""One stand-in and one plain moto for the suite; each case makes zones and tables of its own."""

import os
from collections.abc import AsyncIterator, Iterator

import pytest
from moto.server import ThreadedMotoServer

from sandbox.aws.threaded import ThreadedStandIn, serve_in_thread
from tests.contracts.aws.talk import Talk, close_blocking_clients, talking


@pytest.fixture(scope="session")
def stand_in() -> Iterator[ThreadedStandIn]:
    """Run our stand-in."""
    with serve_in_thread() as running:
        yield running
    close_blocking_clients()


@pytest.fixture(scope="session")
def plain_moto_url() -> Iterator[str]:
    """Run moto as it is released."""
    # moto reads credentials when its backends are made, which is outside of any test's environment
    os.environ.setdefault("AWS_DEFAULT_REGION", "us-east-1")
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    yield f"http://{host}:{port}"
    close_blocking_clients()
    server.stop()


@pytest.fixture(params=["boto3", "aiobotocore"])
async def talk(request: pytest.FixtureRequest, stand_in: ThreadedStandIn) -> AsyncIterator[Talk]:
    """Talk to our stand-in, by each client in turn."""
    async with talking(request.param, stand_in.endpoint_url, stand_in) as open_talk:
        yield open_talk


@pytest.fixture
async def moto_talk(plain_moto_url: str) -> AsyncIterator[Talk]:
    """Talk to plain moto."""
    async with talking("boto3", plain_moto_url, None) as open_talk:
        yield open_talk
