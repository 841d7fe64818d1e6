"""The pretended cloud that all processes share: strict fakes that pass the ports' contract suites,
and the judge who is told of everything that takes effect in them."""

from collections.abc import Coroutine, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

from dnsplan.codec import Envelope
from dnsplan.generation import GenerationItem, Transition
from dnsplan.plan import PlanId
from dnsplan.ports import Zone
from enactor.rules.packing import ChangeBatch
from planner.rules.probing import Bad, Good, ProbeResult
from tests.fakes.archive import FakeArchive
from tests.fakes.audit import FakeAudit
from tests.fakes.notes import FakeBoard, FakeExceptionsLog
from tests.fakes.table import FakeTable
from tests.fakes.zone_records import FakeRoute53
from tests.simulation.processes import Process

Result = TypeVar("Result")


class Judge(Protocol):
    """Who is told of everything that takes effect."""

    def sent(self, process: Process, zone: Zone, kind: str) -> None:
        """A call about a zone left a process."""
        ...

    def before_submit(self, zone: Zone) -> None:
        """A batch is about to be judged by Route 53."""
        ...

    def landed(self, process: Process, zone: Zone, batch: ChangeBatch) -> None:
        """A batch was accepted."""
        ...

    def unanswered(self, process: Process, zone: Zone) -> None:
        """A process does not know what became of its batch."""
        ...

    def wrote(self, transition: Transition, before: GenerationItem | None) -> None:
        """A conditional write was admitted."""
        ...

    def stored(self, envelope: Envelope) -> None:
        """A body was stored."""
        ...

    def deleted(self, gone: Sequence[PlanId], label: str) -> None:
        """Bodies were deleted."""
        ...


@dataclass(slots=True)
class Targets:
    """What every address would answer, and which processes have lost their network."""

    sick: set[str] = field(default_factory=set)
    blind: dict[str, ProbeResult] = field(default_factory=dict)

    def answer(self, process: Process, address: str) -> ProbeResult:
        """What a probe finds."""
        if process.name in self.blind:
            return self.blind[process.name]
        return Bad("connection refused") if address in self.sick else Good("status 200")


@dataclass(slots=True)
class Cloud:
    """Route 53, the table with all that lies in it, and the targets."""

    route53: FakeRoute53
    table: FakeTable = field(default_factory=FakeTable)
    archive: FakeArchive = field(default_factory=FakeArchive)
    exceptions: FakeExceptionsLog = field(default_factory=FakeExceptionsLog)
    board: FakeBoard = field(default_factory=FakeBoard)
    audit: FakeAudit = field(default_factory=FakeAudit)
    targets: Targets = field(default_factory=Targets)


def at_once(work: Coroutine[Any, Any, Result]) -> Result:
    """The result of a fake's call: fakes never wait."""
    try:
        work.send(None)
    except StopIteration as done:
        result: Result = done.value
        return result
    raise AssertionError("a fake waited")
