"""DNS messages in our words, both ways. No bytes of a reply may raise anything but Unreadable.

The same question gives the same reply nearly always, so what was read is kept: reading one costs
more than all the rest of a look.
"""

import struct
from functools import lru_cache

import dns.edns
import dns.exception
import dns.flags
import dns.message
import dns.name
import dns.rcode
import dns.rdataclass
import dns.rdatatype
import dns.rrset

from dnsplan.errors import InvalidName
from dnsplan.names import Name, from_labels, to_labels
from sentinel.ports import ROOT, Question
from sentinel.rules.findings import CNAME, NS, Reply, Row

HEADER = struct.Struct("!HHHHHH")
ID_BYTES = 2
# Fits any path without fragments (DNS flag day 2020).
UDP_BYTES_MAX = 1_232
# Thousands of names with a handful of replies each, at a few hundred bytes.
REPLIES_KEPT = 16_384

# Extended errors of one reply that are shown.
EXTENDED_MAX = 3

_QUESTION_FIXED = struct.Struct("!HH")
# An OPT record: root name, type 41, payload size, no flags, no options.
_OPT = b"\0" + struct.pack("!HHIH", 41, UDP_BYTES_MAX, 0, 0)


class Unreadable(Exception):
    """Bytes that are no reply to our question."""


@lru_cache(maxsize=REPLIES_KEPT)
def query_without_id(question: Question) -> bytes:
    """The bytes of a query after its id."""
    flags = int(dns.flags.RD) if question.recursive else 0
    flags |= int(dns.flags.CD) if question.unchecked else 0
    kind = dns.rdatatype.from_text(question.type)
    header = HEADER.pack(0, flags, 1, 0, 0, 1)[ID_BYTES:]
    name = b"".join(bytes([len(label)]) + label for label in _labels(question.name)) + b"\0"
    return header + name + _QUESTION_FIXED.pack(kind, dns.rdataclass.IN) + _OPT


def answers_question(reply: bytes, query: bytes) -> bool:
    """Whether this is a reply to that query (both with their ids): same id and question.

    A server that cannot read or refuses a query may leave its question out.
    """
    if len(reply) < HEADER.size or reply[:ID_BYTES] != query[:ID_BYTES]:
        return False
    flags, questions = struct.unpack_from("!HH", reply, ID_BYTES)
    if not flags & dns.flags.QR:
        return False
    if questions == 0:
        return bool(flags & 0xF)
    asked = query[HEADER.size : -len(_OPT)]
    return reply[HEADER.size : HEADER.size + len(asked)].lower() == asked.lower()


def is_truncated(reply: bytes) -> bool:
    """Whether the rest is to be had over TCP."""
    return bool(struct.unpack_from("!H", reply, ID_BYTES)[0] & dns.flags.TC)


@lru_cache(maxsize=REPLIES_KEPT)
def read_reply(reply_without_id: bytes) -> Reply:
    """What a reply says, or Unreadable."""
    try:
        message = dns.message.from_wire(b"\0\0" + reply_without_id, ignore_trailing=True)
        rows = tuple(row for rrset in message.answer for row in _rows(rrset))
        referred = tuple(
            row
            for rrset in message.authority
            if rrset.rdtype == dns.rdatatype.NS
            for row in _rows(rrset)
        )
    except (dns.exception.DNSException, ValueError, InvalidName) as error:
        raise Unreadable(f"a reply that cannot be read: {type(error).__name__}") from error
    authoritative = bool(message.flags & dns.flags.AA)
    rcode = dns.rcode.to_text(message.rcode())
    return Reply(rcode, authoritative, rows, referred, _extended(message))


def _labels(name: Name) -> tuple[bytes, ...]:
    return () if name == ROOT else to_labels(name)


def _extended(message: dns.message.Message) -> str:
    """Why a server failed, where it says so (RFC 8914): the code's name, in words."""
    codes = [one.code for one in message.options if isinstance(one, dns.edns.EDEOption)]
    return ", ".join(code.name.lower().replace("_", " ") for code in codes[:EXTENDED_MAX])


def _rows(rrset: dns.rrset.RRset) -> list[Row]:
    kind = dns.rdatatype.to_text(rrset.rdtype)
    owner = _name(rrset.name)
    return [
        Row(
            owner,
            kind,
            rrset.ttl,
            _name(one.target) if kind in (CNAME, NS) else one.to_text(),
        )
        for one in rrset
    ]


def _name(name: dns.name.Name) -> Name:
    labels = name.labels[:-1]
    return from_labels(labels) if labels else ROOT
