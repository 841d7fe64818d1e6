"""Shards: the names that a big pool's answers stand at, behind weighted aliases of the pool's name.

Route 53 takes at most 100 members at a name and type. What a bigger pool answers stands at shards,
names of our own right below the pool's, and its name holds an alias to each. Here is how a shard is
named, and how to see a pool's answers through its shards: guardrails, status and plans count those
and never the aliases. The label is reserved: the config states no such name, so every one that a
plan holds was made by the planner.
"""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TypeAlias

from msgspec import structs

from dnsplan.names import NAME_BYTES_MAX, Name
from dnsplan.records import RecordSet, Unit, by_unit, heard

Units: TypeAlias = Mapping[Unit, tuple[RecordSet, ...]]

SHARD_LABEL = "_dnsplan-shard-"
SHARDS_MAX = 100
SHARD_TARGETS_MAX = 100

# So many targets a shard has when the number of shards is chosen. Which shard a target is in goes
# by its id, so shards are not equally full, and this leaves room.
SHARD_TARGETS_AIM = 64

# A pool of more would fill its shards to the last place.
SHARDED_TARGETS_MAX = SHARDS_MAX * 80

# What a name may hold itself, by routing: members, or the values of one record set.
MEMBERS_MAX = {"weighted": 100, "multivalue": 100, "simple": 400}

_WILDCARD = "\\052."
_FORM = re.compile(rf"{SHARD_LABEL}(?P<any>any-)?(?P<index>\d+)\.(?P<rest>.+)", re.DOTALL)


def shard_name(name: Name, index: int) -> Name:
    """Where part of a name's answers stands; a wildcard's shards stand beside it."""
    if name.startswith(_WILDCARD):
        return Name(f"{SHARD_LABEL}any-{index}.{name.removeprefix(_WILDCARD)}")
    return Name(f"{SHARD_LABEL}{index}.{name}")


def sharded_name(name: Name) -> Name | None:
    """The name that a shard belongs to; None for every other name."""
    found = _FORM.fullmatch(name) if name.startswith(SHARD_LABEL) else None
    if found is None:
        return None
    return Name(f"{_WILDCARD if found['any'] else ''}{found['rest']}")


def why_unshardable(name: Name, zone_id: str | None) -> str | None:
    """Why a name cannot be spread over shards, in words; None when it can."""
    if zone_id is None:
        return "aliases to its shards name the hosted zone: state the zone's id"
    # Texts are never shorter than what goes over the wire.
    if len(shard_name(name, SHARDS_MAX)) > NAME_BYTES_MAX - 2:
        return "its shards would have names that are too long"
    return None


def shards_at(name: Name, record_sets: Iterable[RecordSet]) -> tuple[Name, ...]:
    """The shards that a name's record sets lead to, each once; one without weight is not heard."""
    members = tuple(record_sets)
    if not any(one.alias for one in members):  # nearly always
        return ()
    led = (one.alias.name for one in heard(members) if one.alias is not None)
    return tuple(dict.fromkeys(shard for shard in led if sharded_name(shard) == name))


def is_shard_of(unit: Unit, units: Units) -> bool:
    """Whether it is a shard to which its name leads in this content."""
    name = sharded_name(unit[0])
    return name is not None and unit[0] in shards_at(name, units.get((name, unit[1]), ()))


def seen_through(units: Units, unit: Unit) -> tuple[RecordSet, ...]:
    """What a name and type answers, with the content of its shards in place of the aliases.

    A shard that is not there answers nothing. A name with shards has nothing else beside them.
    """
    members = units.get(unit, ())
    name, record_type = unit
    if not (shards := shards_at(name, members)):
        return members
    behind = (one for shard in shards for one in units.get((shard, record_type), ()))
    return tuple(structs.replace(one, name=name) for one in behind)


def whole_pools(
    names: Collection[Name], before: Sequence[RecordSet], after: Sequence[RecordSet]
) -> tuple[Collection[Name], Units, Units]:
    """What stands at these names before and after, with all of a pool where a part of it is asked
    for: its name, and every shard that this leads to. Also the names that these are."""
    while True:
        there = by_unit([one for one in before if one.name in names])
        wanted = by_unit([one for one in after if one.name in names])
        wider = _widened(names, (there, wanted))
        if len(wider) == len(names):
            return names, there, wanted
        names = wider


def _widened(names: Collection[Name], there: Iterable[Units]) -> frozenset[Name]:
    heads = (sharded_name(name) for name in names)
    led = (
        shard
        for units in there
        for (name, _), sets in units.items()
        for shard in shards_at(name, sets)
    )
    return frozenset(names).union(led, (head for head in heads if head is not None))
