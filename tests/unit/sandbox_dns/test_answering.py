"""Questions and answers: a zone's own names, the two kinds of no, views and cost."""

import pytest
from dns.rcode import NOERROR, NXDOMAIN, REFUSED
from hypothesis import given
from hypothesis import strategies as st

from sandbox.dns.answering import Answer, Question, no_data
from sandbox.dns.lookup import ANY_ANSWER, Rows
from sandbox.dns.rdata import BadRdataError
from tests.unit.sandbox_dns.memory_zone import (
    APEX,
    NO_DATA,
    NO_NAME,
    SERVERS,
    SOA,
    MemoryZone,
    Setting,
    Share,
    addresses,
    alias,
    apex,
    ask,
    record,
    zone,
)

WWW = "www.example.com."


def test_a_name_answers_with_its_values() -> None:
    """A simple record set is answered whole, with authority."""
    expected = Answer(
        NOERROR, authoritative=True, answer=(Rows(WWW, "A", 300, ("192.0.2.1", "192.0.2.2")),)
    )
    assert expected == ask(WWW, "A", record(WWW, "A", "192.0.2.1", "192.0.2.2"))


def test_the_values_of_one_set_come_in_an_order_of_chance() -> None:
    """Another chance, another order; the values stay the same."""
    held = zone(record(WWW, "A", "192.0.2.1", "192.0.2.2", "192.0.2.3"))
    orders = [
        addresses(Setting((held,), jitter=Share(share)).ask(WWW, "A")) for share in (0.0, 1.0)
    ]
    assert orders[0] != orders[1]
    assert sorted(orders[0]) == sorted(orders[1])


def test_the_apex_answers_its_own_sets() -> None:
    """SOA and NS of the apex are answers, not a referral, and keep their own TTL."""
    assert ask(APEX, "SOA").answer == (Rows(APEX, "SOA", 900, (SOA,)),)
    found = ask(APEX, "NS")
    assert (Rows(APEX, "NS", 172_800, SERVERS),) == found.answer
    assert found.authoritative


def test_a_name_without_the_type_is_no_data() -> None:
    """The name exists: NOERROR, no answer, SOA."""
    assert ask(WWW, "AAAA", record(WWW, "A", "192.0.2.1")) == NO_DATA


def test_a_name_that_is_not_there_is_no_name() -> None:
    """NXDOMAIN, with the SOA at the lesser of its TTL and its minimum."""
    assert ask("nope.example.com.", "A") == NO_NAME


@pytest.mark.parametrize(
    ("ttl", "minimum", "expected"), [(900, 86_400, 900), (900, 60, 60), (0, 60, 0)]
)
def test_a_no_may_be_kept_for_the_lesser_of_both(ttl: int, minimum: int, expected: int) -> None:
    """RFC 2308: the TTL of the SOA in a negative answer is the time the no may be cached."""
    soa = record(APEX, "SOA", f"ns.x. h.x. 1 2 3 4 {minimum}", ttl=ttl)
    found = Setting((MemoryZone(soa),)).ask("nope.example.com.", "A")
    assert [rows.ttl_s for rows in found.authority] == [expected]


def test_a_zone_without_soa_still_says_no() -> None:
    """Nothing in a damaged zone raises for want of an SOA."""
    found = Setting((MemoryZone(),)).ask("nope.example.com.", "A")
    assert Answer(NXDOMAIN, authoritative=True) == found


def test_a_damaged_soa_is_bad_rdata() -> None:
    """An SOA that cannot be read is reported as such."""
    broken = MemoryZone(record(APEX, "SOA", "nonsense"))
    with pytest.raises(BadRdataError):
        Setting((broken,)).ask("nope.example.com.", "A")


def test_a_foreign_name_is_refused() -> None:
    """We know nothing of other zones, and do not claim to."""
    expected = Answer(REFUSED, authoritative=False)
    assert expected == ask("www.example.net.", "A")
    assert expected == ask(".", "NS")


def test_any_is_answered_with_as_little_as_possible() -> None:
    """One made-up record set, whatever the name holds (RFC 8482)."""
    found = ask(WWW, "ANY", record(WWW, "A", "192.0.2.1"), record(WWW, "TXT", '"x"'))
    assert (Rows(WWW, "HINFO", ANY_ANSWER.ttl_s, ANY_ANSWER.values),) == found.answer


def test_any_of_a_cname_is_the_cname() -> None:
    """It is not followed: a resolver asked for what is here."""
    found = ask(
        WWW, "ANY", record(WWW, "CNAME", "a.example.com"), record("a.example.com.", "A", "1")
    )
    assert [rows.kind for rows in found.answer] == ["CNAME"]


def test_any_says_no_as_every_type_does() -> None:
    """Missing names, empty names and dangling CNAME aliases are told apart."""
    assert ask("nope.example.com.", "ANY") == NO_NAME
    assert ask("b.example.com.", "ANY", record("a.b.example.com.", "A", "192.0.2.1")) == NO_DATA
    assert ask(WWW, "ANY", alias(WWW, "CNAME", "gone.example.com.")) == NO_DATA


def test_private_and_public_zones_of_one_name_stand_side_by_side() -> None:
    """Each view answers from its own, and a name missing inside is not looked up outside."""
    public = zone(record(WWW, "A", "192.0.2.1"), record("out.example.com.", "A", "192.0.2.2"))
    inside = MemoryZone(*apex(), record(WWW, "A", "10.0.0.1"), zone_id="ZI", private=True)
    zones = (public, inside)
    assert addresses(Setting(zones).ask(WWW, "A")) == ("192.0.2.1",)
    private = Setting(zones, view="private")
    assert addresses(private.ask(WWW, "A")) == ("10.0.0.1",)
    assert private.ask("out.example.com.", "A").rcode == NXDOMAIN


def test_no_data_can_be_said_of_any_name_of_ours() -> None:
    """It looks like an empty name, also for a name that has records; others are refused."""
    around = Setting((zone(record(WWW, "A", "192.0.2.1")),)).surroundings()
    assert no_data(Question(WWW, "A"), around) == NO_DATA
    assert no_data(Question("x.", "A"), around) == Answer(REFUSED, authoritative=False)


@given(st.integers(1, 12), st.sampled_from([1, 10, 1_000]))
def test_the_cost_of_an_answer_depends_on_labels_not_on_the_zone(depth: int, size: int) -> None:
    """A question looks at a few names for each of its labels, however many names there are."""
    big = zone(*(record(f"n{at}.example.com.", "A", "192.0.2.1") for at in range(size)))
    Setting((big,)).ask("x." * depth + APEX, "A")
    assert big.questions <= 5 * (depth + 2)
