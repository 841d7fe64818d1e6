"""One AWS account's Route 53: its zones, the changes it accepted, and how fast it may be asked.

Time comes from the clock passed in. A change is whole when it is accepted: it is listed at once,
PENDING until `insync_after_s` has passed, and keeps its zone busy for `change_duration_s`.
"""

from collections import deque
from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import dataclass, field

from sandbox.route53.model import Change, StoredRecordSet
from sandbox.route53.names import BadNameError, canonical
from sandbox.route53.refusals import (
    HostedZoneAlreadyExists,
    HostedZoneNotEmpty,
    InvalidChangeBatch,
    InvalidInput,
    NoSuchChange,
    NoSuchHostedZone,
    PriorRequestNotComplete,
)
from sandbox.route53.rules import judge
from sandbox.route53.switches import Switches
from sandbox.route53.zone import UNDO_BATCHES_MAX, HostedZone

# More changes than any test makes and reads back; beyond it the oldest is unknown, as at AWS.
CHANGES_MAX = 100_000
PAGE_MAX = 300
BURST = 5
NAME_SERVERS = (
    "ns-2048.awsdns-64.com.",
    "ns-2049.awsdns-65.net.",
    "ns-2050.awsdns-66.org.",
    "ns-2051.awsdns-67.co.uk.",
)
SOA_VALUE = f"{NAME_SERVERS[0]} awsdns-hostmaster.amazon.com. 1 7200 900 1209600 86400"


@dataclass(slots=True)
class Route53Settings:
    """How this account's Route 53 behaves; all of it may be changed while it runs."""

    rate_per_s: float | None = None  # None: no limit. AWS allows an account 5.
    insync_after_s: float = 0.0
    change_duration_s: float = 0.0
    # AWS starts at 10,000 and raises it on request; an account that has asked is assumed.
    records_per_zone_max: int = 1_000_000
    switches: Switches = field(default_factory=Switches)


@dataclass(slots=True)
class AcceptedChange:
    """A change that was accepted. `stranded`: a failover lost it before it was everywhere."""

    id: str
    accepted_at_s: float
    submitted_wall_s: float
    comment: str | None
    stranded: bool = False


class Account:
    """The Route 53 of one account."""

    def __init__(
        self,
        *,
        clock: Callable[[], float],
        wall: Callable[[], float],
        settings: Route53Settings,
        make_zone_id: Callable[[str], str],
    ) -> None:
        self.settings = settings
        self.zones: dict[str, HostedZone] = {}
        self.health_checks: Container[str] = frozenset()
        self.batches = 0
        self._clock = clock
        self._wall = wall
        self._make_zone_id = make_zone_id
        self._changes: dict[str, AcceptedChange] = {}
        self._recent: dict[str, deque[AcceptedChange]] = {}
        self._serial = 0
        self._tokens = float(BURST)
        self._refilled_at_s = clock()

    @property
    def zone_ids(self) -> Container[str]:
        """Name the zones of this account."""
        return self.zones.keys()

    def zone(self, zone_id: str) -> HostedZone:
        """Find a zone by id, with or without the prefix that answers carry."""
        bare = zone_id.rpartition("/")[2]
        found = self.zones.get(bare)
        if found is None:
            raise NoSuchHostedZone(bare)
        return found

    def spend(self) -> bool:
        """Take one request from the account's rate; False means it must be throttled."""
        rate = self.settings.rate_per_s
        now = self._clock()
        if rate is None:
            self._tokens, self._refilled_at_s = float(BURST), now
            return True
        self._tokens = min(float(BURST), self._tokens + (now - self._refilled_at_s) * rate)
        self._refilled_at_s = now
        if self._tokens < 1:
            return False
        self._tokens -= 1
        return True

    def create_zone(
        self, *, name: str, private: bool, caller_reference: str, comment: str = ""
    ) -> HostedZone:
        """Make a zone with the NS and SOA that Route 53 gives it."""
        try:
            apex = canonical(name)
        except BadNameError as bad:
            raise InvalidInput(str(bad)) from bad
        if any(zone.caller_reference == caller_reference for zone in self.zones.values()):
            raise HostedZoneAlreadyExists
        zone = HostedZone(
            zone_id=self._make_zone_id(apex),
            name=apex,
            private=private,
            caller_reference=caller_reference,
            comment=comment,
        )
        first = (
            StoredRecordSet(apex, "NS", ttl=172_800, values=NAME_SERVERS),
            StoredRecordSet(apex, "SOA", ttl=900, values=(SOA_VALUE,)),
        )
        zone.commit({apex: {record.key: record for record in first}})
        zone.settle()
        self.zones[zone.id] = zone
        return zone

    def delete_zone(self, zone_id: str) -> HostedZone:
        """Remove a zone that holds nothing but its own NS and SOA."""
        zone = self.zone(zone_id)
        if len(zone) != len(zone.sets_at(zone.name)) or any(
            kind not in ("NS", "SOA") for kind, _ in zone.sets_at(zone.name)
        ):
            raise HostedZoneNotEmpty
        return self.zones.pop(zone.id)

    def submit(
        self, zone_id: str, changes: Sequence[Change], comment: str | None = None
    ) -> AcceptedChange:
        """Judge a batch and put it in place, or refuse it and leave the zone as it is."""
        zone = self.zone(zone_id)
        now = self._clock()
        if now < zone.busy_until_s:
            raise PriorRequestNotComplete
        work = judge(zone, changes, self, self.settings.switches)
        growth = sum(len(new) - len(zone.sets_at(name)) for name, new in work.items())
        if growth > 0 and len(zone) + growth > self.settings.records_per_zone_max:
            raise InvalidChangeBatch([f"Exceeded limit MAX_RRSETS_BY_ZONE for zone: {zone.id}"])
        zone.commit(work)
        zone.busy_until_s = now + self.settings.change_duration_s
        self.batches += 1
        change = self.note_change(comment)
        self._recent.setdefault(zone.id, deque(maxlen=UNDO_BATCHES_MAX)).append(change)
        return change

    def note_change(self, comment: str | None = None) -> AcceptedChange:
        """Give an accepted change its fresh id."""
        self._serial += 1
        change = AcceptedChange(f"C{self._serial:020d}", self._clock(), self._wall(), comment)
        self._changes[change.id] = change
        if len(self._changes) > CHANGES_MAX:
            del self._changes[next(iter(self._changes))]
        return change

    def change(self, change_id: str) -> AcceptedChange:
        """Find an accepted change by id."""
        bare = change_id.rpartition("/")[2]
        found = self._changes.get(bare)
        if found is None or (found.stranded and self.settings.switches.forgotten_change_unknown):
            raise NoSuchChange(bare)
        return found

    def insync(self, change: AcceptedChange) -> bool:
        """Has a change reached every name server? A stranded one never does."""
        age_s = self._clock() - change.accepted_at_s
        return not change.stranded and age_s >= self.settings.insync_after_s

    def forget_last(self, zone_id: str, batches: int) -> int:
        """Play a failover that lost a zone's last accepted batches; say how many it lost."""
        zone = self.zone(zone_id)
        lost = zone.forget_last(batches)
        recent = self._recent.get(zone.id, deque())
        for _ in range(min(lost, len(recent))):
            recent.pop().stranded = True
        return lost

    def load(self, zone_id: str, records: Iterable[StoredRecordSet]) -> int:
        """Put record sets in place unjudged, for tests and benchmarks that need a full zone."""
        zone = self.zone(zone_id)
        work: dict[str, dict[tuple[str, str], StoredRecordSet]] = {}
        count = 0
        for record in records:
            sets = work.get(record.name)
            if sets is None:
                sets = work[record.name] = dict(zone.sets_at(record.name))
            sets[record.key] = record
            count += 1
        zone.commit(work)
        zone.settle()
        return count
