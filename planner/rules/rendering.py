"""Record sets for the chosen answers of one name and type, in normal form and sorted by key.

They are normal as they are made: members carry canonical texts, and leftovers come from a plan.
The set identifier of a target is its id. An answer that left the pool but must wait keeps the
identifier that it has, or gets one that no target can have (`~` stands in no target id) if its own
is taken. One name and type has one routing policy: an alias can only be weighted here, so while one
answers the whole unit is weighted.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256

from dnsplan.records import AliasTarget, Multivalue, RecordSet, Weighted, key_of
from dnsplan.validation import SET_ID_CHARACTERS_MAX
from planner.rules.pools import Policy, PoolUnit
from planner.rules.selection import Selection
from planner.rules.weights import WEIGHT_MIN, full_weights, slowed, steadied

_FORMER = "former"
_DIGEST_CHARACTERS = 16


@dataclass(frozen=True, slots=True)
class _Answer:
    set_id: str
    text: str
    alias: AliasTarget | None
    weight: int


def render(
    unit: PoolUnit, selection: Selection, standing: Sequence[RecordSet]
) -> tuple[RecordSet, ...]:
    """The unit's record sets; `standing` is what the newest plan holds for it."""
    chosen = [*_members(unit, selection, standing), *_leftovers(selection, standing)]
    policy = Policy.WEIGHTED if any(one.alias for one in chosen) else unit.policy
    match policy:
        case Policy.SIMPLE:
            texts = tuple(sorted({one.text for one in chosen}))
            sets = [RecordSet(unit.name, unit.type, unit.ttl_s, texts)]
        case Policy.MULTIVALUE:
            sets = [_multivalue(unit, one) for one in chosen]
        case Policy.WEIGHTED:
            sets = [_weighted(unit, one) for one in chosen]
    return tuple(sorted(sets, key=key_of))


def _multivalue(unit: PoolUnit, one: _Answer) -> RecordSet:
    return RecordSet(unit.name, unit.type, unit.ttl_s, (one.text,), one.set_id, Multivalue())


def _weighted(unit: PoolUnit, one: _Answer) -> RecordSet:
    routing = Weighted(one.weight)
    if one.alias is not None:
        return RecordSet(unit.name, unit.type, None, (), one.set_id, routing, one.alias)
    return RecordSet(unit.name, unit.type, unit.ttl_s, (one.text,), one.set_id, routing)


def _members(
    unit: PoolUnit, selection: Selection, standing: Sequence[RecordSet]
) -> Iterator[_Answer]:
    # Who is loaded is known by its answer: under a new id it is no colder.
    before = {
        text: _weight_of(one)
        for one in standing
        if isinstance(one.routing, Weighted)
        for text in _texts(one)
    }
    full = full_weights(unit)
    for member in selection.members:
        has = before.get(member.answer, WEIGHT_MIN)
        # A drained target that must still answer keeps the weight that it has.
        weight = full.get(member.key, has)
        if unit.attendance is not None:
            weight = steadied(weight, has)
        if unit.defers and member.answer in before:
            weight = has
        # Slow start takes none away.
        share = selection.shares.get(member.key, 1.0)
        weight = max(min(has, weight), slowed(weight, share))
        yield _Answer(member.target_id, member.answer, member.alias, weight)


def _leftovers(selection: Selection, standing: Sequence[RecordSet]) -> Iterator[_Answer]:
    taken = {member.target_id for member in selection.members}
    for text in selection.leftovers:
        held = next(one for one in standing if text in _texts(one))
        set_id = held.set_id
        if set_id is None or set_id in taken:
            set_id = _set_apart(set_id or _FORMER, text)
        taken.add(set_id)
        yield _Answer(set_id, text, held.alias, _weight_of(held))


def _set_apart(set_id: str, text: str) -> str:
    """An identifier that tells the answer; a digest of it where that is longer than Route 53 takes,
    as with the names of load balancers."""
    if len(set_id) + 1 + len(text) <= SET_ID_CHARACTERS_MAX:
        return f"{set_id}~{text}"
    digest = sha256(text.encode()).hexdigest()[:_DIGEST_CHARACTERS]
    return f"{set_id[: SET_ID_CHARACTERS_MAX - 1 - _DIGEST_CHARACTERS]}~{digest}"


def _texts(record_set: RecordSet) -> tuple[str, ...]:
    return (record_set.alias.name,) if record_set.alias else record_set.values


def _weight_of(record_set: RecordSet) -> int:
    routing = record_set.routing
    return max(WEIGHT_MIN, routing.weight) if isinstance(routing, Weighted) else WEIGHT_MIN
