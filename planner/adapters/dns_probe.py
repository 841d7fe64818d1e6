"""Asks a target one DNS question, over UDP or TCP, and reads what it says.

Only a reply from the address that was asked, with our id and our question, counts. It follows
nothing, caches nothing, and says why a reply is not good.
"""

import asyncio

import dns.exception
import dns.flags
import dns.message
import dns.rcode
import dns.rdatatype

from planner.rules.probing import Bad, DnsCheck, Good, ProbeResult

_LENGTH_BYTES = 2


async def ask_dns(address: str, check: DnsCheck) -> ProbeResult:
    """The reply judged; errors of the network are raised."""
    query = dns.message.make_query(check.name, check.type)
    try:
        if check.tcp:
            reply = await _over_tcp(address, check.port, query)
        else:
            reply = await _over_udp(address, check.port, query)
    except (dns.exception.DNSException, EOFError) as error:
        return Bad(f"no DNS reply: {str(error) or type(error).__name__}")
    return _judged(reply, check)


def _judged(reply: dns.message.Message, check: DnsCheck) -> ProbeResult:
    rcode = dns.rcode.to_text(reply.rcode())
    if reply.rcode() != dns.rcode.NOERROR:
        return Bad(rcode)
    wanted = dns.rdatatype.from_text(check.type)
    count = sum(len(one) for one in reply.answer if one.rdtype == wanted)
    if count:
        return Good(f"{rcode}, {count} {check.type}")
    if reply.flags & dns.flags.TC:
        return Good(f"{rcode}, more than fits a datagram")
    return Bad(f"{rcode}, and no {check.type}")


class _Waiting(asyncio.DatagramProtocol):
    """Takes the first datagram that answers the query."""

    def __init__(self, query: dns.message.Message) -> None:
        self._query = query
        self.reply: asyncio.Future[dns.message.Message] = asyncio.get_running_loop().create_future()

    def datagram_received(self, data: bytes, _from: object) -> None:
        """Drop what is no answer to the question: anybody can send a datagram."""
        try:
            reply = _read(data)
        except (dns.exception.DNSException, ValueError):
            return
        if self._query.is_response(reply) and not self.reply.done():
            self.reply.set_result(reply)

    def error_received(self, error: Exception) -> None:
        """The port is closed, or there is no way."""
        if not self.reply.done():
            self.reply.set_exception(error)


def _read(data: bytes) -> dns.message.Message:
    """A datagram. Some servers cut one within a record where it is full; what stands before the
    answers is whole then, and says that there is more."""
    try:
        return dns.message.from_wire(data, ignore_trailing=True)
    except dns.exception.DNSException:
        head = dns.message.from_wire(data, ignore_trailing=True, question_only=True)
        if head.flags & dns.flags.TC:
            return head
        raise


async def _over_udp(address: str, port: int, query: dns.message.Message) -> dns.message.Message:
    loop = asyncio.get_running_loop()
    transport, waiting = await loop.create_datagram_endpoint(
        lambda: _Waiting(query), remote_addr=(address, port)
    )
    try:
        transport.sendto(query.to_wire())
        return await waiting.reply
    finally:
        transport.abort()


async def _over_tcp(address: str, port: int, query: dns.message.Message) -> dns.message.Message:
    reader, writer = await asyncio.open_connection(address, port)
    try:
        wire = query.to_wire()
        writer.write(len(wire).to_bytes(_LENGTH_BYTES) + wire)
        length = int.from_bytes(await reader.readexactly(_LENGTH_BYTES))
        reply = dns.message.from_wire(await reader.readexactly(length), ignore_trailing=True)
    finally:
        writer.transport.abort()
    if not query.is_response(reply):
        raise EOFError("a reply to another question")
    return reply
