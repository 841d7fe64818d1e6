"""The status object that commands print, field for field as DESIGN's surfaces promise it.

Numbers are numbers, absent is null, names end with a dot. A list that could not be read is null,
never empty: an empty list says that there is nothing.
"""

import json

import msgspec
from msgspec import Struct

from dnsplan.names import typed


class FenceStatus(Struct, frozen=True, kw_only=True):
    """The fence record as Route 53 shows it."""

    generation: int
    step: int
    steps: int
    base: int
    held: int
    owner: str
    writer: str
    nonce: str
    digest: str


class NameStatus(Struct, frozen=True, kw_only=True):
    """One name and type of the applied plan; targets and health only where a pool drives it.

    `answers` is null where records of others stand in the plan's way.
    """

    name: str
    type: str
    answers: int | None
    targets: int | None
    healthy: int | None


class EnactorStatus(Struct, frozen=True, kw_only=True):
    """What one enactor last knew of the zone, and how long ago; all null if it never looked."""

    az: str
    generation: int | None
    age_s: int | None
    holding: str | None


class ZoneStatus(Struct, frozen=True, kw_only=True):
    """One zone. Without a generation item, and where it could not be read, its fields are null."""

    label: str
    zone: str
    zone_id: str | None
    head: int | None
    applied: int | None
    last_known_good: int | None
    floor: int | None
    frozen: str | None
    pin: int | None
    ahead: int | None
    fence: FenceStatus | None
    names: tuple[NameStatus, ...] | None
    enactors: tuple[EnactorStatus, ...] | None


class Status(Struct, frozen=True):
    """All zones of the config, in the config's order."""

    zones: tuple[ZoneStatus, ...]


class Unread(Struct, frozen=True):
    """One thing that could not be read, and why. `label` is None when it concerns every zone."""

    label: str | None
    what: str
    why: str

    def __str__(self) -> str:
        """Zone, thing and reason in one line."""
        whose = "" if self.label is None else f"{self.label}: "
        return f"{whose}{self.what} could not be read: {self.why}"


class SeenDrift(Struct, frozen=True):
    """What one enactor saw standing otherwise than planned in a zone, in words."""

    label: str
    az: str
    text: str


class Unlisted(Struct, frozen=True):
    """A name and type that the plan carries forward, since the config states it no more."""

    label: str
    name: str
    type: str

    def __str__(self) -> str:
        """What it is, and what ends it."""
        return (
            f"{self.name} {self.type} is not in dns.yaml and is carried forward; to end it:"
            f" dns-runbook retire {self.label} {typed(self.name)} --type {self.type}"
        )


class Note(Struct, frozen=True):
    """What enactors say of a zone that is no trouble yet."""

    label: str
    text: str


class Report(Struct, frozen=True):
    """The status, what of it is null because it could not be read, what others changed, what is
    carried forward though the config states it no more, and what enactors say besides."""

    status: Status
    unread: tuple[Unread, ...]
    drift: tuple[SeenDrift, ...] = ()
    unlisted: tuple[Unlisted, ...] = ()
    notes: tuple[Note, ...] = ()


def to_json(status: Status) -> str:
    """The status object as people and scripts read it; in ASCII, so that no text in it can draw."""
    return json.dumps(msgspec.to_builtins(status), indent=2)
