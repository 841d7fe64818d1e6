"""What the tests of the DNS server share: zones to serve, and clients that ask and listen."""

import asyncio
import socket
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager, suppress
from random import Random
from typing import TypeVar

import dns.asyncquery
import dns.flags
import dns.message
import dns.rcode

from sandbox.dns.server import DnsServer, DnsSettings, serve_dns
from sandbox.dns.zones import View
from sandbox.route53.model import StoredRecordSet
from sandbox.route53.zone import HostedZone

HOST = "127.0.0.1"
APEX = "example.com."
WWW = "www.example.com."
WAIT_S = 20.0  # far above anything seen; only a hang reaches it
SHORT_S = 0.05  # an idle timeout that is waited out

Result = TypeVar("Result")


async def soon(waited: Awaitable[Result]) -> Result:
    """Wait, but not for ever."""
    return await asyncio.wait_for(waited, WAIT_S)


def zone(*records: StoredRecordSet, private: bool = False) -> HostedZone:
    """Make a zone with an SOA and these."""
    made = HostedZone(
        zone_id="ZI" if private else "ZP", name=APEX, private=private, caller_reference="test"
    )
    soa = StoredRecordSet(APEX, "SOA", 900, ("ns.x. h.x. 1 2 3 4 60",))
    put(made, soa, *records)
    return made


def put(held: HostedZone, *records: StoredRecordSet) -> None:
    """Set these names to exactly these record sets."""
    work: dict[str, dict[tuple[str, str], StoredRecordSet]] = {}
    for record in records:
        work.setdefault(record.name, {})[record.key] = record
    held.commit(work)


def address(value: str, name: str = WWW) -> StoredRecordSet:
    """Make an A record set of one value."""
    return StoredRecordSet(name, "A", 60, (value,))


@asynccontextmanager
async def serving(
    *zones: HostedZone, view: View = "public", settings: DnsSettings | None = None
) -> AsyncIterator[DnsServer]:
    """Serve zones, and end without a trouble that no test asked for."""
    async with serve_dns(
        lambda: zones, view=view, jitter=Random(1), settings=settings
    ) as dns_server:
        yield dns_server
    assert "defect" not in dns_server.counts.troubles, dns_server.counts.last_trouble


async def over_udp(server: DnsServer, name: str, kind: str = "A") -> dns.message.Message:
    """Ask over UDP."""
    query = dns.message.make_query(name, kind)
    return await dns.asyncquery.udp(query, server.host, port=server.port, timeout=WAIT_S)


async def over_tcp(server: DnsServer, name: str, kind: str = "A") -> dns.message.Message:
    """Ask over a TCP connection of its own."""
    query = dns.message.make_query(name, kind)
    return await dns.asyncquery.tcp(query, server.host, port=server.port, timeout=WAIT_S)


async def say(writer: asyncio.StreamWriter, *names: str) -> None:
    """Send queries on one connection, all at once."""
    for name in names:
        wire = dns.message.make_query(name, "A").to_wire()
        writer.write(len(wire).to_bytes(2) + wire)
    await writer.drain()


async def hear(reader: asyncio.StreamReader) -> dns.message.Message:
    """Read one reply from a connection."""
    length = int.from_bytes(await soon(reader.readexactly(2)))
    return dns.message.from_wire(await soon(reader.readexactly(length)))


@asynccontextmanager
async def connected(
    server: DnsServer, *, window_bytes: int | None = None
) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    """Hold a TCP connection; with a small window its kernel takes little before it is read."""
    client = socket.socket()
    if window_bytes is not None:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, window_bytes)
    client.setblocking(False)
    await soon(asyncio.get_running_loop().sock_connect(client, (server.host, server.port)))
    reader, writer = await asyncio.open_connection(sock=client, limit=window_bytes or 2**16)
    try:
        yield reader, writer
    finally:
        writer.close()
        with suppress(OSError):
            await writer.wait_closed()


def values(message: dns.message.Message) -> list[str]:
    """Take the values of the last record set that was answered."""
    return sorted(rdata.to_text() for rdata in message.answer[-1])


async def closing(reader: asyncio.StreamReader) -> bytes:
    """Read to the end; being cut off is an end too."""
    try:
        return await reader.read()
    except ConnectionError:
        return b""
