"""Which shard a target's record set stands in, where a pool is too big for one name.

How many shards there are goes by how many targets the pool has and never by how many are well, so
that health moves nobody. Which one a target is in goes by its id alone: one target more changes one
shard, and one shard more takes from each of the others its share. No shard is ever empty: one that
nobody is in keeps what it had, and the pool's name leads to it no more. Floor, velocity and panic
were judged before, over the whole pool.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from hashlib import sha256

from msgspec import structs

from dnsplan.names import Name
from dnsplan.records import AliasTarget, RecordSet, Unit, Weighted, key_of
from dnsplan.shards import (
    MEMBERS_MAX,
    SHARD_TARGETS_AIM,
    SHARD_TARGETS_MAX,
    SHARDED_TARGETS_MAX,
    SHARDS_MAX,
    shard_name,
    shards_at,
    why_unshardable,
)
from planner.rules.pools import Policy, PoolUnit
from planner.rules.weights import WEIGHT_MAX, full_weights, scaled_weight

# The number of shards stays while they are, on average, as full as this. Between the two a pool may
# grow and shrink without moving anybody.
STAY_FROM, STAY_UP_TO = 32, 80

# A pool that was too big is put together again only well below the limit, or one target that comes
# and goes would turn its name over each time.
REJOIN_SHARE = 0.8


def spread(
    unit: PoolUnit,
    sets: tuple[RecordSet, ...],
    units: Mapping[Unit, tuple[RecordSet, ...]],
    *,
    zone_id: str | None,
) -> Mapping[Unit, tuple[RecordSet, ...]]:
    """What the unit's name and its shards hold; `sets` is what the pool answers, as of one name.

    `units` is the newest plan's content. What cannot be spread comes back as it is, for `review` to
    find too big.
    """
    answers = _apart(sets)
    known = tuple(dict.fromkeys([*_members(unit), *answers]))
    there = units.get(unit.unit, ())
    present = len(shards_at(unit.name, there))
    count = shard_count(len(known), present=present, policy=unit.policy)
    if unit.defers and present and len(known) <= present * SHARD_TARGETS_MAX:
        count = present
    places = placed(known, count)
    if not places or zone_id is None or why_unshardable(unit.name, zone_id):
        return {unit.unit: sets}
    inside: dict[int, list[RecordSet]] = {}
    for identity, one in answers.items():
        inside.setdefault(places[identity], []).append(one)
    weights = {**_weights(unit, inside, places), **_left(unit, inside, units)}
    shards = {place: shard_name(unit.name, place) for place in inside}
    aliases = [
        RecordSet(
            unit.name,
            unit.type,
            None,
            (),
            set_id=f"shard-{place}",
            routing=Weighted(weights[place]),
            alias=AliasTarget(zone_id, shard, _is_judged(inside[place])),
        )
        for place, shard in shards.items()
    ]
    found = {(shard, unit.type): _at(shard, inside[place]) for place, shard in shards.items()}
    return {**found, unit.unit: tuple(sorted(aliases, key=key_of))}


def room_of(unit: PoolUnit, there: Iterable[RecordSet], *, zone_id: str | None) -> int:
    """How many answers the unit can have at once, with those that left the pool and must wait.

    `there` is what it answers now. A pool that is too big by itself is not cut down here: `review`
    says so.
    """
    if zone_id is not None and why_unshardable(unit.name, zone_id) is None:
        return SHARDED_TARGETS_MAX
    has_alias = any(one.alias for one in there) or any(one.alias for one in unit.members)
    most = MEMBERS_MAX[(Policy.WEIGHTED if has_alias else unit.policy).value]
    return most if len(unit.members) <= most else SHARDED_TARGETS_MAX


def shard_count(targets: int, *, present: int, policy: Policy) -> int:
    """How many shards a pool of so many targets has that has `present` ones now; 0 is none."""
    most = MEMBERS_MAX[policy.value]
    if targets <= (REJOIN_SHARE * most if present else most):
        return 0
    if present and STAY_FROM * present <= targets <= STAY_UP_TO * present:
        return present
    return min(SHARDS_MAX, -(-targets // SHARD_TARGETS_AIM))


def placed(identities: Sequence[str], count: int) -> Mapping[str, int]:
    """The shard of each; nothing when there are more than the shards can hold.

    A shard that is full sends the rest on to the next.
    """
    if len(identities) > count * SHARD_TARGETS_MAX:
        return {}
    filled = [0] * count
    places: dict[str, int] = {}
    for one in sorted(identities):
        place = _preferred(one, count)
        while filled[place] >= SHARD_TARGETS_MAX:
            place = (place + 1) % count
        filled[place] += 1
        places[one] = place
    return places


@lru_cache(maxsize=1 << 14)
def _preferred(identity: str, count: int) -> int:
    """Jump consistent hash: with one place more, only what goes there moves.

    Source: Lamping and Veach, A Fast, Minimal Memory, Consistent Hash Algorithm, 2014.
    """
    key = int.from_bytes(sha256(identity.encode()).digest()[:8], "big")
    place, jump = 0, 0
    while jump < count:
        place = jump
        key = (key * 2_862_933_555_777_941_757 + 1) & 0xFFFF_FFFF_FFFF_FFFF
        jump = int((place + 1) * ((1 << 31) / ((key >> 33) + 1)))
    return place


def _members(unit: PoolUnit) -> Iterator[str]:
    """What each member is known by: its id, and in a record set of many values its answer."""
    is_simple = unit.policy is Policy.SIMPLE and not any(one.alias for one in unit.members)
    return (one.answer if is_simple else one.target_id for one in unit.members)


def _apart(sets: Iterable[RecordSet]) -> dict[str, RecordSet]:
    """One record set for each answer, by what the answer is known by."""
    found: dict[str, RecordSet] = {}
    for one in sets:
        if one.set_id is not None:
            found[one.set_id] = one
            continue
        found.update((value, structs.replace(one, values=(value,))) for value in one.values)
    return found


def _at(shard: Name, answers: Sequence[RecordSet]) -> tuple[RecordSet, ...]:
    """A shard's record sets, as `render` would make them for its part of the pool."""
    first = answers[0]
    if first.set_id is None:
        values = tuple(value for one in answers for value in one.values)
        return (structs.replace(first, name=shard, values=tuple(sorted(values))),)
    return tuple(sorted((structs.replace(one, name=shard) for one in answers), key=key_of))


def _is_judged(answers: Iterable[RecordSet]) -> bool:
    """Whether Route 53 looks at the health of what stands in a shard, as it would in one name."""
    return any(one.alias is not None and one.alias.evaluate_target_health for one in answers)


def _weights(
    unit: PoolUnit, inside: Mapping[int, Sequence[RecordSet]], places: Mapping[str, int]
) -> Mapping[int, int]:
    """Each shard's share of the answers, on a scale that health cannot move (see `weights`)."""
    full = full_weights(unit)
    whole = Counter[int]()
    for identity, member in zip(_members(unit), unit.members, strict=True):
        if not member.is_drained:
            is_weighted = unit.policy is Policy.WEIGHTED
            whole[places[identity]] += full[member.key] if is_weighted else 1
    carried = {place: sum(map(_weight_of, answers)) for place, answers in inside.items()}
    largest = max([*whole.values(), *carried.values()])
    return {place: scaled_weight(sum_, capacity_max=largest) for place, sum_ in carried.items()}


def _left(
    unit: PoolUnit,
    inside: Mapping[int, Sequence[RecordSet]],
    units: Mapping[Unit, tuple[RecordSet, ...]],
) -> Mapping[int, int]:
    """The weights of shards where the planner leaves them as they are: they change only by as much
    as what a shard carries does."""
    left: dict[int, int] = {}
    aliases = {one.set_id: one for one in units.get(unit.unit, ())} if unit.defers else {}
    for place, answers in inside.items():
        alias = aliases.get(f"shard-{place}")
        there = _apart(units.get((shard_name(unit.name, place), unit.type), ()))
        had = sum(map(_weight_of, there.values()))
        if alias is not None and had:
            carried = sum(map(_weight_of, answers))
            left[place] = scaled_weight(_weight_of(alias) * carried, capacity_max=WEIGHT_MAX * had)
    return left


def _weight_of(one: RecordSet) -> int:
    return one.routing.weight if isinstance(one.routing, Weighted) else 1
