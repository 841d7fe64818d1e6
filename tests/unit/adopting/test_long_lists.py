"""What an operator reads before an adoption, where a zone has more names than a list shows."""

from msgspec import structs

from dnsplan.records import OtherPolicy, unit_of
from runbooks.adopting.show import FINDINGS_SHOWN_MAX, adopt_lines, of_interest
from runbooks.adopting.survey import Finding, Match
from tests.fakes.world import World, a
from tests.unit.adopting.hands import names, prepared, stand


def finding(number: int, match: Match) -> Finding:
    """One name of a large zone."""
    one = a(f"h{number:04d}.example.com", "192.0.2.1")
    return Finding(unit_of(one), match, (one,), (one,))


def test_what_would_change_is_never_hidden_behind_what_stays() -> None:
    """All that differs is shown first, by name; the rest is counted."""
    equal = [finding(n, Match.EQUAL) for n in range(500)]
    other = [finding(600, Match.MISSING), finding(700, Match.DIFFERENT)]
    shown, left = of_interest([*equal, *other])
    assert [one.match for one in shown[:3]] == [Match.MISSING, Match.DIFFERENT, Match.EQUAL]
    assert (len(shown), left) == (FINDINGS_SHOWN_MAX, "302 more, 302 of them equal")


def test_a_short_list_stays_in_the_order_of_names() -> None:
    """Nothing is left out of it."""
    found = [finding(1, Match.EQUAL), finding(2, Match.MISSING)]
    assert of_interest(found) == (found, "")


async def test_a_traffic_policy_is_no_nothing_and_goes_on_by_itself() -> None:
    """Its record has no value in the zone, and Route 53 keeps what made it."""
    world, there = World(), a("www.example.com", "192.0.2.1")
    stand(world, there)
    policy = OtherPolicy('{"TrafficPolicyInstanceId":"12131415-abac"}')
    made = structs.replace(there, ttl_s=None, values=(), routing=policy)
    found = Finding(unit_of(made), Match.DIFFERENT, (made,), (there,))
    line = list(adopt_lines(await prepared(world, names(there)), [found]))[1]
    assert line == (
        'shop ~ www.example.com. A traffic policy {"TrafficPolicyInstanceId":"12131415-abac"}:'
        " planned: 192.0.2.1 ttl 60; delete the traffic policy instance in Route 53 then, or both"
        " write the name"
    )
