"""What a hosted zone holds and what a client may ask of it. Plain values; it decides no rule."""

from dataclasses import dataclass
from typing import Literal, NamedTuple

Action = Literal["CREATE", "DELETE", "UPSERT"]
SetKey = tuple[str, str]  # (type, set identifier or "")

TYPES = (
    "SOA",
    "A",
    "TXT",
    "NS",
    "CNAME",
    "MX",
    "NAPTR",
    "PTR",
    "SRV",
    "SPF",
    "AAAA",
    "CAA",
    "DS",
    "TLSA",
    "SSHFP",
    "SVCB",
    "HTTPS",
)


class Geo(NamedTuple):
    """A geolocation: continent, country ("*" is the default location), subdivision."""

    continent: str | None
    country: str | None
    subdivision: str | None


@dataclass(frozen=True, slots=True)
class AliasTo:
    """Where an alias points. `name` is in listing form."""

    zone_id: str
    name: str
    evaluate: bool


@dataclass(frozen=True, slots=True)
class StoredRecordSet:
    """One record set as the zone lists it: name, type and set identifier make its place.

    Either `alias` is set, or `ttl` and `values` are; a traffic policy's set has neither.
    """

    name: str
    type: str
    ttl: int | None = None
    values: tuple[str, ...] = ()
    set_id: str | None = None
    weight: int | None = None
    region: str | None = None
    failover: str | None = None
    geo: Geo | None = None
    multivalue: bool | None = None
    alias: AliasTo | None = None
    health_check_id: str | None = None
    # Policy fields the stand-in keeps but does not act on: (element name, its XML), as sent.
    other: tuple[tuple[str, str], ...] = ()

    @property
    def key(self) -> SetKey:
        """Name its place under its owner name."""
        return self.type, self.set_id or ""

    @property
    def policy(self) -> str:
        """Name the routing policy that its fields state."""
        if self.set_id is None:
            return "simple"
        found = self.policies
        return found[0] if found else "simple"

    @property
    def policies(self) -> list[str]:
        """Name every routing policy that is stated; more than one is a client's mistake."""
        stated = [
            name
            for name, value in (
                ("weighted", self.weight),
                ("latency", self.region),
                ("failover", self.failover),
                ("geolocation", self.geo),
                ("multivalue", self.multivalue),
            )
            if value is not None
        ]
        return stated + [OTHER_POLICIES[tag] for tag, _ in self.other if tag in OTHER_POLICIES]


OTHER_POLICIES = {"GeoProximityLocation": "geoproximity", "CidrRoutingConfig": "cidr"}


@dataclass(frozen=True, slots=True)
class Change:
    """One element of a change batch. `complaints` are what reading it already found wrong."""

    action: Action
    record: StoredRecordSet
    complaints: tuple[str, ...] = ()
