"""Say what the server needs of a zone, and which zone a name is answered from.

Zones are only read. The private view asks the private zones first and never falls through from a
private zone to a public one, as in a VPC; the public view does not know that private zones exist.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, Protocol

from sandbox.route53.model import SetKey, StoredRecordSet

View = Literal["public", "private"]
Sets = Mapping[SetKey, StoredRecordSet]


class Zone(Protocol):
    """One hosted zone. Names go in and come out in listing form."""

    @property
    def id(self) -> str:
        """The id that alias targets name it by."""
        ...

    @property
    def name(self) -> str:
        """Its apex."""
        ...

    @property
    def private(self) -> bool:
        """Is it seen from inside a VPC only?"""
        ...

    def sets_at(self, name: str, /) -> Sets:
        """The record sets of one name; empty when it has none."""
        ...

    def has_below(self, name: str, /) -> bool:
        """Does some name exist below this one?"""
        ...


@dataclass(frozen=True, slots=True)
class Directory:
    """The zones that one view sees, by what they are looked up by."""

    private: Mapping[str, Zone]
    public: Mapping[str, Zone]
    by_id: Mapping[str, Zone]

    def zone_of(self, name: str) -> Zone | None:
        """Find the zone that answers for a name: the longest private match, else the longest."""
        for zones in (self.private, self.public):
            for candidate in upwards(name) if zones else ():
                if candidate in zones:
                    return zones[candidate]
        return None

    def zone_for(self, name: str, kind: str) -> Zone | None:
        """Find the zone that answers a question; a zone's DS stands in its parent if we have it."""
        zone = self.zone_of(name)
        if kind == "DS" and zone is not None and zone.name == name:
            return self.zone_of(parent(name)) or zone
        return zone


def directory(zones: Iterable[Zone], view: View) -> Directory:
    """Sort the zones for one view. Of two zones of one name and privacy the first one is served."""
    private: dict[str, Zone] = {}
    public: dict[str, Zone] = {}
    by_id: dict[str, Zone] = {}
    for zone in zones:
        if zone.private and view == "public":
            continue
        (private if zone.private else public).setdefault(zone.name, zone)
        by_id[zone.id] = zone
    return Directory(private, public, by_id)


def sets_of(sets: Sets, kind: str) -> list[StoredRecordSet]:
    """Take one type's record sets, in the order of their identifiers."""
    return [record for (its, _), record in sorted(sets.items()) if its == kind]


def has_kind(sets: Sets, kind: str) -> bool:
    """Does a name hold this type?"""
    return any(its == kind for its, _ in sets)


def parent(name: str) -> str:
    """Take off the first label; what is above the last one is the root."""
    return name.partition(".")[2] or "."


def upwards(name: str) -> Iterator[str]:
    """Walk from a name to the last name below the root; labels hold no bare dot."""
    while name != ".":
        yield name
        name = parent(name)
