"""The bounds on a changed config: how many names one plan may touch, and by which TTLs."""

import pytest
from msgspec import structs

from dnsplan.bounds import NAMES_CHANGED, TTL, Bounds
from dnsplan.guardrails import Limits, judge
from dnsplan.names import Name
from dnsplan.plan import NameLedger, Plan, Waiver
from dnsplan.records import AliasTarget, RecordSet
from dnsplan.shards import shard_name
from dnsplan.velocity import VelocityLimit
from dnsplan.violation import Violation
from tests.unit.dnsplan.samples import a, plan

PACE = VelocityLimit(min_targets=1, max_removed_share=1.0, window_s=300)
NAMES = tuple(f"{letter}.example.com." for letter in "abcd")
STAND = tuple(a(name, "192.0.2.1", "192.0.2.2") for name in NAMES)
MOVED = tuple(a(name, "192.0.2.1") for name in NAMES)
LEDGER = tuple(NameLedger(Name(name), "A", 2, 1, ()) for name in NAMES)


def found(standing: tuple[RecordSet, ...], candidate: Plan, bounds: Bounds) -> list[Violation]:
    """What refuses a candidate."""
    limits = Limits(PACE, bounds=bounds)
    return list(judge(standing, candidate, limits, standing_since_s=candidate.created_s))


def with_ttl(record_sets: tuple[RecordSet, ...], ttl_s: int) -> tuple[RecordSet, ...]:
    """The same with another TTL."""
    return tuple(structs.replace(one, ttl_s=ttl_s) for one in record_sets)


@pytest.mark.parametrize(("most", "refused"), [(4, False), (3, True)])
def test_no_plan_changes_more_names_than_the_limit(most: int, refused: bool) -> None:
    """With how many, which of them, and the limit; a name counts once."""
    more = tuple(RecordSet(Name(name), "TXT", 60, ('"x"',)) for name in NAMES)
    content = tuple(sorted((*MOVED, *more), key=lambda one: (one.name, one.type)))
    expected = Violation(
        rule=NAMES_CHANGED,
        zone="shop",
        name="example.com.",
        measured="4 names would change, a.example.com., b.example.com., c.example.com. and 1 more",
        limit="3, max_names_changed",
    )
    said = found(STAND, plan(content=content), Bounds(names_changed_max=most))
    assert said == ([expected] if refused else [])


def test_names_that_only_come_count_too() -> None:
    """A name that is new beside others was not there to be compared with."""
    new = tuple(a(f"new{number}.example.com.") for number in range(2))
    candidate = plan(content=(*STAND, *new))
    assert [one.rule for one in found(STAND, candidate, Bounds(1))] == [NAMES_CHANGED]


def test_a_first_plan_may_bring_any_number_of_names() -> None:
    """Nothing answered before it."""
    assert found((), plan(content=STAND), Bounds(1)) == []


def test_what_health_moves_counts_as_no_name() -> None:
    """An evacuation touches every name that a pool drives, at once."""
    assert found(STAND, plan(content=MOVED, ledger=LEDGER), Bounds(1)) == []


def test_a_ttl_of_a_pools_name_is_the_configs() -> None:
    """It counts, whatever health moves in the same plan."""
    candidate = plan(content=with_ttl(MOVED, 30), ledger=LEDGER)
    assert [one.rule for one in found(STAND, candidate, Bounds(1))] == [NAMES_CHANGED]


def test_shards_are_no_names_of_their_own() -> None:
    """A pool that is spread over shards is one name; its TTL is that of the shards' records."""
    head, shards = Name(NAMES[0]), [shard_name(Name(NAMES[0]), number) for number in range(2)]
    led = tuple(
        RecordSet(head, "A", None, (), alias=AliasTarget("Z1", one, evaluate_target_health=False))
        for one in shards
    )
    content = (*led, *(a(one, "192.0.2.1", ttl_s=10) for one in shards))
    said = found((STAND[0],), plan(content=content), Bounds(1, ttl_min_s=20))
    assert [(one.rule, one.name) for one in said] == [(TTL, NAMES[0])]


@pytest.mark.parametrize(("ttl_s", "refused"), [(9, True), (10, False), (90, False), (91, True)])
def test_no_ttl_leaves_the_bounds(ttl_s: int, refused: bool) -> None:
    """Both bounds are allowed themselves."""
    candidate = plan(content=(*with_ttl(STAND[:1], ttl_s), *STAND[1:]))
    expected = Violation(
        rule=TTL,
        zone="shop",
        name="a.example.com.",
        measured=f"A gets TTL {ttl_s} s",
        limit="10 to 90 s, ttl_min_s and ttl_max_s",
    )
    bounds = Bounds(ttl_min_s=10, ttl_max_s=90)
    assert found(STAND, candidate, bounds) == ([expected] if refused else [])


def test_a_ttl_that_stands_may_stay() -> None:
    """Bounds that were tightened meanwhile keep no dead target in."""
    bounds = Bounds(ttl_min_s=300)
    assert found(STAND, plan(content=MOVED, ledger=LEDGER), bounds) == []


@pytest.mark.parametrize("rule", [NAMES_CHANGED, TTL])
def test_each_is_waived_by_its_own_name(rule: str) -> None:
    """For one generation, as any other that can be waived."""
    candidate = plan(content=with_ttl(STAND, 5))
    candidate = structs.replace(
        candidate, waivers=(Waiver(rule, "ann", "test", candidate.generation),)
    )
    left = {one.rule for one in found(STAND, candidate, Bounds(1, ttl_min_s=10))}
    assert left == {NAMES_CHANGED, TTL} - {rule}
