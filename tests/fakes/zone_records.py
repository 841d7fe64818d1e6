"""Route 53 behind the enactor's port, on the stand-in's own rules, with faults on demand.

The rules are the sandbox's (the conformance suite holds them to AWS); this file only translates and
injects. Faults are queued: each takes effect on the next request that it fits.
"""

from collections import Counter, deque
from collections.abc import Callable
from enum import Enum, auto

from dnsplan.errors import ReadFailed
from dnsplan.fence import FENCE_TYPE, NoFence, SeenFence, fence_name, read_fence
from dnsplan.names import Name
from dnsplan.outcomes import Accepted, Refused, SubmitOutcome, Unknown
from dnsplan.ports import Zone
from dnsplan.records import (
    AliasTarget,
    Failover,
    Geolocation,
    Latency,
    Multivalue,
    RecordSet,
    Weighted,
)
from enactor.ports import ChangeStatus, Cursor, Page
from enactor.rules.packing import ChangeBatch
from sandbox.route53.account import PAGE_MAX, Account, Route53Settings
from sandbox.route53.model import AliasTo, Change, Geo, StoredRecordSet
from sandbox.route53.refusals import (
    InvalidChangeBatch,
    InvalidInput,
    NoSuchChange,
    NoSuchHealthCheck,
    Refusal,
)


class Fault(Enum):
    """What can happen to a submitted batch besides being answered."""

    LOSE_REQUEST = auto()
    LOSE_REPLY = auto()
    HOLD = auto()


class FakeRoute53:
    """Hosted zones behind `enactor.ports.ZoneRecords`."""

    def __init__(self, elapsed_s: Callable[[], float], settings: Route53Settings) -> None:
        """`settings` may be changed while it runs."""
        self._ids = 0
        self.settings = settings
        self.account = Account(
            clock=elapsed_s, wall=elapsed_s, settings=settings, make_zone_id=self._next_id
        )
        self.requests: Counter[str] = Counter()
        self.submit_faults: deque[Fault] = deque()
        self.read_failures = 0
        # Whether a page begins with the last record set of the one before, as some emulators' do.
        self.pages_overlap = False
        self._shown_last: tuple[RecordSet, ...] = ()
        self.held: list[tuple[Zone, ChangeBatch]] = []
        self.before_submit: Callable[[], None] | None = None
        self.after_page: Callable[[], None] | None = None
        self.accepted: list[ChangeBatch] = []

    def make_zone(self, label: str, name: str) -> Zone:
        """A new hosted zone."""
        made = self.account.create_zone(name=name, private=False, caller_reference=label)
        return Zone(label, made.id, Name(made.name))

    async def read_fence(self, zone: Zone) -> SeenFence | NoFence:
        """The fence, in one request."""
        self._read("read_fence")
        found = self.account.zone(zone.zone_id).sets_at(fence_name(zone.name))
        stored = found.get((FENCE_TYPE, ""))
        return NoFence.MISSING if stored is None else read_fence(from_stored(stored))

    async def list_page(self, zone: Zone, start: Cursor | None) -> Page:
        """One page."""
        self._read("list_page")
        name, kind, set_id = (start.name, start.type, start.set_id) if start else (None, None, None)
        page = self.account.zone(zone.zone_id).page(name, kind, set_id, PAGE_MAX)
        following = page.following
        cursor = (
            None
            if following is None
            else Cursor(Name(following.name), following.type, following.set_id)
        )
        shown = tuple(map(from_stored, page.records))
        again = self._shown_last if self.pages_overlap and kind is not None else ()
        self._shown_last = shown[-1:]
        answer = Page((*again, *shown), cursor)
        if self.after_page is not None:
            self.after_page()
        return answer

    async def list_name(self, zone: Zone, name: Name) -> tuple[RecordSet, ...]:
        """Every record set of a name."""
        self._read("list_name")
        return self.standing(zone, name)

    async def submit(self, zone: Zone, batch: ChangeBatch) -> SubmitOutcome:
        """Judge and commit, unless a fault is queued."""
        self.requests["submit"] += 1
        if self.before_submit is not None:
            self.before_submit()
        fault = self.submit_faults.popleft() if self.submit_faults else None
        if fault is Fault.LOSE_REQUEST:
            return Unknown("connection reset")
        if fault is Fault.HOLD:
            self.held.append((zone, batch))
            return Unknown("timed out")
        outcome = self.land(zone, batch)
        return Unknown("timed out") if fault is Fault.LOSE_REPLY else outcome

    def land(self, zone: Zone, batch: ChangeBatch) -> SubmitOutcome:
        """Let a batch act now, whoever sent it and whenever."""
        changes = [Change(one.action, to_stored(one.record_set)) for one in batch.changes]
        try:
            accepted = self.account.submit(zone.zone_id, changes)
        except InvalidChangeBatch as refusal:
            return Refused(refusal.messages)
        except (InvalidInput, NoSuchHealthCheck) as refusal:
            return Refused((refusal.message,))
        except Refusal as refusal:
            return Unknown(refusal.code)
        self.accepted.append(batch)
        return Accepted(accepted.id)

    async def change_status(self, zone: Zone, change_id: str) -> ChangeStatus:
        """PENDING, IN_SYNC or LOST."""
        self._read("change_status")
        self.account.zone(zone.zone_id)
        try:
            change = self.account.change(change_id)
        except NoSuchChange:
            return ChangeStatus.LOST
        return ChangeStatus.IN_SYNC if self.account.insync(change) else ChangeStatus.PENDING

    def standing(self, zone: Zone, name: Name) -> tuple[RecordSet, ...]:
        """What stands at a name, outside of any request."""
        return tuple(map(from_stored, self.account.zone(zone.zone_id).sets_at(name).values()))

    def content(self, zone: Zone) -> tuple[RecordSet, ...]:
        """The whole zone but NS and SOA at the apex and the fence, outside of any request."""
        hidden = {(zone.name, "NS"), (zone.name, "SOA"), (fence_name(zone.name), FENCE_TYPE)}
        listed = map(from_stored, self.account.zone(zone.zone_id).records())
        return tuple(one for one in listed if (one.name, one.type) not in hidden)

    def edit(self, zone: Zone, *changes: tuple[str, RecordSet]) -> None:
        """A foreign hand: an unfenced batch of ("CREATE" | "DELETE" | "UPSERT", record set)."""
        batch = [Change(action, to_stored(one)) for action, one in changes]  # type: ignore[arg-type]  # tests pass literals
        self.account.submit(zone.zone_id, batch)

    def _read(self, kind: str) -> None:
        self.requests[kind] += 1
        if self.read_failures:
            self.read_failures -= 1
            raise ReadFailed(f"{kind}: the request failed")

    def _next_id(self, _name: str) -> str:
        self._ids += 1
        return f"Z{self._ids:013d}"


def to_stored(one: RecordSet) -> StoredRecordSet:
    """Our record set as the stand-in keeps it."""
    routing, alias = one.routing, one.alias
    return StoredRecordSet(
        name=one.name,
        type=one.type,
        ttl=one.ttl_s,
        values=one.values,
        set_id=one.set_id,
        weight=routing.weight if isinstance(routing, Weighted) else None,
        region=routing.region if isinstance(routing, Latency) else None,
        failover=routing.role if isinstance(routing, Failover) else None,
        geo=(
            Geo(routing.continent, routing.country, routing.subdivision)
            if isinstance(routing, Geolocation)
            else None
        ),
        multivalue=True if isinstance(routing, Multivalue) else None,
        alias=AliasTo(alias.zone_id, alias.name, alias.evaluate_target_health) if alias else None,
        health_check_id=one.health_check_id,
    )


def from_stored(stored: StoredRecordSet) -> RecordSet:
    """The stand-in's record set as a listing shows it to us."""
    alias = stored.alias
    return RecordSet(
        name=Name(stored.name),
        type=stored.type,
        ttl_s=stored.ttl,
        values=stored.values,
        set_id=stored.set_id,
        routing=_routing(stored),
        alias=AliasTarget(alias.zone_id, Name(alias.name), alias.evaluate) if alias else None,
        health_check_id=stored.health_check_id,
    )


def _routing(
    stored: StoredRecordSet,
) -> Weighted | Latency | Failover | Geolocation | Multivalue | None:
    if stored.weight is not None:
        return Weighted(stored.weight)
    if stored.region is not None:
        return Latency(stored.region)
    if stored.failover is not None:
        return Failover(stored.failover)
    if stored.geo is not None:
        return Geolocation(*stored.geo)
    return Multivalue() if stored.multivalue else None
