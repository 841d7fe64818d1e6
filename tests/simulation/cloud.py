"""The pretended cloud that all processes share, as acts and judge see it, and the judge who is told
of everything that takes effect in it. `FakeCloud` is made of strict fakes that pass the ports'
contract suites; `stack` has another one, of the stand-in's backends."""

from collections.abc import Coroutine, MutableMapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

from dnsplan.codec import Envelope
from dnsplan.generation import GenerationItem
from dnsplan.plan import Generation, PlanId
from dnsplan.ports import PlanRow, Zone
from enactor.rules.exceptions import ExceptionsRow
from planner.rules.probing import Bad, Good, ProbeResult
from sandbox.route53.account import Account
from sandbox.route53.model import Change
from tests.fakes.archive import FakeArchive
from tests.fakes.audit import FakeAudit
from tests.fakes.notes import FakeBoard, FakeExceptionsLog
from tests.fakes.table import FakeTable
from tests.fakes.vantage import FakeVantageBoard
from tests.fakes.zone_records import FakeRoute53
from tests.simulation.processes import Process

Result = TypeVar("Result")


class Judge(Protocol):
    """Who is told of everything that takes effect."""

    def sent(self, process: Process, zone: Zone, kind: str) -> None:
        """A call about a zone left a process."""
        ...

    def landed(self, process: Process, zone: Zone, changes: Sequence[Change]) -> None:
        """A batch was accepted; its changes as Route 53 took them."""
        ...

    def unanswered(self, process: Process, zone: Zone) -> None:
        """A process does not know what became of its batch."""
        ...

    def looked(self, process: Process, table_id: str) -> None:
        """A process was told the table's id."""
        ...

    def wrote(
        self, before: GenerationItem | None, after: GenerationItem, writer: Process | None = None
    ) -> None:
        """A conditional write of a zone's item was admitted."""
        ...

    def stored(self, envelope: Envelope) -> None:
        """A body was stored."""
        ...

    def deleted(self, gone: Sequence[PlanId], label: str, writer: Process | None = None) -> None:
        """Bodies were deleted."""
        ...


@dataclass(slots=True)
class Targets:
    """What every address would answer, which processes have lost their network, and from which
    addresses some are cut off."""

    sick: set[str] = field(default_factory=set)
    found_sick: set[str] = field(default_factory=set)
    doubted: set[str] = field(default_factory=set)
    blind: dict[str, ProbeResult] = field(default_factory=dict)
    cut: dict[str, frozenset[str]] = field(default_factory=dict)

    def answer(self, process: Process, address: str) -> ProbeResult:
        """What a probe finds."""
        if process.name in self.blind:
            return self.blind[process.name]
        if address in self.cut.get(process.name, ()):
            self.doubted.add(address)
            return Bad("no route")
        if address not in self.sick:
            return Good("status 200")
        self.found_sick.add(address)
        return Bad("connection refused")


class ZonesThere(Protocol):
    """Route 53 as it stands."""

    @property
    def account(self) -> Account:
        """The rules and the zones themselves."""
        ...

    def make_zone(self, label: str, name: str) -> Zone:
        """A new hosted zone."""
        ...


class TableThere(Protocol):
    """The generation items as they stand; acts may change them as nobody of ours could."""

    @property
    def id(self) -> str:
        """The table's incarnation."""
        ...

    @property
    def items(self) -> MutableMapping[str, GenerationItem]:
        """By label."""
        ...


class ArchiveThere(Protocol):
    """Bodies and rows as they stand."""

    @property
    def bodies(self) -> MutableMapping[PlanId, Envelope]:
        """Bodies, which acts may damage."""
        ...

    @property
    def kept(self) -> MutableMapping[PlanId, PlanRow]:
        """Rows."""
        ...


class NotesThere(Protocol):
    """Notes of held names as they stand."""

    @property
    def rows(self) -> MutableMapping[tuple[str, Generation, str], ExceptionsRow]:
        """By label, generation and nonce."""
        ...


class Cloud(Protocol):
    """Route 53, the table with all that lies in it, and the targets."""

    @property
    def route53(self) -> ZonesThere:
        """The zones."""
        ...

    @property
    def table(self) -> TableThere:
        """The generation items."""
        ...

    @property
    def archive(self) -> ArchiveThere:
        """The plans."""
        ...

    @property
    def exceptions(self) -> NotesThere:
        """The notes of held names."""
        ...

    @property
    def targets(self) -> Targets:
        """What probes find."""
        ...

    def copied(self) -> object:
        """A copy of the table with all that lies in it, under an id of its own; nobody reads it."""
        ...

    def answer_with(self, copy: object) -> object:
        """Let a copy answer for the table from now on; gives back what answered before."""
        ...

    def close(self) -> None:
        """The run is over."""
        ...


@dataclass(slots=True)
class FakeCloud:
    """A cloud of fakes."""

    route53: FakeRoute53
    table: FakeTable = field(default_factory=FakeTable)
    archive: FakeArchive = field(default_factory=FakeArchive)
    exceptions: FakeExceptionsLog = field(default_factory=FakeExceptionsLog)
    board: FakeBoard = field(default_factory=FakeBoard)
    audit: FakeAudit = field(default_factory=FakeAudit)
    vantage: FakeVantageBoard = field(default_factory=FakeVantageBoard)
    targets: Targets = field(default_factory=Targets)
    copies: int = 0

    def copied(self, *, under: str = "") -> object:
        """Table, plans and notes; signs of life and audit rows are read by no cycle."""
        self.copies += 1
        table = FakeTable(under or f"copy-{self.copies}")
        archive, notes = FakeArchive(), FakeExceptionsLog()
        table.items = dict(self.table.items)
        archive.bodies, archive.kept = dict(self.archive.bodies), dict(self.archive.kept)
        notes.rows = dict(self.exceptions.rows)
        return table, archive, notes

    def answer_with(self, copy: object) -> object:
        """The three of them."""
        before = self.table, self.archive, self.exceptions
        match copy:
            case (FakeTable() as table, FakeArchive() as archive, FakeExceptionsLog() as notes):
                self.table, self.archive, self.exceptions = table, archive, notes
            case _:
                raise TypeError(copy)
        return before

    def close(self) -> None:
        """Nothing of it outlives the run."""


def at_once(work: Coroutine[Any, Any, Result]) -> Result:
    """The result of a fake's call: fakes never wait."""
    try:
        work.send(None)
    except StopIteration as done:
        result: Result = done.value
        return result
    raise AssertionError("a fake waited")
