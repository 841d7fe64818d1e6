"""Aliases: whose values, whose TTL, and what is left when the target is gone."""

from itertools import pairwise

import pytest
from dns.rcode import NOERROR

from sandbox.dns.lookup import Rows
from sandbox.dns.resolving import ALIAS_DEPTH_MAX, HEALTH_LOOKUPS_MAX, OUTSIDE_TTL_S
from sandbox.route53.model import StoredRecordSet
from tests.unit.sandbox_dns.memory_zone import (
    APEX,
    MemoryZone,
    Setting,
    Share,
    addresses,
    alias,
    record,
    zone,
)

WWW = "www.example.com."
API = "api.example.com."


def test_an_alias_answers_under_its_own_name_with_its_targets_ttl() -> None:
    """The asker cannot tell an alias from a record of its own."""
    asked = Setting((zone(alias(APEX, "A", API), record(API, "A", "192.0.2.1", ttl=17)),))
    found = asked.ask(APEX, "A")
    assert (Rows(APEX, "A", 17, ("192.0.2.1",)),) == found.answer
    assert found.authoritative


def test_an_alias_may_lead_to_another_zone_of_the_server() -> None:
    """The zone id decides where the target is looked up, not its name."""
    other = MemoryZone(
        record("lb.example.net.", "A", "192.0.2.7"), name="example.net.", zone_id="Z2"
    )
    asked = Setting((zone(alias(WWW, "A", "lb.example.net.", zone_id="Z2")), other))
    assert addresses(asked.ask(WWW, "A")) == ("192.0.2.7",)


def test_an_alias_into_a_private_zone_stays_hidden_in_the_public_view() -> None:
    """What only a VPC may see cannot be read through an alias."""
    inside = MemoryZone(
        record("db.example.net.", "A", "192.0.2.7"), name="example.net.", zone_id="Z2", private=True
    )
    zones = zone(alias(WWW, "A", "db.example.net.", zone_id="Z2")), inside
    assert addresses(Setting(zones).ask(WWW, "A")) == ()
    assert addresses(Setting(zones, view="private").ask(WWW, "A")) == ("192.0.2.7",)


def test_a_dangling_alias_answers_no_error_and_nothing() -> None:
    """The name exists and is empty: the failure of October 2025, not NXDOMAIN."""
    found = Setting((zone(alias(WWW, "A", API)),)).ask(WWW, "A")
    assert (found.rcode, found.answer) == (NOERROR, ())
    assert [rows.kind for rows in found.authority] == ["SOA"]


def test_no_wildcard_stands_in_for_a_missing_target() -> None:
    """An alias finds its target by the exact name."""
    asked = Setting((zone(alias(WWW, "A", API), record("\\052.example.com.", "A", "192.0.2.1")),))
    assert addresses(asked.ask(WWW, "A")) == ()


def test_an_alias_may_target_a_wildcard_by_its_own_name() -> None:
    """The wildcard's record set is a record set like others."""
    star = "\\052.example.com."
    asked = Setting((zone(alias(WWW, "A", star), record(star, "A", "192.0.2.1")),))
    assert addresses(asked.ask(WWW, "A")) == ("192.0.2.1",)


def test_an_alias_takes_only_its_own_type_from_the_target() -> None:
    """An A alias to a name with only AAAA is empty."""
    asked = Setting((zone(alias(WWW, "A", API), record(API, "AAAA", "2001:db8::1")),))
    assert addresses(asked.ask(WWW, "A")) == ()


def test_an_alias_to_a_policy_group_answers_as_the_group_does() -> None:
    """The target's policy is applied at the target."""
    group = [record(API, "A", f"192.0.2.{w}", set_id=str(w), weight=w) for w in (0, 5)]
    asked = Setting((zone(alias(WWW, "A", API), *group),))
    assert addresses(asked.ask(WWW, "A")) == ("192.0.2.5",)


def chain(length: int) -> MemoryZone:
    """Make aliases that lead one to the next, with values at the end."""
    names = [f"n{at}.example.com." for at in range(length + 1)]
    links = [alias(one, "A", following) for one, following in pairwise(names)]
    return zone(*links, record(names[-1], "A", "192.0.2.1"))


@pytest.mark.parametrize(("more", "expected"), [(0, ("192.0.2.1",)), (1, ())])
def test_chains_of_aliases_are_bounded(more: int, expected: tuple[str, ...]) -> None:
    """A chain of the longest allowed length answers, one longer is empty."""
    asked = Setting((chain(ALIAS_DEPTH_MAX + more),))
    assert expected == addresses(asked.ask("n0.example.com.", "A"))


def test_aliases_in_a_circle_are_empty() -> None:
    """Two aliases that point at each other end, with nothing."""
    loop = zone(alias(WWW, "A", API, evaluate=True), alias(API, "A", WWW, evaluate=True))
    assert addresses(Setting((loop,)).ask(WWW, "A")) == ()


def test_an_alias_outside_is_answered_from_the_table() -> None:
    """A load balancer's name resolves to what the table says, at a load balancer's TTL."""
    outside = {("lb-1.elb.amazonaws.com.", "A"): ("198.51.100.1", "198.51.100.2")}
    to = alias(APEX, "A", "lb-1.elb.amazonaws.com.", zone_id="ZELB", evaluate=True)
    found = Setting((zone(to),), outside=outside).ask(APEX, "A")
    assert (Rows(APEX, "A", OUTSIDE_TTL_S, ("198.51.100.1", "198.51.100.2")),) == found.answer


def test_an_alias_outside_the_table_is_empty() -> None:
    """What is not known is not made up."""
    to = alias(APEX, "A", "lb-2.elb.amazonaws.com.", zone_id="ZELB")
    assert addresses(Setting((zone(to),)).ask(APEX, "A")) == ()


def weighted_aliases(*, evaluate: bool) -> tuple[StoredRecordSet, ...]:
    """Make two equal branches, the first of which leads to the name `dead`."""
    return (
        alias(API, "A", "dead.example.com.", evaluate=evaluate, set_id="a", weight=1),
        record(API, "A", "192.0.2.2", set_id="b", weight=1),
    )


@pytest.mark.parametrize(("evaluate", "expected"), [(True, ("192.0.2.2",)), (False, ())])
def test_a_dangling_branch_is_passed_over_only_when_it_evaluates_its_target(
    evaluate: bool, expected: tuple[str, ...]
) -> None:
    """An alias that does not evaluate its target is healthy by definition, and answers nothing."""
    asked = Setting((zone(*weighted_aliases(evaluate=evaluate)),), jitter=Share(0.0))
    assert expected == addresses(asked.ask(API, "A"))


def test_a_branch_is_healthy_while_one_of_its_targets_is() -> None:
    """Of a target group, one healthy set is enough; with none the branch is passed over."""
    dead = [
        record("dead.example.com.", "A", f"192.0.2.1{at}", set_id=str(at), weight=1, check=str(at))
        for at in range(2)
    ]
    tree = zone(*weighted_aliases(evaluate=True), *dead)
    one_sick = Setting((tree,), jitter=Share(0.0), is_healthy=lambda check: check != "0")
    both_sick = Setting((tree,), jitter=Share(0.0), is_healthy=lambda _check: False)
    assert addresses(one_sick.ask(API, "A")) == ("192.0.2.11",)
    assert addresses(both_sick.ask(API, "A")) == ("192.0.2.2",)


def test_failover_leaves_a_primary_whose_target_is_gone() -> None:
    """An evaluated primary alias without a living target gives way to the secondary."""
    pair = (
        alias(API, "A", "dead.example.com.", evaluate=True, set_id="a", failover="PRIMARY"),
        record(API, "A", "192.0.2.2", set_id="b", failover="SECONDARY"),
    )
    assert addresses(Setting((zone(*pair),)).ask(API, "A")) == ("192.0.2.2",)


def test_an_alias_outside_with_nothing_known_is_healthy() -> None:
    """Unknown is healthy: the branch is drawn, as if the load balancer were up."""
    branches = (
        alias(API, "A", "lb.aws.", zone_id="ZELB", evaluate=True, set_id="a", weight=1),
        record(API, "A", "192.0.2.2", set_id="b", weight=1),
    )
    asked = Setting((zone(*branches),), jitter=Share(0.0))
    assert addresses(asked.ask(API, "A")) == ()


def test_a_sick_check_on_the_alias_itself_counts() -> None:
    """A health check stands beside an alias too."""
    sick = StoredRecordSet(
        API, "A", set_id="a", weight=1, health_check_id="sick", alias=alias(API, "A", WWW).alias
    )
    tree = zone(
        sick, record(API, "A", "192.0.2.2", set_id="b", weight=1), record(WWW, "A", "192.0.2.3")
    )
    asked = Setting((tree,), jitter=Share(0.0), is_healthy=lambda check: check != "sick")
    assert addresses(asked.ask(API, "A")) == ("192.0.2.2",)


def test_a_thicket_of_aliases_costs_a_bounded_number_of_lookups() -> None:
    """Groups that all evaluate each other are looked at once each, not once a path."""
    groups = [f"g{at}.example.com." for at in range(30)]
    thicket = zone(
        *(
            alias(one, "A", other, evaluate=True, set_id=f"{at:02}", weight=1)
            for one in groups
            for at, other in enumerate(groups)
        )
    )
    assert addresses(Setting((thicket,)).ask(groups[0], "A")) == ()
    assert thicket.questions <= HEALTH_LOOKUPS_MAX


def test_health_is_looked_up_only_so_often_for_one_question() -> None:
    """More branches than a question is worth: the rest count as unhealthy, and it still answers."""
    size = HEALTH_LOOKUPS_MAX + 50
    branches = [
        alias(API, "A", f"t{at}.example.com.", evaluate=True, set_id=f"{at:05}", weight=1)
        for at in range(size)
    ]
    targets = [record(f"t{at}.example.com.", "A", "192.0.2.1") for at in range(size)]
    tree = zone(*branches, *targets)
    assert addresses(Setting((tree,), jitter=Share(1.0)).ask(API, "A")) == ("192.0.2.1",)
    assert tree.questions <= HEALTH_LOOKUPS_MAX + 20


def test_an_alias_to_a_cname_is_a_cname() -> None:
    """A CNAME alias gives its target's target, and the answer goes on there."""
    asked = Setting(
        (
            zone(
                alias(WWW, "CNAME", API),
                record(API, "CNAME", "end.example.com", ttl=7),
                record("end.example.com.", "A", "192.0.2.1"),
            ),
        )
    )
    assert asked.ask(WWW, "A").answer == (
        Rows(WWW, "CNAME", 7, ("end.example.com",)),
        Rows("end.example.com.", "A", 300, ("192.0.2.1",)),
    )


def test_an_alias_to_a_cname_that_is_gone_is_empty() -> None:
    """A dangling CNAME alias leaves a name that exists."""
    found = Setting((zone(alias(WWW, "CNAME", API)),)).ask(WWW, "A")
    assert (found.rcode, found.answer) == (NOERROR, ())


def test_equal_values_of_a_group_stand_once_at_the_lowest_ttl() -> None:
    """One record set on the wire has one TTL and no value twice."""
    group = [
        record(API, "A", value, ttl=ttl, set_id=str(ttl), multivalue=True)
        for ttl, value in ((30, "192.0.2.1"), (20, "192.0.2.2"), (10, "192.0.2.1"))
    ]
    rows = Setting((zone(*group),)).ask(API, "A").answer[0]
    assert (rows.ttl_s, sorted(rows.values)) == (10, ["192.0.2.1", "192.0.2.2"])


def test_a_set_with_neither_values_nor_alias_is_empty() -> None:
    """A traffic policy's record set is kept, and answers nothing."""
    kept = StoredRecordSet(API, "A", other=(("TrafficPolicyInstanceId", "<x/>"),))
    assert addresses(Setting((zone(kept),)).ask(API, "A")) == ()
