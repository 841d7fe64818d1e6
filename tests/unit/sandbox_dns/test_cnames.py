"""CNAMEs: followed to the end, out of our zones, in circles, into nothing."""

import pytest
from dns.rcode import NOERROR, NXDOMAIN

from sandbox.dns.answering import CHAIN_NAMES_MAX, Answer
from sandbox.dns.lookup import Rows
from sandbox.dns.rdata import BadRdataError
from tests.unit.sandbox_dns.memory_zone import (
    SOA_ROWS,
    MemoryZone,
    Setting,
    addresses,
    apex,
    ask,
    record,
    zone,
)

WWW = "www.example.com."


def test_a_cname_is_followed_to_the_end() -> None:
    """All links stand in the answer, in order."""
    found = ask(
        "a.example.com.",
        "A",
        record("a.example.com.", "CNAME", "B.Example.com", ttl=1),
        record("b.example.com.", "CNAME", "c.example.com", ttl=2),
        record("c.example.com.", "A", "192.0.2.1", ttl=3),
    )
    assert found.answer == (
        Rows("a.example.com.", "CNAME", 1, ("B.Example.com",)),
        Rows("b.example.com.", "CNAME", 2, ("c.example.com",)),
        Rows("c.example.com.", "A", 3, ("192.0.2.1",)),
    )


def test_a_question_for_the_cname_itself_is_not_followed() -> None:
    """CNAME asked, CNAME answered, and nothing said of its target."""
    rows = Rows(WWW, "CNAME", 300, ("gone.example.com",))
    expected = Answer(NOERROR, authoritative=True, answer=(rows,))
    assert expected == ask(WWW, "CNAME", record(WWW, "CNAME", "gone.example.com"))


def test_a_cname_out_of_our_zones_ends_the_answer() -> None:
    """The resolver goes on from there by itself: no error, no SOA."""
    found = ask(WWW, "A", record(WWW, "CNAME", "www.example.net."))
    rows = Rows(WWW, "CNAME", 300, ("www.example.net.",))
    assert Answer(NOERROR, authoritative=True, answer=(rows,)) == found


def test_a_cname_into_another_zone_of_ours_is_followed() -> None:
    """The zone of the target answers, with its own SOA when it says no."""
    other = MemoryZone(
        *apex("example.net."),
        record("www.example.net.", "A", "192.0.2.1"),
        name="example.net.",
        zone_id="Z2",
    )
    ours = zone(
        record("yes.example.com.", "CNAME", "www.example.net"),
        record("no.example.com.", "CNAME", "gone.example.net"),
    )
    asked = Setting((ours, other))
    assert addresses(asked.ask("yes.example.com.", "A")) == ("192.0.2.1",)
    assert [rows.owner for rows in asked.ask("no.example.com.", "A").authority] == ["example.net."]


def test_a_cname_to_a_missing_name_is_no_name() -> None:
    """RFC 6604: the code speaks of the last name of the chain."""
    found = ask(WWW, "A", record(WWW, "CNAME", "gone.example.com"))
    assert (found.rcode, len(found.answer), found.authority) == (NXDOMAIN, 1, (SOA_ROWS,))


def test_a_cname_to_a_name_without_the_type_is_no_data() -> None:
    """NOERROR with the chain and the SOA."""
    found = ask(
        WWW,
        "AAAA",
        record(WWW, "CNAME", "a.example.com"),
        record("a.example.com.", "A", "192.0.2.1"),
    )
    assert (found.rcode, len(found.answer), found.authority) == (NOERROR, 1, (SOA_ROWS,))


def test_cnames_in_a_circle_end() -> None:
    """Each name is visited once."""
    found = ask(
        "a.example.com.",
        "A",
        record("a.example.com.", "CNAME", "b.example.com"),
        record("b.example.com.", "CNAME", "a.example.com"),
    )
    assert (found.rcode, len(found.answer)) == (NOERROR, 2)


def test_a_wildcard_cname_to_below_itself_is_bounded() -> None:
    """A chain that makes a new name at each step ends at the bound."""
    links = [
        record(f"n{at}.example.com.", "CNAME", f"n{at + 1}.example.com")
        for at in range(CHAIN_NAMES_MAX + 5)
    ]
    found = ask("n0.example.com.", "A", *links)
    assert (found.rcode, len(found.answer)) == (NOERROR, CHAIN_NAMES_MAX)


def test_a_damaged_cname_is_bad_rdata() -> None:
    """A target that is no name is reported, not followed."""
    with pytest.raises(BadRdataError):
        ask(WWW, "A", record(WWW, "CNAME", "a..b"))


def test_a_weighted_cname_leads_one_way() -> None:
    """One query follows one branch."""
    branches = [record(WWW, "CNAME", f"{w}.example.com", set_id=str(w), weight=w) for w in (0, 10)]
    found = ask(WWW, "A", *branches, record("10.example.com.", "A", "192.0.2.10"))
    assert addresses(found) == ("192.0.2.10",)
    assert len(found.answer) == 2
