"""Delegations below the apex: referrals, glue, and what stays ours."""

import pytest
from dns.rcode import NOERROR

from sandbox.dns.rdata import BadRdataError
from tests.unit.sandbox_dns.memory_zone import (
    NO_DATA,
    MemoryZone,
    Setting,
    addresses,
    alias,
    apex,
    ask,
    record,
    zone,
)

WWW = "www.example.com."

CUT = "child.example.com."
DELEGATED = (
    record(CUT, "NS", "ns1.child.example.com", "ns2.example.net", "NS3.example.com", ttl=600),
    record("ns1.child.example.com.", "A", "192.0.2.53"),
    record("ns1.child.example.com.", "AAAA", "2001:db8::53"),
    record("ns3.example.com.", "A", "192.0.2.54"),
    record("deep.child.example.com.", "A", "192.0.2.99"),
    record(CUT, "DS", "1 8 2 " + "ab" * 32),
    record(CUT, "TXT", '"hidden"'),
)


@pytest.mark.parametrize(
    ("name", "kind"),
    [(CUT, "A"), (CUT, "NS"), (CUT, "TXT"), ("deep.child.example.com.", "A"), ("a.b." + CUT, "DS")],
)
def test_names_at_and_below_a_cut_are_referred(name: str, kind: str) -> None:
    """The child's servers are named, without authority; what lies below a cut is never answered."""
    found = ask(name, kind, *DELEGATED)
    assert (found.rcode, found.authoritative, found.answer) == (NOERROR, False, ())
    assert [(rows.owner, rows.kind, rows.ttl_s) for rows in found.authority] == [(CUT, "NS", 600)]


def test_a_referral_carries_the_addresses_that_we_hold() -> None:
    """Glue for servers in this zone, at the cut or beside it; none for others."""
    found = ask(CUT, "A", *DELEGATED)
    assert [(rows.owner, rows.kind) for rows in found.additional] == [
        ("ns1.child.example.com.", "A"),
        ("ns1.child.example.com.", "AAAA"),
        ("ns3.example.com.", "A"),
    ]


def test_the_signer_of_a_delegation_is_answered_by_the_parent() -> None:
    """DS belongs to our side of the cut."""
    found = ask(CUT, "DS", *DELEGATED)
    assert (found.authoritative, found.answer[0].kind) == (True, "DS")


def test_the_highest_cut_decides() -> None:
    """A cut below a cut is the child's business."""
    found = ask("x.low." + CUT, "A", *DELEGATED, record("low." + CUT, "NS", "ns.example.net"))
    assert [rows.owner for rows in found.authority] == [CUT]


def test_a_cname_into_a_delegation_ends_in_the_referral() -> None:
    """The chain is ours and authoritative, the rest is the child's."""
    found = ask(WWW, "A", *DELEGATED, record(WWW, "CNAME", "deep.child.example.com"))
    assert (found.authoritative, len(found.answer)) == (True, 1)
    assert [(rows.owner, rows.kind) for rows in found.authority] == [(CUT, "NS")]


def test_a_damaged_delegation_is_bad_rdata() -> None:
    """A server that is no name is reported."""
    with pytest.raises(BadRdataError):
        ask(CUT, "A", record(CUT, "NS", "a..b"))


def test_a_dangling_alias_of_type_ns_refers_to_nobody() -> None:
    """A cut whose servers are gone is a name with nothing."""
    assert ask(CUT, "A", alias(CUT, "NS", "gone.example.com.")) == NO_DATA


def test_a_child_zone_of_ours_answers_instead_of_a_referral() -> None:
    """The longest zone answers, whatever the parent's NS set says."""
    child = MemoryZone(*apex(CUT), record("deep." + CUT, "A", "192.0.2.1"), name=CUT, zone_id="Z2")
    found = Setting((zone(*DELEGATED), child)).ask("deep." + CUT, "A")
    assert addresses(found) == ("192.0.2.1",)
