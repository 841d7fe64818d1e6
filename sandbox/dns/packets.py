"""Turn the bytes of one query into the bytes of its reply, or into nothing.

Pure, apart from the faults a test has set. No bytes may raise: a packet whose header can be read
and that asks something gets an error reply, anything else is dropped with its reason.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from struct import Struct
from typing import Literal, assert_never

import dns.exception
import dns.flags
import dns.message
import dns.opcode
import dns.rcode
import dns.rdataclass
import dns.rdatatype
import dns.rrset

from sandbox.dns.answering import Answer, Question, answer, no_data
from sandbox.dns.faults import Fault, Faults
from sandbox.dns.lookup import Rows
from sandbox.dns.rdata import BadRdataError, rdata
from sandbox.dns.resolving import Place, Surroundings
from sandbox.dns.routing import Jitter
from sandbox.dns.wire_names import listed, on_the_wire
from sandbox.dns.zones import View, Zone, directory

HEADER = Struct("!HHHHHH")
UDP_BYTES_PLAIN = 512  # RFC 1035: what any asker can take, also one that says nothing
UDP_BYTES_MAX = 1_232  # fits any path without fragments (DNS flag day 2020)
TCP_BYTES_MAX = 65_535
TRANSFERS = (dns.rdatatype.AXFR, dns.rdatatype.IXFR)

Transport = Literal["udp", "tcp"]


class DropReason(StrEnum):
    """Why a packet gets no reply."""

    SHORT = "short"  # no whole header: there is nobody to answer
    NOT_A_QUERY = "not_a_query"  # answering a reply could start a loop between two servers
    SILENCED = "silenced"  # a fault was set


class Trouble(StrEnum):
    """What kept a good question from its true answer."""

    DAMAGED = "damaged"
    BAD_RDATA = "bad_rdata"
    TOO_BIG = "too_big"
    DEFECT = "defect"  # a mistake of this server; never seen unless there is one


@dataclass(frozen=True, slots=True)
class Reply:
    """What to send back. `detail` names the value behind the trouble, for people."""

    wire: bytes
    rcode: str
    trouble: Trouble | None = None
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Dropped:
    """Nothing is sent back."""

    reason: DropReason


@dataclass(frozen=True, slots=True)
class Authority:
    """What one server is authoritative for, and how it sees it."""

    zones: Callable[[], Iterable[Zone]]
    view: View
    jitter: Jitter
    outside: Mapping[Place, tuple[str, ...]]
    is_healthy: Callable[[str], bool]
    faults: Faults = field(default_factory=Faults)

    def surroundings(self) -> Surroundings:
        """Look at the zones as they are now."""
        seen = directory(self.zones(), self.view)
        return Surroundings(seen, self.jitter, self.outside, self.is_healthy)


def respond(packet: bytes, *, transport: Transport, authority: Authority) -> Reply | Dropped:
    """Reply to one packet."""
    if len(packet) < HEADER.size:
        return Dropped(DropReason.SHORT)
    flags = HEADER.unpack_from(packet)[1]
    if flags & dns.flags.QR:
        return Dropped(DropReason.NOT_A_QUERY)
    if dns.opcode.from_flags(flags) != dns.opcode.QUERY:
        return bare(packet, dns.rcode.NOTIMP)
    try:
        query = dns.message.from_wire(packet)
    except (dns.exception.DNSException, ValueError) as damage:
        return bare(packet, dns.rcode.FORMERR, Trouble.DAMAGED, repr(damage))
    if len(query.question) != 1:
        return bare(packet, dns.rcode.FORMERR, Trouble.DAMAGED, "not exactly one question")
    return reply_to(query, transport, authority)


def bare(
    packet: bytes, rcode: dns.rcode.Rcode, trouble: Trouble | None = None, detail: str = ""
) -> Reply:
    """Reply with a header alone, to a packet whose rest cannot or need not be read."""
    identity, flags, *_ = HEADER.unpack_from(packet)
    kept = flags & (0x7800 | dns.flags.RD)  # opcode and RD are the asker's
    wire = HEADER.pack(identity, dns.flags.QR | kept | rcode, 0, 0, 0, 0)
    return Reply(wire, dns.rcode.to_text(rcode), trouble, detail)


def reply_to(
    query: dns.message.Message, transport: Transport, authority: Authority
) -> Reply | Dropped:
    """Reply to a packet that could be read."""
    size_max = TCP_BYTES_MAX
    if transport == "udp":  # without EDNS the payload is 0, and 512 bytes are always allowed
        size_max = max(UDP_BYTES_PLAIN, min(query.payload, UDP_BYTES_MAX))
    refusal = unanswerable(query)
    if refusal is not None:
        return render(query, Answer(refusal, authoritative=False), size_max)
    asked = query.question[0]
    question = Question(listed(asked.name), dns.rdatatype.to_text(asked.rdtype))
    try:
        found = answer_or_fault(question, authority)
        if found is None:
            return Dropped(DropReason.SILENCED)
        return fit(query, found, size_max, transport)
    except BadRdataError as bad:
        return failure(query, Trouble.BAD_RDATA, str(bad))


def fit(query: dns.message.Message, found: Answer, size_max: int, transport: Transport) -> Reply:
    """Write an answer, or send the asker to TCP; half an answer would only be thrown away."""
    try:
        return render(query, found, size_max)
    except dns.exception.TooBig:
        if transport == "tcp":
            return failure(query, Trouble.TOO_BIG, query.question[0].to_text())
    return render(query, Answer(found.rcode, found.authoritative), size_max, truncated=True)


def unanswerable(query: dns.message.Message) -> dns.rcode.Rcode | None:
    """Say with which code a question is turned away before any zone is looked at, or None."""
    asked = query.question[0]
    if query.edns > 0:
        return dns.rcode.BADVERS
    if asked.rdclass != dns.rdataclass.IN or asked.rdtype in TRANSFERS:
        return dns.rcode.REFUSED
    if asked.rdtype == dns.rdatatype.OPT:
        return dns.rcode.FORMERR
    if dns.rdatatype.is_metatype(asked.rdtype) and asked.rdtype != dns.rdatatype.ANY:
        return dns.rcode.NOTIMP
    return None


def answer_or_fault(question: Question, authority: Authority) -> Answer | None:
    """Answer truly, or as a fault that was set wants it; None is silence."""
    match authority.faults.of(question.name):
        case None:
            return answer(question, authority.surroundings())
        case Fault.SILENCE:
            return None
        case Fault.SERVFAIL:
            return Answer(dns.rcode.SERVFAIL, authoritative=False)
        case Fault.REFUSE:
            return Answer(dns.rcode.REFUSED, authoritative=False)
        case Fault.EMPTY:
            return no_data(question, authority.surroundings())
        case unknown:
            assert_never(unknown)


def failure(query: dns.message.Message, trouble: Trouble, detail: str) -> Reply:
    """Say that we could not answer, and keep why."""
    reply = render(query, Answer(dns.rcode.SERVFAIL, authoritative=False), UDP_BYTES_PLAIN)
    return Reply(reply.wire, reply.rcode, trouble, detail)


def render(
    query: dns.message.Message, found: Answer, size_max: int, *, truncated: bool = False
) -> Reply:
    """Write an answer as a packet; what does not fit is an error for the caller to settle."""
    message = dns.message.make_response(query, our_payload=UDP_BYTES_MAX, pad=0)
    message.set_rcode(found.rcode)
    message.flags |= dns.flags.AA if found.authoritative else 0
    message.flags |= dns.flags.TC if truncated else 0
    if query.ednsflags & dns.flags.DO:
        message.ednsflags |= dns.flags.DO  # RFC 3225: copied, signed or not
    message.answer = [row_set(rows) for rows in found.answer]
    message.authority = [row_set(rows) for rows in found.authority]
    message.additional = [row_set(rows) for rows in found.additional]
    # Order was drawn by the jitter that was passed in; dnspython would draw again by its own.
    wire = message.to_wire(max_size=size_max, want_shuffle=False)
    return Reply(wire, dns.rcode.to_text(found.rcode))


def row_set(rows: Rows) -> dns.rrset.RRset:
    """Read one record set. On the wire its name points into the question, spelled as asked."""
    values = [rdata(rows.kind, value) for value in rows.values]
    return dns.rrset.from_rdata_list(on_the_wire(rows.owner), rows.ttl_s, values)
