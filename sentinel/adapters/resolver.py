"""Asks name servers over UDP and TCP: `ports.Asker` on real sockets.

Every question is sent once, with a fresh random id, from one of a few sockets that all servers
share: thousands of servers must not cost thousands of sockets. Only a datagram from the server that
was asked, with our id and our question, is its reply. Whatever goes wrong on the way is `NoReply`
with the reason; only a cancelled task leaves without an answer.
"""

import asyncio
import socket
from dataclasses import dataclass, field
from typing import Any, cast

from dnsplan.ports import Clock, Jitter
from sentinel.adapters.messages import (
    ID_BYTES,
    Unreadable,
    answers_question,
    is_truncated,
    query_without_id,
    read_reply,
)
from sentinel.ports import NameServer, Question
from sentinel.rules.findings import Heard, NoReply
from sentinel.rules.judging import Transport

ID_BITS = 16
LENGTH_BYTES = 2
# A socket outlives neither a change of this host's network nor a guess at its port by much.
SOCKET_AGE_MAX_S = 60.0
# Several, so that a burst of replies finds room in their buffers.
SOCKETS_EACH_FAMILY = 4

Where = tuple[str, int]


class SocketAsker:
    """Sockets by server; close it to close them."""

    def __init__(self, clock: Clock, jitter: Jitter) -> None:
        """Nothing is open yet."""
        self._clock = clock
        self._jitter = jitter
        self._channels: dict[tuple[int, int], _Channel] = {}
        self._opening: dict[tuple[int, int], asyncio.Lock] = {}
        self._retiring: set[_Channel] = set()
        self._turn = 0

    async def ask(
        self, server: NameServer, question: Question, transport: Transport, *, timeout_s: float
    ) -> Heard:
        """Ask once; a truncated reply is fetched over TCP in the time that is left."""
        try:
            async with asyncio.timeout(timeout_s):
                if transport == "tcp":
                    reply = await self._over_tcp(server, question)
                else:
                    reply = await self._over_udp(server, question)
                    if is_truncated(reply):
                        reply = await self._over_tcp(server, question)
            return read_reply(reply[ID_BYTES:])
        except TimeoutError:
            return NoReply(f"no reply in {timeout_s:.1f} s")
        except (OSError, EOFError, Unreadable) as error:
            return NoReply(_in_words(error))

    async def close(self) -> None:
        """Close every socket."""
        channels = [*self._channels.values(), *self._retiring]
        self._channels, self._retiring = {}, set()
        for channel in channels:
            channel.abort()
        await asyncio.gather(*(channel.closed for channel in channels))

    async def _over_udp(self, server: NameServer, question: Question) -> bytes:
        channel = await self._channel(server)
        where = (server.host, server.port)
        query = self._fresh_id(channel, where) + query_without_id(question)
        future: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()
        key = (*where, query[:ID_BYTES])
        channel.waiting[key] = (query, future)
        try:
            channel.send(query, where)
            return await future
        finally:
            channel.forget(key)

    async def _over_tcp(self, server: NameServer, question: Question) -> bytes:
        query = bytes.fromhex(self._jitter.token(ID_BITS)) + query_without_id(question)
        reader, writer = await asyncio.open_connection(server.host, server.port)
        try:
            writer.write(len(query).to_bytes(LENGTH_BYTES) + query)
            length = int.from_bytes(await reader.readexactly(LENGTH_BYTES))
            reply = await reader.readexactly(length)
        finally:
            writer.transport.abort()
        if not answers_question(reply, query):
            raise Unreadable("a reply to another question")
        return reply

    def _fresh_id(self, channel: "_Channel", where: Where) -> bytes:
        while True:  # a channel waits for a few thousand of 65,536 at most
            identity = bytes.fromhex(self._jitter.token(ID_BITS))
            if (*where, identity) not in channel.waiting:
                return identity

    async def _channel(self, server: NameServer) -> "_Channel":
        family = socket.AF_INET6 if ":" in server.host else socket.AF_INET
        self._turn = (self._turn + 1) % SOCKETS_EACH_FAMILY
        place = (int(family), self._turn)
        if (channel := self._fit(place)) is not None:
            return channel
        async with self._opening.setdefault(place, asyncio.Lock()):
            if (channel := self._fit(place)) is not None:
                return channel
            retires_s = self._clock.elapsed_s() + SOCKET_AGE_MAX_S
            _, opened = await asyncio.get_running_loop().create_datagram_endpoint(
                lambda: _Channel(retires_s), family=family
            )
            former = self._channels.get(place)
            self._channels[place] = opened
            if former is not None:
                self._retiring = {one for one in self._retiring if not one.closed.done()}
                self._retiring.add(former)
                former.retire()
            return opened

    def _fit(self, place: tuple[int, int]) -> "_Channel | None":
        channel = self._channels.get(place)
        if channel is None or not channel.is_open:
            return None
        return channel if self._clock.elapsed_s() < channel.retires_s else None


@dataclass(eq=False)
class _Channel(asyncio.DatagramProtocol):
    """One UDP socket and who waits on it. A retired one closes when nobody waits any more."""

    retires_s: float
    waiting: dict[tuple[str, int, bytes], tuple[bytes, asyncio.Future[bytes]]] = field(
        default_factory=dict
    )
    closed: asyncio.Future[None] = field(
        default_factory=lambda: asyncio.get_running_loop().create_future()
    )
    _transport: asyncio.DatagramTransport | None = None
    _retired: bool = False

    @property
    def is_open(self) -> bool:
        """Whether it can send."""
        return self._transport is not None and not self._transport.is_closing()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the way out."""
        # asyncio gives a datagram endpoint a datagram transport, whatever its base class declares.
        self._transport = cast("asyncio.DatagramTransport", transport)

    def datagram_received(self, data: bytes, addr: tuple[str | Any, int]) -> None:
        """Give a reply to who asked for it; anything else is nobody's."""
        query, future = self.waiting.get((addr[0], addr[1], data[:ID_BYTES]), (b"", None))
        if future is not None and not future.done() and answers_question(data, query):
            future.set_result(data)

    def connection_lost(self, exc: Exception | None) -> None:
        """Nobody need wait any longer."""
        for _, future in self.waiting.values():
            if not future.done():
                future.set_exception(exc or ConnectionAbortedError("the socket was closed"))
        self.closed.set_result(None)

    def send(self, query: bytes, where: Where) -> None:
        """One datagram."""
        if self._transport is not None:
            self._transport.sendto(query, where)

    def forget(self, key: tuple[str, int, bytes]) -> None:
        """Somebody waits no longer."""
        self.waiting.pop(key, None)
        self._close_when_idle()

    def retire(self) -> None:
        """Take no more questions."""
        self._retired = True
        self._close_when_idle()

    def abort(self) -> None:
        """Close now, whoever waits."""
        if self._transport is not None:
            self._transport.abort()

    def _close_when_idle(self) -> None:
        if self._retired and not self.waiting and self._transport is not None:
            self._transport.close()


def _in_words(error: Exception) -> str:
    if isinstance(error, EOFError):
        return "the connection ended before a whole reply"
    return str(getattr(error, "strerror", None) or str(error) or type(error).__name__)
