"""Record sets of a pool-driven name, for each policy and while something must wait."""

import pytest

from dnsplan.names import parse_name
from dnsplan.normal import normal_form
from dnsplan.records import AliasTarget, Multivalue, RecordSet, Weighted, key_of
from dnsplan.validation import record_problems
from planner.rules.health import Sight
from planner.rules.pools import Policy, PoolUnit
from planner.rules.rendering import render
from planner.rules.selection import LeftOut, select
from tests.unit.planner.cases import (
    NAME,
    NOW_S,
    address,
    alias_member,
    healthy,
    member,
    multivalue,
    pool,
    sick,
    sight,
)


def rendered(unit: PoolUnit, standing: tuple[RecordSet, ...] = ()) -> tuple[RecordSet, ...]:
    """What the unit holds when every target is healthy."""
    view = Sight({one.key: healthy() for one in unit.members}, 0.0, 100.0)
    result = select(unit, standing, None, view, now_s=NOW_S)
    assert not isinstance(result, LeftOut)
    return render(unit, result, standing)


@pytest.mark.parametrize("policy", list(Policy))
def test_what_is_rendered_is_in_normal_form(policy: Policy) -> None:
    """A plan holds only what Route 53 would list, or a change could be dropped in silence."""
    units = [
        pool("c", "a", "b", policy=policy),
        pool(member("a", answer="2001:db8::10"), record_type="AAAA", policy=policy),
        pool("a", alias_member("x", "d.example.net."), policy=Policy.WEIGHTED),
    ]
    for unit in units:
        for standing in ((), multivalue("a", "d", "e", "f")):
            made = rendered(unit, standing if unit.type == "A" else ())
            assert made == tuple(sorted(map(normal_form, made), key=key_of))


def weighted(target_id: str, weight: int, text: str | None = None) -> RecordSet:
    """One weighted member."""
    values = (text or address(target_id),)
    return RecordSet(NAME, "A", 30, values, target_id, Weighted(weight))


def test_multivalue_gives_each_target_its_own_set() -> None:
    """One record set a target, named by its id."""
    assert multivalue("a", "b") == rendered(pool("b", "a"))


def test_simple_gives_one_set_with_all_values() -> None:
    """One record set, values in normal order."""
    unit = pool("a", "b", policy=Policy.SIMPLE)
    values = tuple(sorted((address("a"), address("b"))))
    assert (RecordSet(NAME, "A", 30, values),) == rendered(unit)


def test_weighted_scales_capacities() -> None:
    """Weights follow capacity, and the largest of the pool is the scale."""
    unit = pool(member("a", capacity=100), member("b", capacity=50), policy=Policy.WEIGHTED)
    assert (weighted("a", 255), weighted("b", 128)) == rendered(unit)


def test_a_weight_does_not_move_when_another_target_goes() -> None:
    """The scale is the config's, not what is healthy now."""
    unit = pool(member("a", capacity=100), member("b", capacity=50), policy=Policy.WEIGHTED)
    standing = rendered(unit)
    result = select(unit, standing, None, sight(a=sick(), b=healthy()), now_s=NOW_S)
    assert not isinstance(result, LeftOut)
    assert (weighted("b", 128),) == render(unit, result, standing)


def test_a_drained_target_has_no_record_set_while_others_answer() -> None:
    """Drained is left out rather than weighted 0: all zero would mean all equal."""
    unit = pool(member("a"), member("b", capacity=0), policy=Policy.WEIGHTED)
    assert (weighted("a", 255),) == rendered(unit)


def test_a_drained_target_that_must_wait_keeps_its_weight() -> None:
    """Withheld changes nothing for the target."""
    unit = pool("a", "b", member("c", capacity=0), member("d", capacity=0), policy=Policy.WEIGHTED)
    standing = tuple(weighted(one, 77) for one in "abcd")
    assert weighted("d", 77) in rendered(unit, standing)


def test_an_alias_is_weighted_and_has_no_ttl() -> None:
    """Alias targets stand beside addresses in a weighted name."""
    unit = pool("a", alias_member("x", "d.example.net."), policy=Policy.WEIGHTED)
    alias = AliasTarget("Z2", parse_name("d.example.net."), evaluate_target_health=True)
    expected = (
        weighted("a", 255),
        RecordSet(NAME, "A", None, (), "x", Weighted(255), alias),
    )
    assert expected == rendered(unit)


def test_a_change_of_policy_is_one_change_of_the_whole_unit() -> None:
    """Weighted to simple leaves no weighted member behind."""
    unit = pool("a", "b", policy=Policy.SIMPLE)
    after = rendered(unit, (weighted("a", 255), weighted("b", 255)))
    assert [one.set_id for one in after] == [None]


def test_a_leftover_keeps_its_identifier() -> None:
    """A target that left the config and must wait keeps its record set as it is."""
    after = rendered(pool("a", "b"), multivalue("a", "b", "c", "d"))
    assert len(after) == 3
    assert set(after) < set(multivalue("a", "b", "c", "d"))


def test_a_leftover_whose_identifier_is_taken_gets_one_no_target_can_have() -> None:
    """The old address of a moved target stands beside the new one."""
    unit = pool(member("a", answer="198.51.100.1"), member("b", answer="198.51.100.2"))
    after = {one.set_id: one.values for one in rendered(unit, multivalue("a", "b"))}
    old = address("b")
    expected = {"a": ("198.51.100.1",), "b": ("198.51.100.2",), f"b~{old}": (old,)}
    assert expected == after


def test_leftovers_of_a_simple_name_get_identifiers() -> None:
    """From simple to multivalue, a value that must wait is a member of its own."""
    standing = (RecordSet(NAME, "A", 30, tuple(sorted(map(address, "abcd")))),)
    after = rendered(pool("a", "b"), standing)
    (extra,) = [one for one in after if one.set_id not in ("a", "b")]
    assert (f"former~{extra.values[0]}", Multivalue()) == (extra.set_id, extra.routing)


def test_an_alias_that_must_wait_keeps_the_unit_weighted() -> None:
    """One name and type has one policy, and an alias can only be weighted."""
    old = pool(
        *(alias_member(one, f"{one}.example.net.") for one in "wxyz"), policy=Policy.WEIGHTED
    )
    standing = rendered(old)
    after = rendered(pool("a", "b"), standing)
    assert sum(one.alias is not None for one in after) == 3
    assert {Weighted} == {type(one.routing) for one in after}


def test_ipv6_answers_aaaa() -> None:
    """The type is the unit's, the value in canonical text."""
    unit = pool(member("a", answer="2001:db8::10"), record_type="AAAA")
    expected = RecordSet(NAME, "AAAA", 30, ("2001:db8::10",), "a", Multivalue())
    assert (expected,) == rendered(unit)


def test_load_balancers_made_again_leave_no_name_that_is_too_long() -> None:
    """All of a pool have other names at once: those that must wait have identifiers of Route 53's
    length, each its own, and the name goes on."""
    ids = [f"{one}-{'i' * 60}" for one in "abcd"]
    was = [alias_member(one, f"old-{one[0]}-{'n' * 50}.elb.example.net.") for one in ids]
    now = [alias_member(one, f"new-{one[0]}-{'n' * 50}.elb.example.net.") for one in ids]
    standing = rendered(pool(*was, policy=Policy.WEIGHTED))
    there = rendered(pool(*now, policy=Policy.WEIGHTED), standing)
    assert len(there) > len(ids)
    assert len({one.set_id for one in there}) == len(there)
    assert [record_problems(one, NAME) for one in there] == [()] * len(there)
