"""Serve the zones over UDP and TCP on one loopback port.

Only moves bytes: every answer is worked out in `packets`. It never listens off loopback, bounds
what one client can hold open, and lets no packet end it.
"""

import asyncio
import ipaddress
import random
import socket
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import assert_never, cast

import dns.rcode

from sandbox.dns.faults import Faults
from sandbox.dns.packets import Authority, Dropped, Reply, Transport, Trouble, bare, respond
from sandbox.dns.resolving import Place
from sandbox.dns.routing import Jitter
from sandbox.dns.zones import View, Zone
from sandbox.route53.names import canonical

# A port that is free for TCP is nearly always free for UDP; a few tries settle the rest.
PORT_TRIES_MAX = 16
LENGTH_BYTES = 2
# What a client that does not read can hold of the kernel's memory; unset, it grows to megabytes.
SEND_BUFFER_BYTES = 32_768


def nothing_known_against(_health_check_id: str) -> bool:
    """Take every health check for healthy."""
    return True


@dataclass(frozen=True, slots=True)
class DnsSettings:
    """What the server knows besides the zones, and what one client may hold.

    `outside`: what (name, type) resolves to when an alias leads to a zone that we do not have, such
    as a load balancer's. `is_healthy`: what is known of a health check, by its id.
    """

    outside: Mapping[Place, tuple[str, ...]] = field(default_factory=dict)
    is_healthy: Callable[[str], bool] = nothing_known_against
    idle_timeout_s: float = 10.0  # RFC 7766 asks for seconds; a resolver simply connects again
    connections_max: int = 100  # far more than the resolvers of one machine hold


@dataclass(slots=True)
class Counts:
    """What the server did, by outcome."""

    replies: Counter[str] = field(default_factory=Counter)  # by response code
    dropped: Counter[str] = field(default_factory=Counter)  # by reason
    troubles: Counter[str] = field(default_factory=Counter)  # by kind
    last_trouble: str = ""
    connections_refused: int = 0


class DnsServer:
    """A server that is listening. Its zones are read afresh for each question."""

    def __init__(self, authority: Authority, settings: DnsSettings) -> None:
        self.faults: Faults = authority.faults
        self.counts = Counts()
        self.host = ""
        self.port = 0
        self._authority = authority
        self._settings = settings
        self._connections: dict[asyncio.Task[None], asyncio.StreamWriter] = {}
        self._closing = False

    @property
    def address(self) -> str:
        """Where it listens, as people and config files write it."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{host}:{self.port}"

    def reply(self, packet: bytes, transport: Transport) -> bytes | None:
        """Work out the reply to one packet, and count it."""
        try:
            outcome = respond(packet, transport=transport, authority=self._authority)
        except Exception as defect:  # noqa: BLE001 - a server that stops answers nobody; counted
            outcome = bare(packet, dns.rcode.SERVFAIL, Trouble.DEFECT, repr(defect))
        match outcome:
            case Dropped(reason):
                self.counts.dropped[reason] += 1
                return None
            case Reply(wire, rcode, trouble, detail):
                self.counts.replies[rcode] += 1
                if trouble is not None:
                    self.counts.troubles[trouble] += 1
                    self.counts.last_trouble = detail
                return wire
            case unknown:
                assert_never(unknown)

    async def converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one TCP connection's queries in turn, until it ends or falls idle."""
        task = asyncio.current_task()
        if (
            task is None
            or self._closing
            or len(self._connections) >= self._settings.connections_max
        ):
            self.counts.connections_refused += 1
            writer.close()
            return
        self._connections[task] = writer
        writer.transport.set_write_buffer_limits(high=0)  # so that drain waits until all is sent
        try:
            with suppress(OSError, asyncio.IncompleteReadError):  # idle, broken, or at its end
                while True:
                    await self._answer_one(reader, writer)
        finally:
            del self._connections[task]
            writer.transport.abort()

    async def _answer_one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        async with asyncio.timeout(self._settings.idle_timeout_s):
            length = int.from_bytes(await reader.readexactly(LENGTH_BYTES))
            wire = self.reply(await reader.readexactly(length), "tcp")
            if wire is not None:
                writer.write(len(wire).to_bytes(LENGTH_BYTES) + wire)
                await writer.drain()

    async def hang_up(self) -> None:
        """End every connection that is still open."""
        self._closing = True
        open_now = dict(self._connections)
        for writer in open_now.values():
            writer.transport.abort()  # asyncio reports a cancelled connection as an error of ours
        await asyncio.gather(*open_now)


class Datagrams(asyncio.DatagramProtocol):
    """Answers each datagram by itself."""

    def __init__(self, server: DnsServer) -> None:
        self._server = server
        self._transport: asyncio.DatagramTransport | None = None
        self.closed: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the way back."""
        # asyncio gives a datagram endpoint a datagram transport, whatever its base class declares.
        self._transport = cast("asyncio.DatagramTransport", transport)

    def datagram_received(self, data: bytes, addr: tuple[str, int]) -> None:
        """Reply at once; there is nothing to wait for."""
        wire = self._server.reply(data, "udp")
        if wire is not None and self._transport is not None:
            self._transport.sendto(wire, addr)

    def connection_lost(self, _exc: Exception | None) -> None:
        """Say that the socket is closed."""
        self.closed.set_result(None)


@asynccontextmanager
async def serve_dns(
    zones: Callable[[], Iterable[Zone]],
    *,
    view: View = "public",
    host: str = "127.0.0.1",
    port: int = 0,
    jitter: Jitter | None = None,
    settings: DnsSettings | None = None,
) -> AsyncIterator[DnsServer]:
    """Serve for as long as the block lasts. Port 0 takes a free one, the same for UDP and TCP."""
    if not ipaddress.ip_address(host).is_loopback:
        raise ValueError(f"the DNS server listens on loopback only, not on {host}")
    settings = settings or DnsSettings()
    outside = {(canonical(name), kind): found for (name, kind), found in settings.outside.items()}
    jitter = jitter or random.SystemRandom()
    authority = Authority(zones, view, jitter, outside, settings.is_healthy)
    server = DnsServer(authority, settings)
    tcp_socket, udp_socket = bind(host, port)
    with tcp_socket, udp_socket:
        server.host, server.port = udp_socket.getsockname()[:2]
        async with listening(server, tcp_socket, udp_socket):
            yield server


@asynccontextmanager
async def listening(
    server: DnsServer, tcp_socket: socket.socket, udp_socket: socket.socket
) -> AsyncIterator[None]:
    """Answer on both sockets, and leave nothing open behind."""
    transport, datagrams = await asyncio.get_running_loop().create_datagram_endpoint(
        lambda: Datagrams(server), sock=udp_socket
    )
    try:
        tcp = await asyncio.start_server(server.converse, sock=tcp_socket)
        try:
            yield
        finally:
            tcp.close()
            await server.hang_up()
            await tcp.wait_closed()
    finally:
        transport.close()
        await datagrams.closed


def bind(host: str, port: int) -> tuple[socket.socket, socket.socket]:
    """Open a TCP and a UDP socket on one port; a port that was chosen for us may take tries."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    tries_left = PORT_TRIES_MAX if port == 0 else 1
    while True:
        tries_left -= 1
        tcp = socket.socket(family, socket.SOCK_STREAM)
        udp = socket.socket(family, socket.SOCK_DGRAM)
        try:
            tcp.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            tcp.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER_BYTES)
            tcp.bind((host, port))
            udp.bind((host, tcp.getsockname()[1]))
        except OSError:
            tcp.close()
            udp.close()
            if not tries_left:
                raise
        else:
            return tcp, udp
