"""Packets that get no true answer: dropped, damaged, turned away, or spoilt by a fault."""

import dns.flags
import dns.message
import dns.name
import dns.opcode
import dns.rcode
import pytest

from sandbox.dns.faults import Fault
from sandbox.dns.packets import (
    HEADER,
    Dropped,
    DropReason,
    Reply,
    Transport,
    Trouble,
    respond,
)
from sandbox.route53.model import StoredRecordSet
from tests.unit.sandbox_dns.exchange import QUERY, WWW, authority, read, send
from tests.unit.sandbox_dns.memory_zone import record


@pytest.mark.parametrize("size", range(HEADER.size))
def test_a_packet_without_a_header_is_dropped(size: int) -> None:
    """There is no id to reply to."""
    outcome = respond(QUERY[:size], transport="udp", authority=authority())
    assert outcome == Dropped(DropReason.SHORT)


def test_a_reply_is_never_replied_to() -> None:
    """Two servers must not keep each other busy."""
    reply = send(QUERY).wire
    outcome = respond(reply, transport="udp", authority=authority())
    assert outcome == Dropped(DropReason.NOT_A_QUERY)


@pytest.mark.parametrize("opcode", [code for code in range(16) if code != dns.opcode.QUERY])
def test_other_operations_are_not_implemented(opcode: int) -> None:
    """NOTIMP with the same opcode, whatever follows the header."""
    flags = (opcode << 11) | dns.flags.RD
    wire = HEADER.pack(4711, flags, 1, 0, 0, 0) + b"whatever"
    expected = HEADER.pack(4711, dns.flags.QR | flags | dns.rcode.NOTIMP, 0, 0, 0, 0)
    assert Reply(expected, "NOTIMP") == send(wire)


@pytest.mark.parametrize(
    "wire",
    [
        QUERY[:-1],  # cut short
        QUERY[: HEADER.size],  # its question is missing
        QUERY + b"x",  # something trails
        HEADER.pack(1, 0, 0, 0, 0, 0),  # no question
        HEADER.pack(1, 0, 2, 0, 0, 0) + QUERY[12:33] * 2,  # two questions
        HEADER.pack(1, 0, 1, 0, 0, 0) + b"\xc0\x0c\0\1\0\1",  # a name that points at itself
        HEADER.pack(1, 0, 1, 0, 0, 0) + b"\x80a\0\0\1\0\1",  # a label of no known kind
        HEADER.pack(1, 0, 65535, 65535, 65535, 65535),  # counts of what is not there
    ],
    ids=["cut", "no-question", "trailing", "none", "two", "loop", "label", "counts"],
)
def test_a_damaged_packet_is_a_format_error(wire: bytes) -> None:
    """FORMERR for a header that can be read, with its id and nothing else."""
    identity, flags, *_ = HEADER.unpack_from(wire)
    reply = send(wire)
    expected = dns.flags.QR | (flags & dns.flags.RD) | dns.rcode.FORMERR
    assert HEADER.unpack(reply.wire) == (identity, expected, 0, 0, 0, 0)
    assert reply.trouble is Trouble.DAMAGED
    assert reply.detail


def test_a_signed_query_is_a_format_error() -> None:
    """We hold no keys."""
    query = dns.message.make_query(WWW, "A")
    query.use_tsig({dns.name.from_text("key."): b"secret"})
    assert send(query).rcode == "FORMERR"


@pytest.mark.parametrize(
    ("kind", "rcode"),
    [
        ("AXFR", "REFUSED"),
        ("IXFR", "REFUSED"),
        ("OPT", "FORMERR"),
        ("MAILB", "NOTIMP"),
        ("TSIG", "NOTIMP"),
        ("ANY", "NOERROR"),
    ],
)
@pytest.mark.parametrize("transport", ["udp", "tcp"])
def test_types_that_no_name_has_are_turned_away(
    kind: str, rcode: str, transport: Transport
) -> None:
    """No transfers, no meta types but ANY."""
    query = dns.message.make_query(WWW, kind)
    assert rcode == send(query, transport=transport).rcode


@pytest.mark.parametrize("rdclass", ["CH", "ANY", "NONE", "HS"])
def test_other_classes_are_refused(rdclass: str) -> None:
    """Nothing is told about the server itself."""
    query = dns.message.make_query(WWW, "TXT", rdclass)
    assert send(query).rcode == "REFUSED"


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("A", "not an address"),
        ("MX", "mail"),
        ("CAA", "0"),
        ("TXT", '"x'),
        ("CNAME", "a..b"),
        ("SRV", "1 2 3"),
        ("DS", "1 2"),
        ("SVCB", "x"),
        ("AAAA", "::g"),
        ("NS", ""),
    ],
)
def test_a_value_that_cannot_be_read_is_a_failure_of_that_answer(kind: str, value: str) -> None:
    """SERVFAIL, with the value kept for people; other answers are untouched."""
    bad = record("bad.example.com.", kind, value)
    reply = send(dns.message.make_query("bad.example.com", kind), bad)
    assert (reply.rcode, reply.trouble) == ("SERVFAIL", Trouble.BAD_RDATA)
    assert repr(value) in reply.detail
    assert send(QUERY, bad).rcode == "NOERROR"


def test_a_type_that_the_server_cannot_name_is_still_stored_beside_others() -> None:
    """An unknown type in a zone is an answer to nobody, and no crash."""
    odd = StoredRecordSet(WWW, "NOSUCHTYPE", 60, ("x",))
    assert send(QUERY, odd).rcode == "NOERROR"


def test_generic_rdata_reaches_the_wire() -> None:
    """A type without a name of its own is asked and answered by its number."""
    odd = record("odd.example.com.", "TYPE65280", r"\# 2 abcd")
    found = read(send(dns.message.make_query("odd.example.com", "TYPE65280"), odd))
    assert found.answer[0][0].to_text() == r"\# 2 abcd"


def outcome_with(fault: Fault, name: str = WWW) -> Reply | Dropped:
    """Set one fault and ask for a name."""
    server = authority()
    server.faults.set(name, fault)
    return respond(QUERY, transport="udp", authority=server)


@pytest.mark.parametrize(
    ("fault", "rcode"), [(Fault.SERVFAIL, "SERVFAIL"), (Fault.REFUSE, "REFUSED")]
)
def test_a_name_can_be_made_to_fail(fault: Fault, rcode: str) -> None:
    """The reply is the code alone, without authority."""
    outcome = outcome_with(fault)
    assert isinstance(outcome, Reply)
    found = read(outcome)
    assert (outcome.rcode, found.answer, found.flags & dns.flags.AA) == (rcode, [], 0)


def test_a_name_can_be_made_empty() -> None:
    """NOERROR, no answer, SOA: what October 2025 looked like."""
    outcome = outcome_with(Fault.EMPTY)
    assert isinstance(outcome, Reply)
    found = read(outcome)
    assert (outcome.rcode, found.answer, len(found.authority)) == ("NOERROR", [], 1)
    assert found.flags & dns.flags.AA


def test_a_name_can_be_made_silent() -> None:
    """No reply, and it is said why."""
    assert outcome_with(Fault.SILENCE) == Dropped(DropReason.SILENCED)


def test_a_fault_of_another_name_changes_nothing() -> None:
    """Only the name in the question counts."""
    outcome = outcome_with(Fault.SILENCE, "other.example.com")
    assert isinstance(outcome, Reply)
    assert len(read(outcome).answer) == 1
