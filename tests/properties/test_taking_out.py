"""P7 and the floor over any pools: the guardrails refuse exactly the plans that take out too much,
counted from what was drawn and not from record sets."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from dnsplan.guardrails import FLOOR, VELOCITY, Limits, judge, judge_velocity
from dnsplan.names import Name, parse_name
from dnsplan.plan import SCHEMA, Generation, NameLedger, Plan
from dnsplan.records import Multivalue, RecordSet, Weighted, key_of
from dnsplan.velocity import VelocityLimit
from tests.properties.drawn import OWNER, ZONE

NAMES = [parse_name(f"{one}.example.com.") for one in ("a", "b")]
WINDOW_S = 300
Weights = Mapping[int, int]


@dataclass(frozen=True)
class Pool:
    """One pool-driven name: the weights that its targets have before a plan and under it."""

    name: Name
    policy: str
    targets: int
    before: Weights
    after: Weights


@st.composite
def pools(draw: st.DrawFn, name: Name) -> Pool:
    """A pool that loses some targets, gains some, and lets some stand at weight zero."""
    policy = draw(st.sampled_from(["simple", "multivalue", "weighted"]))
    weight = st.sampled_from([0, 1, 200] if policy == "weighted" else [1])
    members = st.dictionaries(st.integers(0, 11), weight, min_size=1)
    return Pool(name, policy, draw(st.integers(0, 12)), draw(members), draw(members))


limits = st.builds(
    VelocityLimit,
    min_targets=st.integers(1, 6),
    # Hundredths, which no float says exactly.
    max_removed_share=st.integers(0, 100).map(lambda hundredths: hundredths / 100),
    window_s=st.just(WINDOW_S),
)
elapsed = st.sampled_from([-10, 0, 1, WINDOW_S - 1, WINDOW_S, WINDOW_S + 1, 3 * WINDOW_S])
both = st.tuples(*map(pools, NAMES))


def records(pool: Pool, members: Weights) -> tuple[RecordSet, ...]:
    """The record sets of a pool's name."""
    values = {number: f"192.0.2.{number}" for number in members}
    if pool.policy == "simple":
        return (RecordSet(pool.name, "A", 30, tuple(sorted(values.values()))),)
    return tuple(
        RecordSet(
            pool.name,
            "A",
            30,
            (values[number],),
            set_id=f"t{number}",
            routing=Weighted(weight) if pool.policy == "weighted" else Multivalue(),
        )
        for number, weight in members.items()
    )


def plan(generation: int, created_s: int, pools: tuple[Pool, ...], *, after: bool) -> Plan:
    """A plan that states the pools as they are before it or under it."""
    content = [one for pool in pools for one in records(pool, pool.after if after else pool.before)]
    return Plan(
        schema=SCHEMA,
        owner=OWNER,
        label="shop",
        zone=ZONE,
        generation=Generation(generation),
        base=Generation(generation - 1),
        created_s=created_s,
        author="planner",
        reason="any",
        content=tuple(sorted(content, key=key_of)),
        ledger=tuple(NameLedger(pool.name, "A", pool.targets, 0, ()) for pool in pools),
    )


def answering(members: Weights) -> set[int]:
    """Targets that are answered with: those with weight, or all when none has any."""
    return {number for number, weight in members.items() if weight} or set(members)


@given(both, limits, elapsed)
def test_p7_refuses_exactly_what_is_too_fast(
    pools: tuple[Pool, Pool], limit: VelocityLimit, elapsed_s: int
) -> None:
    """A plan passes exactly when each name loses no more than max(1, share x targets) for each
    window since the plan before."""
    base, wanted = plan(1, 1_000, pools, after=False), plan(2, 1_000 + elapsed_s, pools, after=True)
    found = judge_velocity(base, wanted, Limits(limit))
    windows = 1 + max(0, elapsed_s) // WINDOW_S
    too_fast = []
    for pool in pools:
        before = answering(pool.before)
        share = Fraction(str(limit.max_removed_share)) * max(pool.targets, len(before))
        if len(before - answering(pool.after)) > max(1, int(share)) * windows:
            too_fast.append(pool.name)
    assert [(one.rule, one.name) for one in found] == [(VELOCITY, name) for name in too_fast]


@given(both, limits)
def test_the_floor_refuses_exactly_what_is_too_low(
    pools: tuple[Pool, Pool], limit: VelocityLimit
) -> None:
    """A plan passes exactly when no name gets below its floor, or sinks further below it."""
    standing = plan(1, 0, pools, after=False).content
    found = judge(standing, plan(2, 0, pools, after=True), Limits(limit), standing_since_s=0)
    too_low = []
    for pool in pools:
        before, after = len(answering(pool.before)), len(answering(pool.after))
        floor = min(limit.min_targets, pool.targets)
        if after < floor and after < before:
            too_low.append(pool.name)
    assert [one.name for one in found if one.rule == FLOOR] == too_low
