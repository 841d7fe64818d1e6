"""What the judges know of a run: each zone's book, the plans as they were first stored, and which
content each generation has.
"""

from dataclasses import dataclass, field
from typing import NoReturn, Protocol

from dnsplan.plan import Digest, Generation, Plan, PlanId
from dnsplan.ports import Zone
from sandbox.route53.zone import HostedZone
from tests.simulation.cloud import TableThere, Targets, ZonesThere
from tests.simulation.oracle import Spoken
from tests.simulation.seen import Mark


class BrokenPromise(AssertionError):
    """A promise of docs/promises.md did not hold."""

    def __init__(self, promise: str, text: str) -> None:
        """`promise` is its number."""
        super().__init__(f"{promise}: {text}")
        self.promise = promise


class Ticks(Protocol):
    """The true time."""

    def time(self) -> float:
        """In seconds; it never goes back."""
        ...


class Actor(Protocol):
    """Who does something: a process's name, and which of its lives this is."""

    @property
    def name(self) -> str:
        """It stays over restarts."""
        ...

    @property
    def life(self) -> int:
        """It does not."""
        ...


class There(Protocol):
    """What judges look at, outside of any request."""

    @property
    def route53(self) -> ZonesThere:
        """The zones."""
        ...

    @property
    def table(self) -> TableThere:
        """The generation items."""
        ...

    @property
    def targets(self) -> Targets:
        """What probes find."""
        ...


@dataclass(slots=True)
class ZoneBook:
    """What the judge knows of one zone.

    `tampered`: names that foreign hands changed and nobody has mended yet. `removals`: when targets
    were taken out of which name by plans, on the true clock. `ceded`: owners from which an operator
    takes the zone. `forged`: digests of plans that a stranger put in place.
    """

    zone: Zone
    managed: set[str] = field(default_factory=set)
    retired: set[str] = field(default_factory=set)
    mark: Mark | None = None
    answering: Spoken = frozenset()
    answered: set[tuple[str, str]] = field(default_factory=set)
    tampered: set[str] = field(default_factory=set)
    ever_edited: set[str] = field(default_factory=set)
    issued: dict[int, str] = field(default_factory=dict)
    forged: set[str] = field(default_factory=set)
    removals: dict[str, list[tuple[float, int]]] = field(default_factory=dict)
    vouched: dict[str, Plan] = field(default_factory=dict)
    frozen: bool = False
    thawed: set[str] = field(default_factory=set)
    ceded: set[str] = field(default_factory=set)
    generations: set[int] = field(default_factory=set)
    steps_max: int = 0


class Record:
    """Kept by all judges of one run."""

    def __init__(self, loop: Ticks, cloud: There) -> None:
        """Zones are added before anything runs."""
        self._loop = loop
        self.cloud = cloud
        self.plans: dict[PlanId, Plan] = {}
        self.books: dict[str, ZoneBook] = {}
        self.tables: dict[str, str] = {}  # the id that each process last read

    @property
    def now_s(self) -> float:
        """The true time."""
        return self._loop.time()

    def hosted(self, label: str) -> HostedZone:
        """The zone itself."""
        return self.cloud.route53.account.zone(self.books[label].zone.zone_id)

    def plan(self, book: ZoneBook, generation: int, digest: str) -> Plan:
        """P3: what is published or enacted was stored."""
        plan = self.plans.get(PlanId(book.zone.label, Generation(generation), Digest(digest)))
        if plan is None:
            self.breach("P3", f"no body of {generation} with digest {digest[:8]} was stored")
        return plan

    def issue(self, book: ZoneBook, generation: int, digest: str) -> None:
        """P4: a number is taken once."""
        known = book.issued.setdefault(generation, digest)
        if known != digest:
            self.breach(
                "P4", f"generation {generation} was issued twice: {known[:8]}, {digest[:8]}"
            )

    def is_stray(self, writer: Actor | None) -> bool:
        """Whether a writer stood still while the table was set back: docs/promises.md states the
        gap. What it published counts as never issued, so a batch that applied it would break P3."""
        table_id = self.cloud.table.id
        return writer is not None and self.tables.get(writer.name, table_id) != table_id

    def breach(self, promise: str, text: str) -> NoReturn:
        """End the run."""
        raise BrokenPromise(promise, f"at {self.now_s:.3f} s: {text}")
