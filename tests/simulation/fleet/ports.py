"""Table, archive and board of one process, at the end of a wire: what adapters are to DynamoDB."""

from collections.abc import Callable, Coroutine, Mapping, Sequence
from typing import Any, TypeVar

from dnsplan.codec import Envelope
from dnsplan.errors import ItemUnreadable
from dnsplan.generation import GenerationItem, Transition
from dnsplan.outcomes import WriteOutcome
from dnsplan.plan import Generation, PlanId
from dnsplan.ports import PlanRow, Presence
from dnsplan.runtime.aws_errors import AWS_TROUBLE, failed_read, unknown_write
from dnsplan.runtime.retry import Retrying
from tests.simulation.cloud import FakeCloud, at_once
from tests.simulation.fleet.network import Network
from tests.simulation.processes import Process

Result = TypeVar("Result")


class FarPorts:
    """Each call travels, and is made again by the product's retry layer; what is written under
    conditions may be written twice without harm."""

    def __init__(
        self, cloud: FakeCloud, network: Network, process: Process, retrying: Retrying
    ) -> None:
        """`retrying` is the process's own."""
        self._cloud, self._network = cloud, network
        self._process, self._retrying = process, retrying

    async def incarnation(self) -> str:
        """The table's id."""
        return await self._ask(self._cloud.table.incarnation)

    async def read(self, labels: Sequence[str]) -> Mapping[str, GenerationItem]:
        """The items."""
        return await self._ask(lambda: self._cloud.table.read(labels))

    async def read_each(
        self, labels: Sequence[str]
    ) -> Mapping[str, GenerationItem | ItemUnreadable]:
        """The items, each by itself."""
        return await self._ask(lambda: self._cloud.table.read_each(labels))

    async def write(self, transition: Transition) -> WriteOutcome:
        """One conditional write."""
        try:
            return await self._call(lambda: self._cloud.table.write(transition))
        except AWS_TROUBLE as error:
            return unknown_write(error, transition.name)

    async def store(self, envelope: Envelope, row: PlanRow) -> None:
        """Body and row."""
        await self._ask(lambda: self._cloud.archive.store(envelope, row))

    async def load(self, plan_id: PlanId) -> Envelope:
        """A body."""
        return await self._ask(lambda: self._cloud.archive.load(plan_id))

    async def rows(self, label: str) -> Sequence[PlanRow]:
        """Rows of a zone."""
        return await self._ask(lambda: self._cloud.archive.rows(label))

    async def bury(self, row: PlanRow, *, by: str, now_s: int) -> None:
        """Delete a body."""
        await self._ask(lambda: self._cloud.archive.bury(row, by=by, now_s=now_s))

    async def sweep(self, label: str, *, below: Generation) -> int:
        """Delete orphans."""
        return await self._ask(lambda: self._cloud.archive.sweep(label, below=below))

    async def announce(self, presence: Presence) -> None:
        """A sign of life."""
        await self._ask(lambda: self._cloud.board.announce(presence))

    async def everyone(self) -> Sequence[Presence]:
        """All signs."""
        return await self._ask(self._cloud.board.everyone)

    async def _ask(self, work: Callable[[], Coroutine[Any, Any, Result]]) -> Result:
        try:
            return await self._call(work)
        except AWS_TROUBLE as error:
            raise failed_read(error, "the table") from error

    async def _call(self, work: Callable[[], Coroutine[Any, Any, Result]]) -> Result:
        return await self._retrying.call(
            lambda: self._network.call(self._process, lambda: at_once(work()))
        )
