"""No bytes crash the server."""

import dns.flags
import dns.message
import dns.rdatatype
from hypothesis import example, given
from hypothesis import strategies as st

from sandbox.dns.packets import (
    HEADER,
    UDP_BYTES_MAX,
    Dropped,
    Transport,
    respond,
)
from tests.unit.sandbox_dns.exchange import authority, many
from tests.unit.sandbox_dns.memory_zone import alias, record


def judged(packet: bytes, transport: Transport) -> None:
    """Check what holds for every packet: dropped with reason, or a well-formed reply to it."""
    server = authority(
        record("\\052.example.com.", "TXT", '"any"'),
        record("c.example.com.", "CNAME", "c.example.com"),
        record("d.example.com.", "NS", "ns.d.example.com"),
        alias("al.example.com.", "A", "gone.example.com."),
        record("bad.example.com.", "A", "?"),
        many(300),
    )
    outcome = respond(packet, transport=transport, authority=server)
    if isinstance(outcome, Dropped):
        assert len(packet) < HEADER.size or packet[2] & 0x80
        return
    found = dns.message.from_wire(outcome.wire)
    assert found.id == int.from_bytes(packet[:2])
    assert found.flags & dns.flags.QR
    assert not found.flags & dns.flags.RA
    assert transport == "tcp" or len(outcome.wire) <= UDP_BYTES_MAX


transports = st.sampled_from(["udp", "tcp"])


@given(st.binary(max_size=300), transports)
def test_no_bytes_raise(packet: bytes, transport: Transport) -> None:
    """Noise is dropped or answered."""
    judged(packet, transport)


@given(st.binary(max_size=200), st.integers(0, 0xFFFF), st.integers(0, 0x07FF), transports)
def test_no_bytes_behind_a_query_header_raise(
    body: bytes, identity: int, flags: int, transport: Transport
) -> None:
    """A header that asks, with one question and one addition, then noise."""
    judged(HEADER.pack(identity, flags, 1, 0, 0, 1) + body, transport)


@given(
    st.sampled_from(["www", "c", "d", "x.d", "al", "bad", "many", "q.w"]),
    st.integers(0, 0xFFFF),
    st.integers(-1, 2),
    st.integers(0, 0xFFFF),
    st.lists(st.tuples(st.integers(0, 90), st.integers(0, 255)), max_size=4),
    transports,
)
@example("bad", 1, 0, 1232, [], "udp")
@example("many", 1, -1, 0, [], "udp")
def test_no_damage_to_a_true_query_raises(
    label: str,
    kind: int,
    edns: int,
    payload: int,
    damage: list[tuple[int, int]],
    transport: Transport,
) -> None:
    """Any type, any EDNS, some bytes overwritten."""
    rdtype = dns.rdatatype.RdataType.make(kind)
    query = dns.message.make_query(f"{label}.example.com", rdtype, use_edns=edns, payload=payload)
    packet = bytearray(query.to_wire())
    for at, byte in damage:
        packet[at % len(packet)] = byte
    judged(bytes(packet), transport)
