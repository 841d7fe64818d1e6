"""Laws of spreading a pool over shards: who is where, how many there are, and what each carries."""

from hypothesis import given, settings
from hypothesis import strategies as st

from dnsplan.names import Name
from dnsplan.records import RecordSet, Unit, Weighted
from dnsplan.shards import MEMBERS_MAX, SHARD_TARGETS_MAX, SHARDS_MAX, seen_through
from planner.rules.pools import Policy, PoolUnit
from planner.rules.rendering import render
from planner.rules.selection import Selection
from planner.rules.spreading import placed, shard_count, spread
from tests.unit.planner.cases import chosen, member, pool, sight

ZONE_ID = "Z0123456789"
IDENTITIES = st.lists(st.text("abcdef0123456789-", min_size=1, max_size=12), unique=True)


@given(st.integers(1, 8), st.integers(0, 1 << 30), st.data())
def test_each_target_is_in_one_shard_and_none_is_overfull(
    count: int, seed: int, data: st.DataObject
) -> None:
    """Up to the very last place that there is."""
    targets = data.draw(st.integers(0, count * SHARD_TARGETS_MAX))
    known = [f"{seed}-{number}" for number in range(targets)]
    places = placed(known, count)
    filled = [list(places.values()).count(place) for place in range(count)]
    assert set(known) == places.keys()
    assert max(filled) <= SHARD_TARGETS_MAX


@given(st.integers(1, 8), st.integers(0, 1 << 30), st.data())
def test_one_target_more_moves_nobody_but_out_of_full_shards(
    count: int, seed: int, data: st.DataObject
) -> None:
    """At most one target leaves each shard that is full; where none is, nobody moves."""
    targets = data.draw(st.integers(0, count * SHARD_TARGETS_MAX - 1))
    known = [f"{seed}-{number}" for number in range(targets)]
    before, after = placed(known, count), placed([*known, "one-more"], count)
    moved = [one for one in known if before[one] != after[one]]
    filled = [list(after.values()).count(place) for place in range(count)]
    assert len(moved) <= sum(one == SHARD_TARGETS_MAX for one in filled)
    assert len(moved) == len({before[one] for one in moved})


@given(IDENTITIES, st.integers(1, 30))
def test_one_shard_more_takes_from_the_others_and_moves_nobody_else(
    known: list[str], count: int
) -> None:
    """While none is full: what is not in the new shard stays where it was."""
    before, after = placed(known[:SHARD_TARGETS_MAX], count), placed(known[:100], count + 1)
    assert all(after[one] in (before[one], count) for one in before)


@given(
    st.integers(1, 8_000),
    st.integers(0, SHARDS_MAX),
    st.sampled_from([*Policy]),
    st.integers(-9, 9),
)
def test_the_number_of_shards_does_not_swing(
    targets: int, present: int, policy: Policy, more: int
) -> None:
    """Of a pool that goes up and down by a few targets the number settles; and it always fits."""
    counts = [present]
    for size in (targets, max(1, targets + more)) * 3:
        counts.append(shard_count(size, present=counts[-1], policy=policy))
        most = counts[-1] * SHARD_TARGETS_MAX if counts[-1] else MEMBERS_MAX[policy.value]
        assert size <= most
    assert len({*counts[-3:]}) == 1


def spread_pool(
    unit: PoolUnit, selection: Selection, before: dict[Unit, tuple[RecordSet, ...]]
) -> dict[Unit, tuple[RecordSet, ...]]:
    """A pool's content, spread."""
    whole = render(unit, selection, seen_through(before, unit.unit))
    return dict(spread(unit, whole, before, zone_id=ZONE_ID))


@st.composite
def pools(draw: st.DrawFn) -> tuple[PoolUnit, frozenset[int]]:
    """A pool that may need shards, and which of its targets do not answer."""
    targets = draw(st.integers(60, 460))
    policy = draw(st.sampled_from([*Policy]))
    capacities = draw(st.lists(st.integers(1, 1_000), min_size=1, max_size=5))
    away = draw(st.frozensets(st.integers(0, targets - 1), max_size=targets - 1))
    unit = pool(
        *(
            member(
                f"t{number:03}",
                answer=f"10.0.{number // 250}.{number % 250}",
                capacity=capacities[number % len(capacities)],
                probed=False,
            )
            for number in range(targets)
        ),
        policy=policy,
    )
    return unit, away


@settings(max_examples=40)
@given(pools())
def test_what_a_pool_answers_is_the_same_with_shards_and_without(
    drawn: tuple[PoolUnit, frozenset[int]],
) -> None:
    """Nobody is lost, nobody stands twice, no shard is empty or too big, and each target's chance
    is what its weight says, to half a step of the shard's own weight."""
    unit, away = drawn
    selection = chosen(unit, sight())
    heard = tuple(one for number, one in enumerate(selection.members) if number not in away)
    selection = Selection(heard, (), selection.ledger, (), False)
    whole = render(unit, selection, ())
    content = spread_pool(unit, selection, {})
    aliases = content[unit.unit]
    if len(unit.members) <= MEMBERS_MAX[unit.policy.value]:
        assert {unit.unit: whole} == content
        return
    seen = seen_through(content, unit.unit)
    assert sorted(value for one in whole for value in one.values) == sorted(
        value for one in seen for value in one.values
    )
    shards = {one.alias.name: one for one in aliases if one.alias is not None}
    assert {*shards, unit.name} == {name for name, _ in content}
    carried = {name: carries(content[name, "A"]) for name in shards}
    assert all(1 <= size(content[name, "A"]) <= SHARD_TARGETS_MAX for name in shards)
    weights = {name: weight_of(one) for name, one in shards.items()}
    biggest = max(carried, key=lambda name: carried[name])
    scale = weights[biggest] / carried[biggest]
    for name, weight in weights.items():
        slack = 1 + carried[name] / carried[biggest]
        assert abs(weight - carried[name] * scale) <= slack


def size(sets: tuple[RecordSet, ...]) -> int:
    """Answers at a name."""
    return sum(len(one.values) for one in sets)


def carries(sets: tuple[RecordSet, ...]) -> int:
    """The sum of the weights at a name, or how many answers it has."""
    if isinstance(sets[0].routing, Weighted):
        return sum(map(weight_of, sets))
    return size(sets)


def weight_of(one: RecordSet) -> int:
    """A member's weight."""
    assert isinstance(one.routing, Weighted)
    return one.routing.weight


@settings(max_examples=25)
@given(pools(), st.integers(0, 459), st.booleans())
def test_health_moves_nobody_from_shard_to_shard(
    drawn: tuple[PoolUnit, frozenset[int]], extra: int, comes: bool
) -> None:
    """A target that goes or comes changes its own shard and the aliases, and no other shard."""
    unit, away = drawn
    full = chosen(unit, sight())
    number = extra % len(full.members)
    both = []
    before: dict[Unit, tuple[RecordSet, ...]] = {}
    for out in (away | {number}, away - {number})[:: 1 if comes else -1]:
        heard = tuple(one for index, one in enumerate(full.members) if index not in out)
        if not heard:
            return
        before = spread_pool(unit, Selection(heard, (), full.ledger, (), False), before)
        both.append(before)
    if len(unit.members) <= MEMBERS_MAX[unit.policy.value]:
        return
    names: set[Name] = {
        name
        for name, kind in {**both[0], **both[1]}
        if both[0].get((name, kind)) != both[1].get((name, kind))
    }
    assert len(names - {unit.name}) == 1
