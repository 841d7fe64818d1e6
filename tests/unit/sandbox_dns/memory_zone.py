"""A zone in memory for the DNS rules: short to fill, and it counts what it is asked.

`test_zone_contract.py` holds it to the stand-in's own zone.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from dns.rcode import NOERROR, NXDOMAIN

from sandbox.dns.answering import Answer, Question, answer
from sandbox.dns.lookup import Rows
from sandbox.dns.resolving import Place, Surroundings
from sandbox.dns.routing import Jitter
from sandbox.dns.zones import View, Zone, directory
from sandbox.route53.model import AliasTo, Geo, SetKey, StoredRecordSet

APEX = "example.com."
SOA = "ns-1.awsdns.test. hostmaster.example.com. 1 7200 900 1209600 60"
SERVERS = ("ns-1.awsdns.test.", "ns-2.awsdns.test.")
ZONE_ID = "Z1"


class MemoryZone:
    """Record sets by name; whether a name lies above others is worked out by looking at all."""

    def __init__(
        self,
        *records: StoredRecordSet,
        name: str = APEX,
        zone_id: str = ZONE_ID,
        private: bool = False,
    ) -> None:
        self.id = zone_id
        self.name = name
        self.private = private
        self.questions = 0
        self._names: dict[str, dict[SetKey, StoredRecordSet]] = {}
        for record in records:
            self._names.setdefault(record.name, {})[record.key] = record
        self._above = {
            name.split(".", cut)[-1] for name in self._names for cut in range(1, name.count("."))
        }

    def sets_at(self, name: str, /) -> Mapping[SetKey, StoredRecordSet]:
        """Give the record sets of one name."""
        self.questions += 1
        return self._names.get(name, {})

    def has_below(self, name: str, /) -> bool:
        """Is there a name below?"""
        self.questions += 1
        return name in self._above and (name == self.name or name.endswith("." + self.name))


@dataclass(frozen=True)
class Share:
    """Chance that always falls at the same share of the range; 1 leaves an order as it is."""

    share: float = 1.0

    def uniform(self, low: float, high: float, /) -> float:
        """Give the number at that share."""
        return low + self.share * (high - low)


@dataclass(frozen=True)
class Setting:
    """What a question is asked in."""

    zones: tuple[Zone, ...]
    view: View = "public"
    jitter: Jitter = field(default_factory=Share)
    outside: Mapping[Place, tuple[str, ...]] = field(default_factory=dict)
    is_healthy: Callable[[str], bool] = lambda _check: True

    def surroundings(self) -> Surroundings:
        """Prepare what an answer depends on."""
        seen = directory(self.zones, self.view)
        return Surroundings(seen, self.jitter, self.outside, self.is_healthy)

    def ask(self, name: str, kind: str) -> Answer:
        """Ask one question."""
        return answer(Question(name, kind), self.surroundings())


def apex(name: str = APEX) -> tuple[StoredRecordSet, ...]:
    """Make the two sets that every zone has."""
    return record(name, "SOA", SOA, ttl=900), record(name, "NS", *SERVERS, ttl=172_800)


def record(
    name: str,
    kind: str,
    *values: str,
    ttl: int = 300,
    set_id: str | None = None,
    weight: int | None = None,
    region: str | None = None,
    failover: str | None = None,
    geo: Geo | None = None,
    multivalue: bool | None = None,
    check: str | None = None,
) -> StoredRecordSet:
    """Make a record set that holds values."""
    return StoredRecordSet(
        name,
        kind,
        ttl,
        values,
        set_id=set_id,
        weight=weight,
        region=region,
        failover=failover,
        geo=geo,
        multivalue=multivalue,
        health_check_id=check,
    )


def alias(
    name: str,
    kind: str,
    target: str,
    *,
    zone_id: str = ZONE_ID,
    evaluate: bool = False,
    set_id: str | None = None,
    weight: int | None = None,
    failover: str | None = None,
) -> StoredRecordSet:
    """Make a record set that answers with another's values."""
    to = AliasTo(zone_id, target, evaluate)
    return StoredRecordSet(name, kind, alias=to, set_id=set_id, weight=weight, failover=failover)


def addresses(found: Answer) -> tuple[str, ...]:
    """Take the values of an answer's last record set."""
    return found.answer[-1].values if found.answer else ()


def zone(*records: StoredRecordSet) -> MemoryZone:
    """Make the zone most tests ask: what every zone has, and these."""
    return MemoryZone(*apex(), *records)


def ask(name: str, kind: str, *records: StoredRecordSet) -> Answer:
    """Ask one zone that holds these record sets."""
    return Setting((zone(*records),)).ask(name, kind)


SOA_ROWS = Rows(APEX, "SOA", 60, (SOA,))
NO_NAME = Answer(NXDOMAIN, authoritative=True, authority=(SOA_ROWS,))
NO_DATA = Answer(NOERROR, authoritative=True, authority=(SOA_ROWS,))
