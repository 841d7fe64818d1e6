"""Opens what every command of the planner works with: the table, in all its parts, and clients.

A Region or a key that is not set shows when the first client is opened: that is a failed read with
the SDK's words, like any other trouble with AWS.
"""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Any

from dnsplan.ports import GenerationTable, PlanArchive
from dnsplan.runtime.archive import DynamoPlanArchive
from dnsplan.runtime.aws import AwsClients
from dnsplan.runtime.aws_errors import AWS_TROUBLE, failed_read
from dnsplan.runtime.clock import SystemClock, SystemJitter
from dnsplan.runtime.config.schema import Settings
from dnsplan.runtime.keys import keyring_of, vouched
from dnsplan.runtime.presence import DynamoPresenceBoard
from dnsplan.runtime.retry import RetryBudget, Retrying
from dnsplan.runtime.table import DynamoGenerationTable
from dnsplan.vouch import Keyring, Signer
from planner.adapters.vantage_board import DynamoVantageBoard
from planner.page import TableHeld


@dataclass(frozen=True, slots=True)
class Opened:
    """The table and archive of one process, and what they were opened with."""

    dynamodb: Any  # the SDK's client has no types of its own
    table: GenerationTable
    archive: PlanArchive
    retrying: Retrying
    clients: AwsClients
    held: TableHeld
    keyring: Keyring
    signer: Signer | None


@asynccontextmanager
async def opened_table(settings: Settings, signer: Signer | None = None) -> AsyncIterator[Opened]:
    """The table for as long as the block lasts; `signer` signs what is written into it."""
    table, signing = settings.table, settings.signing
    clients = AwsClients()
    retrying = Retrying(SystemClock(), SystemJitter(), budget=RetryBudget())
    async with AsyncExitStack() as stack:
        dynamodb = await open_client(stack, clients, "dynamodb", role_arn=None)
        items = DynamoGenerationTable(dynamodb, table, retrying)
        archive = vouched(DynamoPlanArchive(dynamodb, table, retrying), signing, signer)
        held = TableHeld(items, archive, DynamoPresenceBoard(dynamodb, table, retrying=retrying))
        keyring = keyring_of(signing)
        yield Opened(dynamodb, items, archive, retrying, clients, held, keyring, signer)


def vantage_board(opened: Opened, table: str) -> DynamoVantageBoard:
    """Where what the planners find is shown, signed, and heard from those whose keys are listed."""
    return DynamoVantageBoard(
        opened.dynamodb, table, opened.retrying, keyring=opened.keyring, signer=opened.signer
    )


async def open_client(
    stack: AsyncExitStack, clients: AwsClients, service: str, *, role_arn: str | None
) -> Any:
    """A client, or ReadFailed in the SDK's words."""
    try:
        return await stack.enter_async_context(clients.open(service, role_arn=role_arn))
    except AWS_TROUBLE as error:
        raise failed_read(error, f"open a client for {service}") from error
