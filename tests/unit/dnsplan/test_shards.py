"""Shards by name, and a pool's answers as they are seen through its shards."""

import pytest

from dnsplan.guardrails import FLOOR, Limits, judge
from dnsplan.names import Name, parse_name
from dnsplan.plan import NameLedger, Plan
from dnsplan.records import AliasTarget, Multivalue, RecordSet, Weighted
from dnsplan.shards import (
    seen_through,
    shard_name,
    sharded_name,
    shards_at,
    whole_pools,
    why_unshardable,
)
from dnsplan.velocity import VelocityLimit
from tests.unit.planner.cases import NOW_S, plan

API = parse_name("api.example.com.")


def alias(index: int, *, name: Name = API, weight: int = 100) -> RecordSet:
    """The pool's name leads to one of its shards."""
    target = AliasTarget("Z1", shard_name(name, index), evaluate_target_health=False)
    return RecordSet(name, "A", None, (), f"shard-{index}", Weighted(weight), target)


def member(index: int, value: str, *, name: Name = API) -> RecordSet:
    """One answer at a shard."""
    return RecordSet(shard_name(name, index), "A", 30, (value,), value, Multivalue())


@pytest.mark.parametrize(
    ("name", "shard"),
    [
        ("api.example.com.", "_dnsplan-shard-3.api.example.com."),
        ("example.com.", "_dnsplan-shard-3.example.com."),
        ("*.example.com.", "_dnsplan-shard-any-3.example.com."),
    ],
)
def test_a_shards_name_leads_back_to_its_pools_name(name: str, shard: str) -> None:
    """A shard stands right below its name; a wildcard's beside it, since a `*` stands first."""
    made = shard_name(parse_name(name), 3)
    assert (shard, parse_name(name)) == (made, sharded_name(made))


@pytest.mark.parametrize(
    "name", ["api.example.com.", "_dnsplan.example.com.", "_dnsplan-shard-x.api.example.com."]
)
def test_other_names_are_no_shards(name: str) -> None:
    """The fence is none, and a number makes the shard."""
    assert sharded_name(parse_name(name)) is None


def test_a_pools_answers_are_those_of_its_shards() -> None:
    """Aliases are never counted; a shard that is not there answers nothing."""
    units = {
        (API, "A"): (alias(0), alias(1), alias(2)),
        (shard_name(API, 0), "A"): (member(0, "192.0.2.1"), member(0, "192.0.2.2")),
        (shard_name(API, 1), "A"): (member(1, "192.0.2.3"),),
    }
    seen = seen_through(units, (API, "A"))
    assert {API} == {one.name for one in seen}
    assert {"192.0.2.1", "192.0.2.2", "192.0.2.3"} == {one.values[0] for one in seen}


def test_a_shard_without_weight_is_not_heard() -> None:
    """An alias of weight 0 leads nobody there while another has weight."""
    aliases = (alias(0, weight=0), alias(1))
    assert (shard_name(API, 1),) == shards_at(API, aliases)


def test_an_alias_to_another_names_shard_is_an_alias_like_any() -> None:
    """Only a name's own shards are its answers."""
    other = parse_name("www.example.com.")
    led = RecordSet(other, "A", None, (), None, None, AliasTarget("Z1", shard_name(API, 0), False))
    assert (led,) == seen_through({(other, "A"): (led,)}, (other, "A"))


def test_a_shards_change_is_judged_with_its_name_and_its_other_shards() -> None:
    """From one shard to its name, and from that to all that it leads to, in either content."""
    shards = [shard_name(API, index) for index in range(3)]
    content = [alias(0), alias(1), member(1, "192.0.2.1")]
    names, there, wanted = whole_pools({shards[0]}, content, [alias(2)])
    assert {*shards, API} == names
    assert ({(API, "A"), (shards[1], "A")}, {(API, "A")}) == ({*there}, {*wanted})


def test_a_name_that_cannot_be_spread_says_why() -> None:
    """Aliases need the zone's id, and a shard's name must fit."""
    long = parse_name(".".join(["a" * 60] * 4))
    assert why_unshardable(API, "Z1") is None
    assert "state the zone's id" in (why_unshardable(API, None) or "")
    assert "too long" in (why_unshardable(long, "Z1") or "")


def pool_plan(*sizes: int) -> Plan:
    """A pool whose shards hold so many targets each, 100 in all."""
    content = [alias(index) for index in range(len(sizes))]
    for index, size in enumerate(sizes):
        content.extend(member(index, f"10.0.{index}.{number}") for number in range(size))
    ledger = (NameLedger(API, "A", 100, 100, ()),)
    return plan(*content, ledger=ledger, created_s=NOW_S)


@pytest.mark.parametrize(("left", "rules"), [(30, []), (29, [FLOOR])])
def test_the_floor_counts_all_shards_though_one_alone_changes(left: int, rules: list[str]) -> None:
    """Eighty of a hundred must stay, whichever shard they are in."""
    limits = Limits(VelocityLimit(min_targets=80, max_removed_share=1.0, window_s=60))
    before, after = pool_plan(50, 50), pool_plan(50, left)
    found = judge(before.content, after, limits, standing_since_s=NOW_S)
    assert rules == [one.rule for one in found]
