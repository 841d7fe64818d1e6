"""What Route 53's control API says about a name that DNS does not answer: absent, stored, dangling.

It explains an illness and never ends one: what clients get is what the name servers say.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from dnsplan.names import Name, display
from dnsplan.records import AliasTarget, RecordSet

VALUES_SHOWN_MAX = 8


@dataclass(frozen=True, slots=True)
class Absent:
    """The zone holds no record set of this type at this name."""


@dataclass(frozen=True, slots=True)
class Stored:
    """The zone holds values that the name servers do not give."""

    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Aliased:
    """The zone holds only aliases; `missing` of their targets are not in the zone."""

    targets: tuple[str, ...]
    missing: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class NotAsked:
    """Nobody answered, or nobody asked: in words, why."""

    reason: str


Opinion = Absent | Stored | Aliased | NotAsked


def aliases_at(listed: Sequence[RecordSet], kind: str) -> tuple[AliasTarget, ...]:
    """Where the aliases of one type point."""
    return tuple(one.alias for one in listed if one.type == kind and one.alias is not None)


def opinion(
    listed: Sequence[RecordSet], kind: str, *, zone_id: str, targets: Sequence[RecordSet]
) -> Opinion:
    """Judge a listing of a name. `targets`: the record sets at its aliases' names in this zone."""
    of_type = [one for one in listed if one.type == kind]
    if not of_type:
        return Absent()
    values = tuple(sorted({value for one in of_type for value in one.values}))
    if values:
        return Stored(values)
    there = {(one.name, one.type) for one in targets}
    aliases = aliases_at(listed, kind)
    return Aliased(
        tuple(sorted({display(one.name) for one in aliases})),
        tuple(
            sorted(
                {
                    display(one.name)
                    for one in aliases
                    if one.zone_id == zone_id and (one.name, kind) not in there
                }
            )
        ),
    )


def in_words(said: Opinion) -> str:
    """One phrase for a page."""
    match said:
        case Absent():
            return "the control API lists no such record set"
        case Stored(values):
            shown = ", ".join(values[:VALUES_SHOWN_MAX])
            more = len(values) - VALUES_SHOWN_MAX
            rest = f" and {more} more" if more > 0 else ""
            return f"the control API lists {shown}{rest}"
        case Aliased(targets, missing):
            if missing:
                return f"an alias to {', '.join(missing)}, which is not in the zone"
            return f"an alias to {', '.join(targets)}, which answers nothing"
        case NotAsked(reason):
            return f"the control API was not heard: {reason}"


def within_zone(aliases: Sequence[AliasTarget], zone_id: str) -> tuple[Name, ...]:
    """The targets that this zone itself must hold."""
    return tuple(sorted({one.name for one in aliases if one.zone_id == zone_id}))
