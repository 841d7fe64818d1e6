"""Packets that can be answered: flags, spelling, EDNS and size."""

import dns.edns
import dns.flags
import dns.message
import dns.rcode
import dns.rdatatype
import pytest

from sandbox.dns.packets import (
    UDP_BYTES_MAX,
    Trouble,
)
from tests.unit.sandbox_dns.exchange import QUERY, WWW, many, read, send
from tests.unit.sandbox_dns.memory_zone import record


def test_a_reply_answers_its_query() -> None:
    """Same id, RD copied, AA set, RA clear, NOERROR."""
    query = dns.message.make_query(WWW, "A", use_edns=-1)
    found = read(send(query))
    assert found.id == query.id
    assert found.flags == dns.flags.QR | dns.flags.AA | dns.flags.RD
    assert found.rcode() == dns.rcode.NOERROR
    assert [rrset.to_text() for rrset in found.answer] == [
        f"{WWW} 300 IN A 192.0.2.1\n{WWW} 300 IN A 192.0.2.2"
    ]


def test_recursion_that_was_not_wanted_is_not_echoed() -> None:
    """RD is the asker's own bit."""
    query = dns.message.make_query(WWW, "A", flags=0)
    assert read(send(query)).flags == dns.flags.QR | dns.flags.AA


def test_the_askers_spelling_comes_back() -> None:
    """Resolvers mix case to be harder to deceive: question and owner keep it to the letter."""
    found = read(send(QUERY))
    assert found.question[0].name.labels == (b"wWw", b"eXample", b"com", b"")
    assert found.answer[0].name.labels == (b"wWw", b"eXample", b"com", b"")


def test_the_order_of_values_is_the_one_drawn() -> None:
    """No chance but the one passed in decides an order."""
    assert len({send(QUERY).wire for _ in range(20)}) == 1


def test_a_no_carries_the_soa() -> None:
    """Negative answers can be cached."""
    found = read(send(dns.message.make_query("nope.example.com", "A")))
    assert found.rcode() == dns.rcode.NXDOMAIN
    assert [(rrset.rdtype, rrset.ttl) for rrset in found.authority] == [(dns.rdatatype.SOA, 60)]


def test_a_foreign_name_is_refused_without_authority() -> None:
    """REFUSED, and not AA."""
    found = read(send(dns.message.make_query("www.example.net", "A", use_edns=-1)))
    assert found.rcode() == dns.rcode.REFUSED
    assert not found.flags & dns.flags.AA


@pytest.mark.parametrize(
    ("edns", "payload", "size_max"),
    [
        (-1, 0, 512),  # no EDNS
        (0, 0, 512),
        (0, 512, 512),
        (0, 900, 900),
        (0, 1232, 1232),
        (0, 4096, UDP_BYTES_MAX),
        (0, 65535, UDP_BYTES_MAX),
    ],
)
@pytest.mark.parametrize("size", [5, 25, 28, 29, 30, 40, 52, 53, 70, 75, 76, 80, 400])
def test_a_udp_reply_is_whole_or_truncated(
    edns: int, payload: int, size_max: int, size: int
) -> None:
    """Within the size that the asker takes, all values come; else none and TC is set."""
    query = dns.message.make_query("many.example.com", "A", use_edns=edns, payload=payload)
    reply = send(query, many(size))
    found = read(reply)
    whole = len(send(query, many(size), transport="tcp").wire)
    assert len(reply.wire) <= size_max
    if whole <= size_max:
        assert (len(found.answer[0]), found.flags & dns.flags.TC) == (size, 0)
    else:
        assert (found.answer, found.flags & dns.flags.TC) == ([], dns.flags.TC)
        assert found.flags & dns.flags.AA
        assert found.rcode() == dns.rcode.NOERROR


def test_tcp_gives_the_whole_answer() -> None:
    """Four hundred values, no TC."""
    found = read(send(dns.message.make_query("many.example.com", "A"), many(400), transport="tcp"))
    assert (len(found.answer[0]), found.flags & dns.flags.TC) == (400, 0)


def test_an_answer_too_big_for_any_packet_is_a_failure() -> None:
    """Over 65,535 bytes there is no packet: SERVFAIL on TCP, and the reason is kept."""
    huge = record("huge.example.com.", "TXT", *(f'"{n:03}{"x" * 250}"' for n in range(300)))
    reply = send(dns.message.make_query("huge.example.com", "TXT"), huge, transport="tcp")
    assert (reply.rcode, reply.trouble) == ("SERVFAIL", Trouble.TOO_BIG)
    assert "huge.example.com" in reply.detail


def test_edns_is_answered_with_edns() -> None:
    """Version 0, our own size, DO copied; and no EDNS where none was sent."""
    found = read(send(dns.message.make_query(WWW, "A", use_edns=0, want_dnssec=True)))
    assert (found.edns, found.payload, found.ednsflags) == (0, UDP_BYTES_MAX, dns.flags.DO)
    assert read(send(dns.message.make_query(WWW, "A", use_edns=0))).ednsflags == 0
    assert read(send(dns.message.make_query(WWW, "A", use_edns=-1))).edns == -1


def test_edns_of_another_version_is_refused() -> None:
    """BADVERS, with the version that we know and no answer."""
    found = read(send(dns.message.make_query(WWW, "A", use_edns=1)))
    assert (found.rcode(), found.edns, found.answer) == (dns.rcode.BADVERS, 0, [])


def test_options_are_ignored_and_not_echoed() -> None:
    """Cookies, client subnets and padding change nothing."""
    options = [
        dns.edns.GenericOption(dns.edns.OptionType.COOKIE, b"12345678"),
        dns.edns.ECSOption("198.51.100.0", 24),
        dns.edns.GenericOption(dns.edns.OptionType.PADDING, bytes(40)),
    ]
    found = read(send(dns.message.make_query(WWW, "A", use_edns=0, options=options)))
    assert (found.options, len(found.answer)) == ((), 1)
