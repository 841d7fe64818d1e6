"""Watches what lands in the room's zone and table while a page is followed, and has it judged by
the simulator's own checkers: a play is judged as a run of the simulation is.

Hands beside the fence are nobody's breach. It never repairs. A breach is kept, since it is found in
a server's task, where nobody would hear of it; after the first one nothing more is judged.
"""

import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from msgspec import structs

from dnsplan.codec import unseal
from dnsplan.generation import GenerationItem
from dnsplan.names import parse_name
from dnsplan.plan import ERA, Digest, Generation, PlanId
from dnsplan.ports import Zone
from sandbox.aws.backend import Backend
from sandbox.aws.call import Answer, Call
from sandbox.route53.account import AcceptedChange, Account
from sandbox.route53.model import Change
from tests.simulation.checkers import Checkers
from tests.simulation.cloud import ArchiveThere, TableThere, Targets, ZonesThere
from tests.simulation.record import BrokenPromise, ZoneBook
from tests.simulation.seen import FENCE, mark_of
from tests.simulation.stack.raw_items import Items
from tests.simulation.stack.stored import Archive, ItemsByLabel, TableItems
from tests.simulation.stack.there import Zones

WRITER = re.compile(r"writer=(\S+)")
AZ = re.compile(r"[a-z]+[0-9]-az[0-9]")
OPERATOR = "operator"
WRITES = ("PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem")
Done = TypeVar("Done")


class Clock:
    """`tests.simulation.record.Ticks`."""

    def time(self) -> float:
        """This machine's."""
        return time.monotonic()


@dataclass(frozen=True, slots=True)
class Writer:
    """`tests.simulation.record.Actor`: an AZ's enactor, or else an operator."""

    name: str
    life: int = 1


@dataclass(frozen=True, slots=True)
class Held:
    """`tests.simulation.record.There`, with the plans: what is judged, outside of any request."""

    route53: ZonesThere
    table: TableThere
    archive: ArchiveThere
    targets: Targets = field(default_factory=Targets)


@dataclass(slots=True)
class Watched:
    """One zone and its table. `batches` that landed, `breaches` that were found."""

    held: Held
    judge: Checkers
    zone: Zone
    batches: int = 0
    breaches: list[BrokenPromise] = field(default_factory=list)
    _stored: set[PlanId] = field(default_factory=set)

    @property
    def book(self) -> ZoneBook:
        """What the judge knows of the zone."""
        return self.judge.books[self.zone.label]

    def submit(
        self, zone_id: str, changes: Sequence[Change], comment: str | None = None
    ) -> AcceptedChange:
        """Let the account judge by Route 53's rules, then judge what it accepted by ours."""
        done = Account.submit(self.held.route53.account, zone_id, changes, comment)
        self.batches += 1
        writer = self._writer()
        if writer.name == OPERATOR:
            self._vouch_for_what_is_stored()
        self._judged(lambda: self.judge.landed(writer, self.zone, changes))
        if writer.name == OPERATOR and (mark := self.book.mark) is not None:
            self.book.frozen = mark.frozen is not None
        return done

    def forget_last(self, zone_id: str, batches: int) -> int:
        """Route 53 loses what it accepted last."""
        lost = Account.forget_last(self.held.route53.account, zone_id, batches)
        self.judge.failed_over(self.zone.label)
        return lost

    def by_hand(self, changes: Sequence[Change]) -> None:
        """Somebody changes the zone beside the fence."""
        Account.submit(self.held.route53.account, self.zone.zone_id, changes)
        self.judge.edited(self.zone.label, [one.record.name for one in changes])

    def wrote(self, act: Callable[[], Done]) -> Done:
        """Judge what a request to the table changed."""
        before = self._item()
        done = act()
        bodies, after = self.held.archive.bodies, self._item()
        for plan_id in set(bodies) - self._stored:
            self._stored.add(plan_id)
            self.judge.stored(bodies[plan_id])
        if after is not None and after != before:
            self._judged(lambda: self.judge.wrote(before, after))
        return done

    def vouch(self, generation: int) -> None:
        """An operator may bring this plan's content back by hand, in the next era."""
        bodies = self.held.archive.bodies
        (known,) = (bodies[one] for one in bodies if one.generation == generation)
        plan = structs.replace(unseal(known), generation=Generation(ERA))
        self.judge.vouched(OPERATOR, plan)

    def _vouch_for_what_is_stored(self) -> None:
        mark, bodies = mark_of(self.judge.hosted(self.zone.label)), self.held.archive.bodies
        if mark is None:
            return
        plan_id = PlanId(self.zone.label, Generation(mark.generation), Digest(mark.digest))
        if plan_id in bodies:
            self.judge.vouched(OPERATOR, unseal(bodies[plan_id]))

    def _item(self) -> GenerationItem | None:
        return self.held.table.items.get(self.zone.label)

    def _writer(self) -> Writer:
        stored = self.judge.hosted(self.zone.label).sets_at(f"{FENCE}.{self.zone.name}")
        found = WRITER.search(" ".join(text for one in stored.values() for text in one.values))
        return Writer(found[1] if found and AZ.fullmatch(found[1]) else OPERATOR)

    def _judged(self, judgement: Callable[[], None]) -> None:
        if self.breaches:
            return
        try:
            judgement()
        except BrokenPromise as breach:
            self.breaches.append(breach)


def watched(held: Held, zone: Zone) -> Watched:
    """Judge from now on whatever is sent to this account."""
    judge = Checkers(Clock(), held)
    judge.watch(zone)
    one, account = Watched(held, judge, zone), held.route53.account
    account.submit = one.submit  # type: ignore[method-assign]  # the one door of the stand-in
    account.forget_last = one.forget_last  # type: ignore[method-assign]  # and how it fails
    return one


def watch(backend: Backend, label: str, zone_id: str) -> Watched:
    """The same for what a stand-in holds, its table with it."""
    raw = Items(backend)
    held = Held(Zones(backend), TableItems(raw, ItemsByLabel(raw)), Archive(raw))
    name = parse_name(backend.route53.zone(zone_id).name)
    one, answer = watched(held, Zone(label, zone_id, name)), backend.answer

    def judged(call: Call) -> Answer:
        if not raw.is_there or call.operation not in WRITES:
            return answer(call)
        return one.wrote(lambda: answer(call))

    backend.answer = judged  # type: ignore[method-assign]  # the one door of the table
    return one
