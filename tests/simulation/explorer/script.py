"""Ports that ask instead of doing: each call hands one `Op` to whoever drives the coroutine.

Real cycles are built on these ports and driven by hand, with no event loop. Time stands still but
for what an answer says that it took, and chance is a counter, so that an actor's next `Op` follows
from the answers it has seen and from nothing else.
"""

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dnsplan.codec import Envelope
from dnsplan.errors import ItemUnreadable
from dnsplan.fence import NoFence, SeenFence
from dnsplan.generation import GenerationItem, Transition
from dnsplan.names import Name
from dnsplan.outcomes import SubmitOutcome, WriteOutcome
from dnsplan.plan import Generation, PlanId
from dnsplan.ports import PlanRow, Zone
from dnsplan.records import RecordSet
from enactor.ports import ChangeStatus, Cursor, Page
from enactor.rules.exceptions import ExceptionsRow
from enactor.rules.packing import ChangeBatch
from runbooks.controls.outside import AuditRow

TABLE_ID = "table-1"
START_S = 1_760_000_000.0

# Passes lie ever further apart, so that a poll that was put off by what the last one took is due.
PASS_S, PASS_GROWTH = 10.0, 4.0


@dataclass(frozen=True, slots=True)
class Op:
    """One call of one port. `planner_fed` says that an enactor or planner makes it."""

    port: str
    method: str
    args: tuple[Any, ...]  # each port has arguments of its own; the doubles check them
    planner_fed: bool

    def __await__(self) -> Generator["Op", Any, Any]:
        """Wait for the driver's answer, which is what the port promises."""
        return (yield self)


@dataclass(frozen=True, slots=True)
class Pause:
    """Between two passes: `keeps` is all that the actor takes over into the next one."""

    number: int
    elapsed_s: float
    keeps: object

    def __await__(self) -> Generator["Pause", None, None]:
        """Let the driver look."""
        yield self


class Hands:
    """One life of one actor: its ports, its clock and its chance. The driver moves the clock."""

    def __init__(self, name: str, *, planner_fed: bool) -> None:
        """`name` makes this life's tokens differ from everybody's."""
        self.name = name
        self.planner_fed = planner_fed
        self.elapsed = 0.0
        self.drawn = 0
        self.number = 0
        self.table = AskingTable(self)
        self.archive = AskingArchive(self)
        self.records = AskingRecords(self)
        self.notes = AskingNotes(self)
        self.audit = SilentAudit()
        self.clock = OwnClock(self)
        self.jitter = CountedJitter(self)

    def call(self, port: str, method: str, *args: object) -> Op:
        """One call."""
        return Op(port, method, args, self.planner_fed)

    def pause(self, keeps: object) -> Pause:
        """End a pass: time goes on to the next one's, and its tokens start anew."""
        self.number += 1
        self.drawn = 0
        self.elapsed = max(self.elapsed, PASS_S * PASS_GROWTH**self.number)
        return Pause(self.number, self.elapsed, keeps)


class Port:
    """One door of an actor; it keeps nothing of its own."""

    def __init__(self, hands: Hands) -> None:
        """Belong to one life."""
        self._hands = hands


class AskingTable(Port):
    """`dnsplan.ports.GenerationTable`; the table's id is the same for ever."""

    async def incarnation(self) -> str:
        """No table is restored here, so nobody needs to be asked."""
        return TABLE_ID

    async def read(self, labels: Sequence[str]) -> Mapping[str, GenerationItem]:
        """The items there are."""
        found: tuple[tuple[str, GenerationItem], ...]
        found = await self._hands.call("table", "read", tuple(labels))
        return dict(found)

    async def read_each(
        self, labels: Sequence[str]
    ) -> Mapping[str, GenerationItem | ItemUnreadable]:
        """The same: nothing is damaged here."""
        return await self.read(labels)

    async def write(self, transition: Transition) -> WriteOutcome:
        """Write one item."""
        outcome: WriteOutcome = await self._hands.call("table", "write", transition)
        return outcome


class AskingArchive(Port):
    """`dnsplan.ports.PlanArchive`."""

    async def store(self, envelope: Envelope, row: PlanRow) -> None:
        """Write a body and its row."""
        await self._hands.call("archive", "store", envelope, row)

    async def load(self, plan_id: PlanId) -> Envelope:
        """A body."""
        envelope: Envelope = await self._hands.call("archive", "load", plan_id)
        return envelope

    async def rows(self, label: str) -> Sequence[PlanRow]:
        """Every row."""
        rows: Sequence[PlanRow] = await self._hands.call("archive", "rows", label)
        return rows

    async def bury(self, row: PlanRow, *, by: str, now_s: int) -> None:
        """Turn a row into a tombstone and delete its body."""
        await self._hands.call("archive", "bury", row, by, now_s)

    async def sweep(self, label: str, *, below: Generation) -> int:
        """Delete orphans."""
        swept: int = await self._hands.call("archive", "sweep", label, below)
        return swept


class AskingRecords(Port):
    """`enactor.ports.ZoneRecords`, and cleanup's narrow view of it."""

    async def read_fence(self, zone: Zone) -> SeenFence | NoFence:
        """The fence."""
        fence: SeenFence | NoFence = await self._hands.call("records", "read_fence", zone)
        return fence

    async def list_page(self, zone: Zone, start: Cursor | None) -> Page:
        """One page."""
        page: Page = await self._hands.call("records", "list_page", zone, start)
        return page

    async def list_name(self, zone: Zone, name: Name) -> tuple[RecordSet, ...]:
        """One name."""
        listed: tuple[RecordSet, ...]
        listed = await self._hands.call("records", "list_name", zone, name)
        return listed

    async def submit(self, zone: Zone, batch: ChangeBatch) -> SubmitOutcome:
        """Send a batch."""
        outcome: SubmitOutcome = await self._hands.call("records", "submit", zone, batch)
        return outcome

    async def change_status(self, zone: Zone, change_id: str) -> ChangeStatus:
        """How far a change has come."""
        status: ChangeStatus = await self._hands.call("records", "change_status", zone, change_id)
        return status


class AskingNotes(Port):
    """`enactor.ports.ExceptionsLog`."""

    async def note(self, row: ExceptionsRow) -> None:
        """Keep a row."""
        await self._hands.call("notes", "note", row)

    async def find(self, label: str, generation: Generation, nonce: str) -> ExceptionsRow | None:
        """One row."""
        row: ExceptionsRow | None
        row = await self._hands.call("notes", "find", label, generation, nonce)
        return row

    async def newest(self, label: str) -> Sequence[ExceptionsRow]:
        """Rows for people."""
        rows: Sequence[ExceptionsRow] = await self._hands.call("notes", "newest", label)
        return rows


class SilentAudit:
    """`runbooks.controls.outside.AuditLog`: nobody reads it here, so nobody need be asked."""

    async def append(self, row: AuditRow) -> None:
        """Keep nothing."""


class OwnClock(Port):
    """`dnsplan.ports.Clock` of one life; how long others take is the explorer's choice anyway."""

    def now_s(self) -> float:
        """Seconds since 1970."""
        return START_S + self._hands.elapsed

    def elapsed_s(self) -> float:
        """Seconds of this life."""
        return self._hands.elapsed

    async def sleep(self, seconds: float) -> None:
        """Pass the time at once."""
        self._hands.elapsed += seconds


class CountedJitter(Port):
    """`dnsplan.ports.Jitter` without chance: tokens say whose they are, which pass, which draw."""

    def uniform(self, low: float, high: float) -> float:
        """Always the earliest."""
        return min(low, high)

    def token(self, bits: int) -> str:  # noqa: ARG002 - the port has it
        """Nobody else draws it: lives have names of their own."""
        hands = self._hands
        hands.drawn += 1
        return f"{hands.name}.{hands.number}.{hands.drawn}"
