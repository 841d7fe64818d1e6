"""The ports of one pretended process: each call travels by the wire to the shared cloud, and what
took effect there is told to the judge."""

from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from dnsplan.codec import Envelope
from dnsplan.errors import ItemUnreadable
from dnsplan.fence import NoFence, SeenFence
from dnsplan.generation import GenerationItem, Transition
from dnsplan.names import Name
from dnsplan.outcomes import Accepted, Refused, SubmitOutcome, Unknown, WriteOutcome, Written
from dnsplan.plan import Generation, PlanId
from dnsplan.ports import PlanRow, Presence, Zone
from dnsplan.records import RecordSet
from enactor.ports import ChangeStatus, Cursor, Page
from enactor.rules.exceptions import ExceptionsRow
from enactor.rules.packing import ChangeBatch
from planner.rules.probing import NotAsked, Probe, ProbeResult
from planner.rules.vantage import Report
from runbooks.controls.outside import AuditRow
from sandbox.route53.model import Change
from tests.fakes.archive import FakeArchive
from tests.fakes.zone_records import to_stored
from tests.simulation.cloud import FakeCloud, Judge, Targets, at_once
from tests.simulation.processes import Process
from tests.simulation.reach import Reach, Reached
from tests.simulation.wire import Op, Wire

Result = TypeVar("Result")
Work = Callable[[], Coroutine[Any, Any, Result]]

TABLE, ROUTE53, NETWORK = "table", "route53", "network"


@dataclass(frozen=True, slots=True)
class Door:
    """One process's way to the cloud."""

    process: Process
    wire: Wire
    cloud: FakeCloud
    judge: Judge

    async def ask(self, op: Op, work: Work[Result]) -> Result:
        """Let a call travel whose failure is a failed read."""
        return await self.wire.call(self.process, op, lambda: at_once(work()))


class TableDoor(Door):
    """`dnsplan.ports.GenerationTable`."""

    async def incarnation(self) -> str:
        """The table's id."""
        table_id = await self.ask(Op(TABLE, "read table id"), self.cloud.table.incarnation)
        self.judge.looked(self.process, table_id)
        return table_id

    async def read(self, labels: Sequence[str]) -> Mapping[str, GenerationItem]:
        """The items."""
        return await self.ask(Op(TABLE, "read item"), lambda: self.cloud.table.read(labels))

    async def read_each(
        self, labels: Sequence[str]
    ) -> Mapping[str, GenerationItem | ItemUnreadable]:
        """The items, each by itself."""
        return await self.ask(Op(TABLE, "read item"), lambda: self.cloud.table.read_each(labels))

    async def write(self, transition: Transition) -> WriteOutcome:
        """One conditional write."""

        table = self.cloud.table  # what is sent to one table never reaches its copy

        def apply() -> WriteOutcome:
            before, count = table.items.get(transition.label), len(table.writes)
            outcome = at_once(table.write(transition))
            if isinstance(outcome, Written) and len(table.writes) > count:
                self.judge.wrote(before, table.items[transition.label], self.process)
            return outcome

        op = Op(TABLE, f"write {transition.name}", writes=True)
        return await self.wire.call(self.process, op, apply, unknown=Unknown)


class ArchiveDoor(Door):
    """`dnsplan.ports.PlanArchive`. What is sent to one table never reaches its copy."""

    async def store(self, envelope: Envelope, row: PlanRow) -> None:
        """Store; it may take effect and fail all the same."""
        archive = self.cloud.archive

        async def store() -> None:
            await archive.store(envelope, row)
            self.judge.stored(envelope)

        await self.ask(Op(TABLE, "store plan", writes=True), store)

    async def load(self, plan_id: PlanId) -> Envelope:
        """A body."""
        return await self.ask(Op(TABLE, "load plan"), lambda: self.cloud.archive.load(plan_id))

    async def rows(self, label: str) -> Sequence[PlanRow]:
        """Rows of a zone."""
        return await self.ask(Op(TABLE, "list plans"), lambda: self.cloud.archive.rows(label))

    async def bury(self, row: PlanRow, *, by: str, now_s: int) -> None:
        """Delete a body."""
        archive = self.cloud.archive
        await self._deleting(
            "bury plan", row.plan_id.label, archive, lambda: archive.bury(row, by=by, now_s=now_s)
        )

    async def sweep(self, label: str, *, below: Generation) -> int:
        """Delete orphans."""
        archive = self.cloud.archive
        return await self._deleting(
            "sweep plans", label, archive, lambda: archive.sweep(label, below=below)
        )

    async def _deleting(
        self, name: str, label: str, archive: FakeArchive, work: Work[Result]
    ) -> Result:
        async def delete() -> Result:
            before = set(archive.bodies)
            result = await work()
            gone = sorted(before - set(archive.bodies), key=lambda one: one.generation)
            if gone and archive is self.cloud.archive:
                self.judge.deleted(gone, label, self.process)
            return result

        return await self.ask(Op(TABLE, name, writes=True), delete)


class RecordsDoor(Door):
    """`enactor.ports.ZoneRecords`, and with it `dnsplan.ports.FenceReader`."""

    async def read_fence(self, zone: Zone) -> SeenFence | NoFence:
        """The fence."""
        self.judge.sent(self.process, zone, "read fence")
        return await self.ask(
            Op(ROUTE53, "read fence"), lambda: self.cloud.route53.read_fence(zone)
        )

    async def list_page(self, zone: Zone, start: Cursor | None) -> Page:
        """A page."""
        return await self.ask(
            Op(ROUTE53, "list page"), lambda: self.cloud.route53.list_page(zone, start)
        )

    async def list_name(self, zone: Zone, name: Name) -> tuple[RecordSet, ...]:
        """A name."""
        return await self.ask(
            Op(ROUTE53, "list name"), lambda: self.cloud.route53.list_name(zone, name)
        )

    async def submit(self, zone: Zone, batch: ChangeBatch) -> SubmitOutcome:
        """A batch, once."""
        self.judge.sent(self.process, zone, "submit")

        def apply() -> SubmitOutcome:
            outcome = self.cloud.route53.land(zone, batch)
            if isinstance(outcome, Accepted):
                changes = [Change(one.action, to_stored(one.record_set)) for one in batch.changes]
                self.judge.landed(self.process, zone, changes)
            return outcome

        op = Op(ROUTE53, "submit", writes=True)
        outcome = await self.wire.call(self.process, op, apply, unknown=Unknown)
        if not isinstance(outcome, Accepted | Refused):
            self.judge.unanswered(self.process, zone)
        return outcome

    async def change_status(self, zone: Zone, change_id: str) -> ChangeStatus:
        """A change."""
        return await self.ask(
            Op(ROUTE53, "poll change"), lambda: self.cloud.route53.change_status(zone, change_id)
        )


class NotesDoor(Door):
    """`enactor.ports.ExceptionsLog`."""

    async def note(self, row: ExceptionsRow) -> None:
        """Keep a row."""
        op = Op(TABLE, "note held names", writes=True)
        notes = self.cloud.exceptions
        await self.ask(op, lambda: notes.note(row))

    async def find(self, label: str, generation: Generation, nonce: str) -> ExceptionsRow | None:
        """A row."""
        return await self.ask(
            Op(TABLE, "find held names"),
            lambda: self.cloud.exceptions.find(label, generation, nonce),
        )

    async def newest(self, label: str) -> Sequence[ExceptionsRow]:
        """Rows of a zone."""
        return await self.ask(
            Op(TABLE, "list held names"), lambda: self.cloud.exceptions.newest(label)
        )


class BoardDoor(Door):
    """`dnsplan.ports.PresenceBoard`."""

    async def announce(self, presence: Presence) -> None:
        """A sign of life."""
        op = Op(TABLE, "announce", writes=True)
        await self.ask(op, lambda: self.cloud.board.announce(presence))

    async def everyone(self) -> Sequence[Presence]:
        """All signs."""
        return await self.ask(Op(TABLE, "read signs"), self.cloud.board.everyone)


class VantageDoor(Door):
    """`planner.ports.VantageBoard`."""

    async def announce(self, report: Report) -> None:
        """What a planner finds."""
        op = Op(TABLE, "show sight", writes=True)
        await self.ask(op, lambda: self.cloud.vantage.announce(report))

    async def everyone(self) -> Sequence[Report]:
        """What all planners find."""
        return await self.ask(Op(TABLE, "hear sights"), self.cloud.vantage.everyone)


class AuditDoor(Door):
    """`runbooks.controls.outside.AuditLog`."""

    async def append(self, row: AuditRow) -> None:
        """A row."""
        op = Op(TABLE, "append audit", writes=True)
        await self.ask(op, lambda: self.cloud.audit.append(row))


@dataclass(frozen=True, slots=True)
class ProbeDoor:
    """`planner.ports.Prober`: a probe may be slow, and its loss is no evidence."""

    process: Process
    wire: Wire
    targets: Targets

    async def probe(self, probe: Probe) -> ProbeResult:
        """Ask a target."""
        return await self.wire.call(
            self.process,
            Op(NETWORK, "probe"),
            lambda: self.targets.answer(self.process, probe.address),
            unknown=NotAsked,
        )


def port_doors(wire: Wire, cloud: FakeCloud, judge: Judge) -> Reach:
    """Doors right behind the ports."""

    def reach(process: Process) -> Reached:
        door = (process, wire, cloud, judge)
        records = RecordsDoor(*door)
        return Reached(
            table=TableDoor(*door),
            archive=ArchiveDoor(*door),
            records=records,
            fences=records,
            exceptions=NotesDoor(*door),
            board=BoardDoor(*door),
            audit=AuditDoor(*door),
            prober=ProbeDoor(process, wire, cloud.targets),
            vantage=VantageDoor(*door),
        )

    return reach
