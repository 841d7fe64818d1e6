"""A zone's turn: when it goes over to another wording of the config, and what it holds until then.

Until its turn a zone is moved by health, sources and operators alone. What the config states
otherwise stays as in the newest plan: records, TTLs, routing, the weights of who answers. A target
that only the new wording names waits, and one that it lost stays; who was in a pool before comes
and goes as ever. So an evacuation never waits for a turn, and a turn changes nothing but what the
config changed.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from msgspec import structs

from dnsplan.guardrails import answers
from dnsplan.names import Name
from dnsplan.plan import Generation, Turn
from dnsplan.records import Multivalue, RecordSet, Weighted
from dnsplan.shards import seen_through
from planner.rules.candidate import Candidate, ZoneWish
from planner.rules.pools import Balance, Member, Policy, PoolUnit
from planner.rules.standing import Standing
from planner.rules.weights import WEIGHT_MAX, WEIGHT_MIN, full_weights

# What a zone held before its turn is known to be good for so long: until then it goes back to it
# without waiting for anybody.
GOES_BACK_S = 86_400


def turn_of(standing: Standing) -> Turn | None:
    """The newest plan's turn."""
    return None if standing.plan is None else standing.plan.turn


def is_reworded(wish: ZoneWish, standing: Standing) -> bool:
    """Whether the newest plan was made of another wording. One that tells none (an operator's, or
    an older release's) keeps nobody waiting."""
    turn, wording = turn_of(standing), wish.wording
    return turn is not None and wording is not None and turn.config != wording.config


def goes_back(wish: ZoneWish, standing: Standing, *, now_s: int) -> bool:
    """Whether the wording is the one that the zone had before its turn, a short time ago."""
    turn = turn_of(standing)
    if turn is None or wish.wording is None:
        return False
    return turn.before == wish.wording.config and now_s - turn.since_s < GOES_BACK_S


def older_words(wish: ZoneWish, standing: Standing) -> str:
    """Why a planner leaves what its config has otherwise, and what ends that."""
    turn, label = turn_of(standing), wish.label
    since = "" if turn is None else f" since generation {turn.generation}"
    return (
        f"another planner publishes {label} by another config{since}, and this one's has not"
        f" changed since: bring all planners the same; if this one's is right:"
        f" dns-runbook waive {label} wave --because TEXT"
    )


def is_same(one: Candidate, other: Candidate) -> bool:
    """Whether two candidates against the same plan say the same."""
    touched = {*one.changed, *other.changed}
    is_other = any(one.units.get(unit) != other.units.get(unit) for unit in touched)
    return not is_other and one.retired == other.retired


def before_turn(wish: ZoneWish, standing: Standing) -> ZoneWish:
    """The wish without what the config changed since the newest plan."""
    turn, wording = turn_of(standing), wish.wording
    if turn is None or wording is None:
        return wish
    same = set(turn.pools) & set(wording.pools)
    unchanged = {pool for pool, _ in same}
    out = {(name, kind): frozenset(texts) for name, kind, texts in turn.out}
    return replace(
        wish,
        stated={unit: standing.units[unit] for unit in wish.stated if unit in standing.units},
        driven=tuple(
            one
            if one.pool in unchanged
            else _as_before(one, standing.answering(one.unit), out.get(one.unit, frozenset()), turn)
            for one in wish.driven
            if one.pool in unchanged or (one.unit in standing.ledger and one.unit in standing.units)
        ),
    )


def turn_taken(
    wish: ZoneWish, standing: Standing, candidate: Candidate, *, generation: int, now_s: int
) -> Turn | None:
    """The turn that a plan by the wish's wording tells: a new one, or the newest plan's goes on."""
    wording, before = wish.wording, turn_of(standing)
    if wording is None:
        return None
    if before is not None and before.config == wording.config:
        made = before
    else:
        # A zone that went back has nothing to go back to: else the next try would wait for nobody.
        is_back = before is None or goes_back(wish, standing, now_s=now_s)
        is_told_first = before is None and standing.plan is not None
        made = Turn(
            config=wording.config,
            before="" if before is None or is_back else before.config,
            generation=Generation(generation),
            since_s=0 if is_told_first else now_s,
        )
    made = structs.replace(made, pools=wording.pools, sources=wording.sources)
    return turn_kept(wish, made, candidate)


def turn_kept(wish: ZoneWish, turn: Turn, candidate: Candidate) -> Turn:
    """A turn that goes on, as a plan made of this wish tells it."""
    return structs.replace(turn, out=tuple(sorted(_out(wish, candidate))))


def _out(wish: ZoneWish, candidate: Candidate) -> Iterator[tuple[Name, str, tuple[str, ...]]]:
    """Stated answers that do not answer now; what the config itself drained is none of them."""
    for one in wish.driven:
        stated = {m.answer for m in one.members if not m.source and not m.is_drained}
        if left := stated - answers(seen_through(candidate.units, one.unit)):
            yield one.name, one.type, tuple(sorted(left))


def _as_before(
    unit: PoolUnit, there: Iterable[RecordSet], out: frozenset[str], turn: Turn
) -> PoolUnit:
    """A unit whose pool the config words otherwise, with whom and what it had."""
    has = {text: one for one in there for text in _texts(one)}
    weights, sources = (
        full_weights(unit),
        {source for pool, source in turn.sources if pool == unit.pool},
    )
    members = []
    for one in unit.members:
        held = has.get(one.answer)
        if held is not None and held.set_id in (None, one.target_id):
            members.append(_as_held(one, held))
        elif held is None and (one.answer in out or one.source in sources):
            members.append(replace(one, capacity=weights.get(one.key, one.capacity)))
    known = {one.answer for one in members}
    return replace(
        unit,
        ttl_s=next((one.ttl_s for one in has.values() if one.ttl_s is not None), unit.ttl_s),
        policy=_policy_of(has.values()),
        members=tuple(members),
        capacity_max=WEIGHT_MAX,
        balance=Balance.CAPACITY,
        staying=unit.staying.union(has.keys() - known),
    )


def _as_held(member: Member, held: RecordSet) -> Member:
    """A member with the weight and the alias that it has."""
    routing = held.routing
    weight = routing.weight if isinstance(routing, Weighted) else WEIGHT_MAX
    return replace(member, capacity=max(WEIGHT_MIN, weight), alias=held.alias)


def _policy_of(sets: Iterable[RecordSet]) -> Policy:
    kinds = {type(one.routing) for one in sets}
    if Weighted in kinds:
        return Policy.WEIGHTED
    return Policy.MULTIVALUE if Multivalue in kinds else Policy.SIMPLE


def _texts(record_set: RecordSet) -> tuple[str, ...]:
    return (record_set.alias.name,) if record_set.alias else record_set.values
