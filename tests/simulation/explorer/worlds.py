"""All that the actors share, as one value: zone, generation item, plans, batches in flight.

The strict fakes work out what an op does; every step is worked out once for each part of the world
that it touches. What Route 53 may do by itself (be slow, forget what is not in sync) is a choice
among several answers here, never chance.
"""

from collections.abc import Coroutine, Hashable
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, TypeVar

from msgspec import structs

from dnsplan.codec import Envelope
from dnsplan.errors import DnsplanError
from dnsplan.generation import GenerationItem
from dnsplan.outcomes import Accepted
from dnsplan.plan import PlanId
from dnsplan.ports import PlanRow
from enactor.ports import ChangeStatus
from enactor.rules.exceptions import ExceptionsRow
from sandbox.route53.account import Route53Settings
from sandbox.route53.model import StoredRecordSet
from sandbox.route53.switches import Switches
from tests.fakes.archive import FakeArchive
from tests.fakes.notes import FakeExceptionsLog
from tests.fakes.table import FakeTable
from tests.fakes.zone_records import FakeRoute53
from tests.simulation.explorer.cast import LABEL, ZONE
from tests.simulation.explorer.script import START_S, TABLE_ID, Op

T = TypeVar("T", bound=Hashable)

# A change that stays pending does so for longer than anybody waits.
PENDING_S = 1_000.0


class Interned(Generic[T]):
    """Values by number; equal values have one number."""

    def __init__(self) -> None:
        """Start empty."""
        self.values: list[T] = []
        self._numbers: dict[T, int] = {}

    def number(self, value: T) -> int:
        """The number of a value, a new one if it was not seen."""
        found = self._numbers.setdefault(value, len(self.values))
        if found == len(self.values):
            self.values.append(value)
        return found

    def __contains__(self, value: T) -> bool:
        return value in self._numbers


class Faults(NamedTuple):
    """How much may still go wrong.

    `late` counts writes that get no answer and land at any later time or never; `unread` failed
    reads; `failovers` of Route 53, each losing any number of changes not known to be in sync;
    `rewinds` lose even those that are, against what we assume; `slow` changes stay pending for
    longer than anybody waits.
    """

    crashes: int = 0
    late: int = 0
    unread: int = 0
    failovers: int = 0
    rewinds: int = 0
    slow: int = 0

    @property
    def may_lose(self) -> bool:
        """Whether accepted changes may still be lost."""
        return bool(self.failovers or self.rewinds)


class Kept(NamedTuple):
    """The archive: bodies and rows, sorted."""

    bodies: tuple[Envelope, ...] = ()
    rows: tuple[PlanRow, ...] = ()


ZoneSets = tuple[StoredRecordSet, ...]


class World(NamedTuple):
    """One moment. `zone` and `archive` are numbers of interned contents, `late` of ops.

    `pending` are accepted changes that may still be lost, each with the zone before it; the first
    `synced` of them are known to be in sync. Where none can be lost it stays empty. `frozen` says
    that a freeze has returned, `deleters` how many actors may still delete bodies, `issued` which
    plans were ever the head.
    """

    zone: int
    item: GenerationItem | None = None
    archive: int = 0
    notes: tuple[ExceptionsRow, ...] = ()
    late: tuple[int, ...] = ()
    pending: tuple[tuple[str, int], ...] = ()
    synced: int = 0
    lost: tuple[str, ...] = ()
    faults: Faults = Faults()
    frozen: bool = False
    deleters: int = 0
    issued: tuple[PlanId, ...] = ()


@dataclass(frozen=True, slots=True)
class Answer:
    """What comes back from an op: a value, or an error's type and text; and how long it took."""

    value: Any = None  # what the port promises
    error: tuple[type[DnsplanError], str] | None = None
    took_s: float = 0.0


class Doubles:
    """The strict fakes, asked once for each (part of the world, op)."""

    def __init__(self, switches: Switches) -> None:
        """`switches` choose the answers to what is not known of Route 53."""
        self.switches = switches
        self.zones: Interned[ZoneSets] = Interned()
        self.archives: Interned[Kept] = Interned()
        self.ops: Interned[Op] = Interned()
        self.answers: Interned[Answer] = Interned()
        self._done: dict[tuple[str, int, int], tuple[int, Answer]] = {}
        self.archives.number(Kept())

    def empty(self, *strangers: StoredRecordSet) -> World:
        """A zone with nothing of ours, and records that are others'."""
        fake = self._route53(())
        fake.account.load(ZONE.zone_id, strangers)
        return World(self.zones.number(_content(fake)))

    def act(self, world: World, op: int) -> tuple[tuple[World, Answer], ...]:
        """Every way in which an op may be answered now, without its being lost."""
        call = self.ops.values[op]
        match call.port, call.method:
            case "table", _:
                return (self._table(world, call),)
            case "archive", _:
                archive, answer = self._once("archive", world.archive, op)
                return ((world._replace(archive=archive), answer),)
            case "notes", _:
                return (self._notes(world, call),)
            case "records", "change_status":
                return tuple(self._statuses(world, call.args[1]))
            case _:
                zone, answer = self._once("records", world.zone, op)
                return ((self._landed(world, zone, answer), answer),)

    def _once(self, port: str, part: int, op: int) -> tuple[int, Answer]:
        found = self._done.get((port, part, op))
        if found is None:
            ask = self._ask_archive if port == "archive" else self._ask_route53
            found = self._done[port, part, op] = ask(part, self.ops.values[op])
        return found

    def _ask_route53(self, zone: int, call: Op) -> tuple[int, Answer]:
        fake = self._route53(self.zones.values[zone])
        answer = _driven(getattr(fake, call.method)(*call.args))
        if isinstance(answer.value, Accepted):
            return self.zones.number(_content(fake)), Answer(Accepted(call.args[1].fence.nonce))
        return zone, answer

    def _ask_archive(self, archive: int, call: Op) -> tuple[int, Answer]:
        fake = FakeArchive()
        kept = self.archives.values[archive]
        fake.bodies = {one.plan_id: one for one in kept.bodies}
        fake.kept = {row.plan_id: row for row in kept.rows}
        match call.method, call.args:
            case "bury", (row, by, now_s):
                answer = _driven(fake.bury(row, by=by, now_s=now_s))
            case "sweep", (label, below):
                answer = _driven(fake.sweep(label, below=below))
            case method, args:
                answer = _driven(getattr(fake, method)(*args))
        after = Kept(
            tuple(sorted(fake.bodies.values(), key=lambda one: _order(one.plan_id))),
            tuple(sorted(map(_timeless, fake.kept.values()), key=lambda row: _order(row.plan_id))),
        )
        return self.archives.number(after), answer

    def _route53(self, sets: ZoneSets) -> FakeRoute53:
        fake = FakeRoute53(lambda: 0.0, Route53Settings(switches=self.switches))
        made = fake.make_zone(LABEL, str(ZONE.name))
        if made != ZONE:
            raise AssertionError(f"the cast works on {ZONE}, the stand-in made {made}")
        if sets:
            fake.account.load(ZONE.zone_id, sets)
        return fake

    def _table(self, world: World, call: Op) -> tuple[World, Answer]:
        fake = FakeTable(TABLE_ID)
        if world.item is not None:
            fake.items[LABEL] = world.item
        answer = _driven(getattr(fake, call.method)(*call.args))
        if call.method == "read":
            return world, Answer(tuple(sorted(answer.value.items())))
        item = fake.items.get(LABEL)
        if item is None:
            return world, answer
        # Writes are sent once here, so that whose write was the last tells nobody anything.
        item = structs.replace(item, nonce="")
        issued = world.issued
        if item.head and item.head_id not in issued:
            issued = (*issued, item.head_id)
        return world._replace(item=item, issued=issued), answer

    def _notes(self, world: World, call: Op) -> tuple[World, Answer]:
        fake = FakeExceptionsLog()
        fake.rows = {(one.label, one.generation, one.nonce): one for one in world.notes}
        answer = _driven(getattr(fake, call.method)(*call.args))
        rows = tuple(fake.rows[key] for key in sorted(fake.rows))
        return world._replace(notes=rows), answer

    def _landed(self, world: World, zone: int, answer: Answer) -> World:
        if not isinstance(answer.value, Accepted):
            return world
        pending = world.pending
        if world.faults.may_lose:
            pending = (*pending, (answer.value.change_id, world.zone))
        return world._replace(zone=zone, pending=pending)

    def _statuses(self, world: World, change_id: str) -> list[tuple[World, Answer]]:
        """In sync, or still pending while slowness is left; a change that was lost never is.

        Whether its id is known after that is one of the open questions.
        """
        slow = Answer(ChangeStatus.PENDING, took_s=PENDING_S)
        if change_id in world.lost:
            unknown = self.switches.forgotten_change_unknown
            return [(world, Answer(ChangeStatus.LOST) if unknown else slow)]
        waiting = [one for one, _ in world.pending]
        count = waiting.index(change_id) + 1 if change_id in waiting else 0
        found = [(_in_sync(world, count), Answer(ChangeStatus.IN_SYNC))]
        if world.faults.slow:
            less = world.faults._replace(slow=world.faults.slow - 1)
            found.append((world._replace(faults=less), slow))
        return found


def losses(world: World) -> tuple[World, ...]:
    """What Route 53 may go back to: any number of accepted changes lost, newest first."""
    faults = world.faults
    found = []
    if faults.failovers:
        less = faults._replace(failovers=faults.failovers - 1)
        found += [_without(world, at, less) for at in range(world.synced, len(world.pending))]
    if faults.rewinds:
        less = faults._replace(rewinds=faults.rewinds - 1)
        found += [_without(world, at, less) for at in range(world.synced)]
    return tuple(found)


def tidied(world: World) -> World:
    """Without what can make no difference any more."""
    if world.pending and not world.faults.may_lose:
        return world._replace(pending=(), synced=0)
    if world.synced and not world.faults.rewinds:
        return world._replace(pending=world.pending[world.synced :], synced=0)
    return world


def surest_zone(world: World) -> int:
    """The zone as it is once everything not known to be in sync is lost."""
    left = world.pending[world.synced :]
    return left[0][1] if left else world.zone


def _in_sync(world: World, count: int) -> World:
    return tidied(world._replace(synced=max(world.synced, count)))


def _without(world: World, at: int, faults: Faults) -> World:
    gone = world.pending[at:]
    lost = tuple(sorted((*world.lost, *(change_id for change_id, _ in gone))))
    synced = min(world.synced, at)
    left = world._replace(pending=world.pending[:at], synced=synced, lost=lost, faults=faults)
    return tidied(left._replace(zone=gone[0][1]))


def _driven(asked: Coroutine[Any, Any, Any]) -> Answer:
    """A fake's answer; fakes wait for nothing."""
    try:
        asked.send(None)
    except StopIteration as done:
        value = done.value
        return Answer(tuple(value) if isinstance(value, list) else value)
    except DnsplanError as error:
        return Answer(error=(type(error), str(error)))
    raise AssertionError("a fake waited")


def _content(fake: FakeRoute53) -> ZoneSets:
    return tuple(fake.account.zone(ZONE.zone_id).records())


def _timeless(row: PlanRow) -> PlanRow:
    """When a plan was buried is for people; worlds that differ in nothing else are one."""
    return row if row.deleted_s is None else structs.replace(row, deleted_s=int(START_S))


def _order(plan_id: PlanId) -> tuple[int, str]:
    return plan_id.generation, plan_id.digest
