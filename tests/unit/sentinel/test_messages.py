"""Questions and replies as bytes: the flags that a resolver goes by, and why it failed."""

import dns.edns
import dns.flags
import dns.message
import dns.rcode

from dnsplan.names import Name
from sentinel.adapters.messages import ID_BYTES, query_without_id, read_reply
from sentinel.ports import ROOT, Question
from sentinel.rules.findings import Reply

WWW = Name("www.example.com.")


def asked(question: Question) -> dns.message.Message:
    """What a server reads."""
    return dns.message.from_wire(b"\0\0" + query_without_id(question))


def test_a_question_says_what_it_wants_of_a_resolver() -> None:
    """Nothing of the zone's own servers; recursion, and signatures unchecked only where stated."""
    flags = [
        asked(Question(WWW, "A", recursive, unchecked)).flags & (dns.flags.RD | dns.flags.CD)
        for recursive, unchecked in ((False, False), (True, False), (True, True))
    ]
    assert flags == [0, dns.flags.RD, dns.flags.RD | dns.flags.CD]


def test_the_root_can_be_asked_for() -> None:
    """It has no labels."""
    (row,) = asked(Question(ROOT, "NS", recursive=True)).question
    assert row.name.to_text() == "."


def test_a_failure_tells_its_reasons_where_the_server_does() -> None:
    """By the names of their codes; its own text is a stranger's, and is left out."""
    reply = dns.message.make_response(dns.message.make_query(WWW, "A", use_edns=True))
    reply.set_rcode(dns.rcode.SERVFAIL)
    codes = (dns.edns.EDECode.DNSSEC_BOGUS, dns.edns.EDECode.NO_REACHABLE_AUTHORITY)
    reply.use_edns(0, options=[dns.edns.EDEOption(code, "\x1b[31m") for code in codes])
    found = read_reply(reply.to_wire()[ID_BYTES:])
    assert found == Reply(
        "SERVFAIL", authoritative=False, extended="dnssec bogus, no reachable authority"
    )
