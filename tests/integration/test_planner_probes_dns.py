"""DNS probes against a name server on loopback that answers as each test wants it to."""

import asyncio
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from typing import cast

import dns.flags
import dns.message
import dns.rcode
import dns.rrset
import pytest

from dnsplan.names import parse_name
from planner.adapters.probes import SocketProber
from planner.rules.probing import Bad, DnsCheck, Good, Probe
from tests.integration.probe_site import HOST, asked

NAME = "health.example."
Reply = Callable[[dns.message.Message], dns.message.Message | None]


def answered(query: dns.message.Message) -> dns.message.Message:
    """Two addresses."""
    reply = dns.message.make_response(query)
    reply.answer.append(dns.rrset.from_text(NAME, 30, "IN", "A", "192.0.2.1", "192.0.2.2"))
    return reply


def empty(query: dns.message.Message) -> dns.message.Message:
    """NOERROR with nothing in it."""
    return dns.message.make_response(query)


def failing(query: dns.message.Message) -> dns.message.Message:
    """SERVFAIL."""
    reply = dns.message.make_response(query)
    reply.set_rcode(dns.rcode.SERVFAIL)
    return reply


def cut(query: dns.message.Message) -> dns.message.Message:
    """Too long for a datagram."""
    reply = dns.message.make_response(query)
    reply.flags |= dns.flags.TC
    return reply


def to_another(query: dns.message.Message) -> dns.message.Message:
    """A reply with the id of another question."""
    reply = answered(query)
    reply.id = query.id ^ 1
    return reply


class NameServer(asyncio.DatagramProtocol):
    """Answers each query as told, over UDP and TCP on one port."""

    def __init__(self) -> None:
        """Answers well."""
        self.reply: Reply = answered
        self.port = 0
        self.bytes_max: int | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the way back."""
        self.transport = cast("asyncio.DatagramTransport", transport)  # 3.11's is of another class

    def datagram_received(self, data: bytes, addr: tuple[str, int]) -> None:
        """Answer, after some noise that is no answer."""
        self.transport.sendto(b"noise", addr)
        if (reply := self.reply(dns.message.from_wire(data))) is not None:
            self.transport.sendto(reply.to_wire()[: self.bytes_max], addr)

    async def talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One question over TCP."""
        query = await reader.readexactly(int.from_bytes(await reader.readexactly(2)))
        if (reply := self.reply(dns.message.from_wire(query))) is not None:
            wire = reply.to_wire()
            writer.write(len(wire).to_bytes(2) + wire)
        writer.close()


@pytest.fixture
async def server() -> AsyncIterator[NameServer]:
    """A name server; its port is held over TCP first and then taken over UDP."""
    made = NameServer()
    loop = asyncio.get_running_loop()
    async with AsyncExitStack() as stack:
        for _ in range(50):
            tcp = await asyncio.start_server(made.talk, HOST, 0)
            port = tcp.sockets[0].getsockname()[1]
            try:
                udp, _ = await loop.create_datagram_endpoint(lambda: made, (HOST, port))
            except OSError:
                tcp.close()
                continue
            await stack.enter_async_context(tcp)
            stack.callback(udp.close)
            made.port = port
            break
        yield made


@pytest.fixture
async def prober() -> AsyncIterator[SocketProber]:
    """An open prober."""
    async with SocketProber() as opened:
        yield opened


def question(port: int, *, tcp: bool = False, timeout_s: float = 5.0) -> Probe:
    """For the addresses of the name."""
    return Probe(HOST, DnsCheck(port, parse_name(NAME), "A", tcp), timeout_s)


@pytest.mark.parametrize("tcp", [False, True])
async def test_an_answer_is_good(prober: SocketProber, server: NameServer, tcp: bool) -> None:
    """Over UDP noise is passed over; over TCP there is none."""
    assert await asked(prober, question(server.port, tcp=tcp)) == Good("NOERROR, 2 A")


@pytest.mark.parametrize("tcp", [False, True])
async def test_no_record_and_an_error_are_bad(
    prober: SocketProber, server: NameServer, tcp: bool
) -> None:
    """NOERROR with nothing in it is what October 2025 looked like."""
    server.reply = empty
    assert await asked(prober, question(server.port, tcp=tcp)) == Bad("NOERROR, and no A")
    server.reply = failing
    assert await asked(prober, question(server.port, tcp=tcp)) == Bad("SERVFAIL")


async def test_an_answer_that_is_cut_is_good(prober: SocketProber, server: NameServer) -> None:
    """The server knows the name and has more to say than a datagram holds."""
    server.reply = cut
    expected = Good("NOERROR, more than fits a datagram")
    assert await asked(prober, question(server.port)) == expected


async def test_an_answer_that_is_cut_within_a_record_is_good(
    prober: SocketProber, server: NameServer
) -> None:
    """So some servers fill a datagram; that it cannot be read to its end says nothing of them."""

    def too_long(query: dns.message.Message) -> dns.message.Message:
        reply = answered(query)
        reply.flags |= dns.flags.TC
        return reply

    server.reply, server.bytes_max = too_long, 40
    expected = Good("NOERROR, more than fits a datagram")
    assert await asked(prober, question(server.port)) == expected
    server.reply = answered
    expected_bad = Bad("no answer within 0.2 s")
    assert await asked(prober, question(server.port, timeout_s=0.2)) == expected_bad


async def test_another_question_s_answer_is_none(prober: SocketProber, server: NameServer) -> None:
    """Anybody can send a datagram; only ours counts, within the time-out."""
    server.reply = to_another
    expected = Bad("no answer within 0.2 s")
    assert await asked(prober, question(server.port, timeout_s=0.2)) == expected
    over_tcp = await asked(prober, question(server.port, tcp=True))
    assert over_tcp == Bad("no DNS reply: a reply to another question")


async def test_a_closed_port_and_a_closed_connection_are_bad(
    prober: SocketProber, server: NameServer
) -> None:
    """Refusals are evidence."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as held:
        held.bind((HOST, 0))
        port = held.getsockname()[1]
        held.connect((HOST, server.port))  # deaf to others: the kernel refuses for it
        assert await asked(prober, question(port)) == Bad("connection refused")
    server.reply = lambda _: None
    result = await asked(prober, question(server.port, tcp=True))
    assert isinstance(result, Bad)
    assert result.detail.startswith("no DNS reply: ")
