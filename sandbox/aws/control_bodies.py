"""The bodies of control requests, strictly decoded: an unknown key is an error that names it."""

import dataclasses
from collections.abc import Iterator
from typing import Literal, TypeVar

import msgspec

from sandbox.aws.faults import (
    PRIOR_REQUEST,
    THROTTLE,
    Delay,
    Fault,
    HoldRequest,
    LoseReply,
    LoseRequest,
    Refuse,
    Where,
    WithholdReply,
)
from sandbox.aws.settings import StandInSettings
from sandbox.route53.model import AliasTo, Geo, StoredRecordSet
from sandbox.route53.names import canonical

Kind = Literal[
    "lose_request",
    "lose_reply",
    "withhold_reply",
    "hold_request",
    "refuse",
    "delay",
    "throttle",
    "prior_request",
]
LOAD_MAX = 500_000


class Body(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """A control request's body."""


Asked = TypeVar("Asked", bound=Body)


def decode(kind: type[Asked], body: bytes) -> Asked:
    """Read a body, or raise msgspec's own explanation."""
    return msgspec.json.decode(body, type=kind)


class ArmBody(Body, frozen=True):
    """POST /_sandbox/faults."""

    kind: Kind
    service: str | None = None
    operation: str | None = None
    access_key: str | None = None
    resource: str | None = None
    contains: str | None = None
    after: int = 0
    times: int | None = 1
    applied: bool = False
    code: str = "InternalFailure"
    message: str = "injected by the sandbox"
    status: int = 500
    delay_s: float = 1.0

    def place(self) -> Where:
        """Say which requests are meant."""
        return Where(
            self.service,
            self.operation,
            self.access_key,
            self.resource,
            self.contains,
            self.after,
            self.times,
        )

    def fault(self) -> Fault:
        """Say what happens to them."""
        made: dict[str, Fault] = {
            "lose_request": LoseRequest(),
            "lose_reply": LoseReply(),
            "withhold_reply": WithholdReply(),
            "hold_request": HoldRequest(),
            "refuse": Refuse(self.code, self.message, self.status, self.applied),
            "delay": Delay(self.delay_s),
            "throttle": dataclasses.replace(THROTTLE, applied=self.applied),
            "prior_request": dataclasses.replace(PRIOR_REQUEST, applied=self.applied),
        }
        return made[self.kind]


KINDS: dict[type[Fault], Kind] = {
    LoseRequest: "lose_request",
    LoseReply: "lose_reply",
    WithholdReply: "withhold_reply",
    HoldRequest: "hold_request",
    Refuse: "refuse",
    Delay: "delay",
}


def kind_of(fault: Fault) -> Kind:
    """Name a fault as the API does."""
    return KINDS[type(fault)]


class SettingsBody(Body, frozen=True):
    """POST /_sandbox/settings: only what is given changes; rate_per_s null lifts the limit."""

    rate_per_s: float | msgspec.UnsetType | None = msgspec.UNSET
    insync_after_s: float | msgspec.UnsetType = msgspec.UNSET
    change_duration_s: float | msgspec.UnsetType = msgspec.UNSET
    records_per_zone_max: int | msgspec.UnsetType = msgspec.UNSET
    eventual_reads_lag_s: float | msgspec.UnsetType = msgspec.UNSET
    switches: dict[str, bool] = {}

    def apply(self, settings: StandInSettings) -> None:
        """Change what was given."""
        for name in (
            "rate_per_s",
            "insync_after_s",
            "change_duration_s",
            "records_per_zone_max",
        ):
            value = getattr(self, name)
            if value is not msgspec.UNSET:
                setattr(settings.route53, name, value)
        if self.eventual_reads_lag_s is not msgspec.UNSET:
            settings.dynamodb.eventual_reads_lag_s = self.eventual_reads_lag_s
        known = {field.name for field in dataclasses.fields(settings.route53.switches)}
        unknown = self.switches.keys() - known
        if unknown:
            raise ValueError(f"unknown switches {sorted(unknown)}; there are {sorted(known)}")
        settings.route53.switches = dataclasses.replace(settings.route53.switches, **self.switches)


class AwayBody(Body, frozen=True):
    """POST /_sandbox/away: close each connection until `back`, or refuse all for a while."""

    for_s: float | None = None


class ForgetBody(Body, frozen=True):
    """POST /_sandbox/route53/forget."""

    zone: str
    last: int


class LoadedRecord(Body, frozen=True):
    """One record set to load."""

    name: str
    type: str
    ttl: int | None = None
    values: tuple[str, ...] = ()
    set_id: str | None = None
    weight: int | None = None
    region: str | None = None
    failover: str | None = None
    geo: tuple[str | None, str | None, str | None] | None = None
    multivalue: bool | None = None
    alias: tuple[str, str, bool] | None = None
    health_check_id: str | None = None

    def stored(self) -> StoredRecordSet:
        """Give the record set as the zone holds it."""
        return StoredRecordSet(
            name=canonical(self.name),
            type=self.type,
            ttl=self.ttl,
            values=self.values,
            set_id=self.set_id,
            weight=self.weight,
            region=self.region,
            failover=self.failover,
            geo=self.geo and Geo(*self.geo),
            multivalue=self.multivalue,
            alias=self.alias and AliasTo(self.alias[0], canonical(self.alias[1]), self.alias[2]),
            health_check_id=self.health_check_id,
        )


class LoadBody(Body, frozen=True):
    """POST /_sandbox/route53/load: given record sets, and `count` made ones (h000000, ...)."""

    zone: str
    records: tuple[LoadedRecord, ...] = ()
    count: int = 0
    ttl: int = 300

    def all_records(self, zone_name: str) -> Iterator[StoredRecordSet]:
        """Give everything to load."""
        if self.count > LOAD_MAX:
            raise ValueError(f"count {self.count} is over {LOAD_MAX}")
        for record in self.records:
            yield record.stored()
        for number in range(self.count):
            address = f"10.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}"
            yield StoredRecordSet(
                f"h{number:06d}.{zone_name}", "A", ttl=self.ttl, values=(address,)
            )


class SnapshotBody(Body, frozen=True):
    """POST /_sandbox/dynamodb/snapshot."""

    table: str
    region: str = "us-east-1"


class RestoreBody(Body, frozen=True):
    """POST /_sandbox/dynamodb/restore: in place, or to a table of another name."""

    snapshot: int
    table: str | None = None
    region: str = "us-east-1"
