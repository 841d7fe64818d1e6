"""Each port in every place: the strict fake, and the adapter on our stand-in, on plain moto and on
dynalite, which others wrote.

Plain moto gives tables no id, so there the id that `init` writes is what the adapter goes by.
"""

import os
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import pytest
from moto.server import ThreadedMotoServer

from dnsplan.ports import GenerationTable, PlanArchive
from dnsplan.runtime.archive import DynamoPlanArchive
from dnsplan.runtime.aws import AwsClients
from dnsplan.runtime.retry import RetryBudget, Retrying
from dnsplan.runtime.table import DynamoGenerationTable, create_table
from planner.ports import Graveyard
from sandbox.aws.server import serve
from tests.contracts.dynalite import serve_dynalite
from tests.fakes.archive import FakeArchive
from tests.fakes.clock import FakeClock, SeededJitter
from tests.fakes.table import FakeTable

TABLE = "dnsplan-contract"
# One for all tests: the SDK reads its service models once a session, which takes most of a second.
CLIENTS = AwsClients()
DYNALITE = pytest.param("dynalite", marks=pytest.mark.system)


@dataclass(frozen=True)
class Store:
    """A table and an archive that share what they stand on."""

    table: GenerationTable
    archive: PlanArchive
    graveyard: Graveyard
    incarnation: str


@pytest.fixture(scope="session")
def plain_moto() -> Iterator[str]:
    """Moto as it is released."""
    os.environ.setdefault("AWS_DEFAULT_REGION", "us-east-1")
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    yield f"http://{host}:{port}"
    server.stop()


@pytest.fixture(scope="session")
def dynalite() -> Iterator[str]:
    """One for all tests: each has a table of its own."""
    with serve_dynalite() as url:
        yield url


@pytest.fixture(params=["fake", "stand-in", "plain moto", DYNALITE])
async def store(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Store]:
    """One store of each kind in turn, empty."""
    if request.param == "fake":
        fake = FakeTable()
        archive = FakeArchive()
        yield Store(fake, archive, archive, fake.id)
    elif request.param == "stand-in":
        async with serve() as aws:
            monkeypatch.setenv("AWS_ENDPOINT_URL", aws.endpoint_url)
            async with adapters(TABLE) as opened:
                yield opened
    else:
        server = request.param.replace(" ", "_")
        monkeypatch.setenv("AWS_ENDPOINT_URL", request.getfixturevalue(server))
        # Its tables live as long as the process, so each test has one of its own.
        async with adapters(
            f"{TABLE}-{SeededJitter(hash(request.node.nodeid)).token(64)}"
        ) as opened:
            yield opened


@asynccontextmanager
async def adapters(name: str) -> AsyncIterator[Store]:
    """The adapters on a fresh table at AWS_ENDPOINT_URL."""
    async with CLIENTS.open("dynamodb") as client:
        retrying = new_retrying()
        made = await create_table(
            client, name, clock=FakeClock(), jitter=SeededJitter(), retrying=retrying
        )
        archive = DynamoPlanArchive(client, name, retrying)
        table = DynamoGenerationTable(client, name, retrying)
        yield Store(table, archive, archive, made.incarnation)


def new_retrying() -> Retrying:
    """A retry layer whose waits take no time."""
    return Retrying(FakeClock(), SeededJitter(), budget=RetryBudget())
