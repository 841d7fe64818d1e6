"""Send one packet to the DNS rules and read what comes back, without a socket."""

import dns.message

from sandbox.dns.packets import (
    Authority,
    Reply,
    Transport,
    respond,
)
from sandbox.route53.model import StoredRecordSet
from tests.unit.sandbox_dns.memory_zone import Share, record, zone

WWW = "www.example.com."
QUERY = dns.message.make_query("wWw.eXample.com", "A", use_edns=0).to_wire()


def authority(*records: StoredRecordSet) -> Authority:
    """Be authoritative for one zone that holds these."""
    held = zone(record(WWW, "A", "192.0.2.1", "192.0.2.2"), *records)
    return Authority(lambda: [held], "public", Share(), {}, lambda _check: True)


def send(
    packet: dns.message.Message | bytes, *records: StoredRecordSet, transport: Transport = "udp"
) -> Reply:
    """Send one packet that must be replied to."""
    wire = packet if isinstance(packet, bytes) else packet.to_wire()
    outcome = respond(wire, transport=transport, authority=authority(*records))
    assert isinstance(outcome, Reply)
    return outcome


def read(reply: Reply) -> dns.message.Message:
    """Read a reply as a client does."""
    return dns.message.from_wire(reply.wire)


def many(size: int, *, kind: str = "A") -> StoredRecordSet:
    """Make a record set of so many values."""
    return record("many.example.com.", kind, *(f"10.0.{n // 250}.{n % 250}" for n in range(size)))
