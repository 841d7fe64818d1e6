"""What is watched: names with the types that they should answer, and which ones a process takes.

A process takes up to `names_max` names; the rest are returned, so that they can be counted and
named. A name whose answer depends on who asks cannot be judged from one place; it is left out with
its reason.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from dnsplan.names import Name

NameKey: TypeAlias = tuple[str, Name]


@dataclass(frozen=True, slots=True)
class Expected:
    """A type that a name should answer.

    `asks`: the types to ask for, in turn, until one is answered. A CNAME is asked for the addresses
    behind it as far as they lie in the zone; `through` says that addresses must be there. `least`:
    how many answers one reply must have; a weighted name gives one at a time.
    """

    type: str
    asks: tuple[str, ...]
    through: bool = False
    least: int = 1


@dataclass(frozen=True, slots=True)
class WatchedName:
    """A name of a zone and what it should answer.

    `recursive`: a resolver is asked, since the zone is private and its own servers are out of
    reach. `enforced`: the system writes this zone, so that a name which was never there is missing.
    """

    label: str
    zone: Name
    name: Name
    expected: tuple[Expected, ...]
    recursive: bool = False
    enforced: bool = True

    @property
    def key(self) -> NameKey:
        """Label and name."""
        return (self.label, self.name)


@dataclass(frozen=True, slots=True)
class Unwatched:
    """A name that cannot be judged from one place, and why."""

    key: NameKey
    reason: str


@dataclass(frozen=True, slots=True)
class Scope:
    """What this process watches; what is beyond its measure; what nobody could judge."""

    names: tuple[WatchedName, ...]
    beyond: tuple[NameKey, ...]
    unjudged: tuple[Unwatched, ...]


def scope(names: Iterable[WatchedName], *, unjudged: Sequence[Unwatched], names_max: int) -> Scope:
    """Take the first names by label and name, so that each start takes the same ones."""
    ordered = sorted(names, key=lambda one: one.key)
    beyond = tuple(one.key for one in ordered[names_max:])
    return Scope(tuple(ordered[:names_max]), beyond, tuple(unjudged))
