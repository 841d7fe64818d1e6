"""The DNS server's TCP connections: many queries, pieces, slow and silent clients, bounds."""

import asyncio
from contextlib import suppress

import dns.asyncquery
import dns.flags
import dns.message
import dns.rcode
import pytest

from sandbox.dns.server import DnsServer, DnsSettings
from sandbox.route53.model import StoredRecordSet
from tests.integration.dns_clients import (
    SHORT_S,
    WWW,
    address,
    closing,
    connected,
    hear,
    over_tcp,
    over_udp,
    say,
    serving,
    soon,
    values,
    zone,
)


async def test_one_connection_carries_many_queries() -> None:
    """Sent one by one or all at once, they are answered in turn."""
    held = zone(address("192.0.2.1"), address("192.0.2.2", "b.example.com."))
    async with serving(held) as server, connected(server) as (reader, writer):
        for _ in range(3):
            await say(writer, WWW)
            assert values(await hear(reader)) == ["192.0.2.1"]
        await say(writer, *[WWW, "b.example.com."] * 50)
        heard = [values(await hear(reader)) for _ in range(100)]
        assert heard == [["192.0.2.1"], ["192.0.2.2"]] * 50


async def test_a_query_that_comes_in_pieces_is_answered() -> None:
    """TCP keeps no message bounds."""
    async with serving(zone(address("192.0.2.1"))) as server, connected(server) as (reader, writer):
        wire = dns.message.make_query(WWW, "A").to_wire()
        for byte in len(wire).to_bytes(2) + wire:
            writer.write(bytes([byte]))
            await writer.drain()
        assert values(await hear(reader)) == ["192.0.2.1"]


async def test_a_client_that_is_done_asking_still_hears_the_answer() -> None:
    """A half-closed connection gets its replies, then the end."""
    async with serving(zone(address("192.0.2.1"))) as server, connected(server) as (reader, writer):
        await say(writer, WWW)
        writer.write_eof()
        assert values(await hear(reader)) == ["192.0.2.1"]
        assert await soon(reader.read()) == b""


async def test_the_last_reply_is_whole_however_late_it_is_read() -> None:
    """To a client that is done asking and does not read yet, nothing is lost."""
    big = StoredRecordSet(WWW, "TXT", 60, tuple(f'"{n:03}{"x" * 240}"' for n in range(200)))
    wire = dns.message.make_query(WWW, "TXT").to_wire()
    async with (
        serving(zone(big)) as server,
        connected(server, window_bytes=4_096) as (
            reader,
            writer,
        ),
    ):
        writer.write((len(wire).to_bytes(2) + wire) * 2)
        writer.write_eof()
        for _ in range(20):  # rounds enough for the server to have met the end of the questions
            await over_udp(server, WWW, "A")
        heard = [len((await hear(reader)).answer[0]) for _ in range(2)]
        assert heard == [200, 200]


async def test_an_idle_connection_is_closed() -> None:
    """Whoever says nothing, or only half of a query, holds nothing for long."""
    settings = DnsSettings(idle_timeout_s=SHORT_S)
    async with serving(zone(), settings=settings) as server:
        async with connected(server) as (reader, _writer):
            assert await soon(reader.read()) == b""
        async with connected(server) as (reader, writer):
            writer.write(b"\x00\x20half")
            assert await soon(closing(reader)) == b""


async def flood(writer: asyncio.StreamWriter, wire: bytes) -> None:
    """Ask without end, and read nothing."""
    while True:
        writer.write((len(wire).to_bytes(2) + wire) * 100)
        await writer.drain()


async def test_a_client_that_never_reads_is_cut_off() -> None:
    """Replies that nobody takes do not pile up."""
    big = StoredRecordSet(WWW, "TXT", 60, tuple(f'"{n:03}{"x" * 240}"' for n in range(200)))
    settings = DnsSettings(idle_timeout_s=SHORT_S)
    async with serving(zone(big), settings=settings) as server, connected(server) as (_, writer):
        with pytest.raises(ConnectionError):
            await soon(flood(writer, dns.message.make_query(WWW, "TXT").to_wire()))


async def test_connections_are_bounded() -> None:
    """One more than allowed is closed at once; when one ends, there is room again."""
    settings = DnsSettings(connections_max=2)
    async with serving(zone(address("192.0.2.1")), settings=settings) as server:
        async with connected(server) as first, connected(server) as second:
            for reader, writer in (first, second):  # both are known to be in
                await say(writer, WWW)
                await hear(reader)
            async with connected(server) as (third, _writer):
                assert await soon(closing(third)) == b""
            assert server.counts.connections_refused == 1
            assert values(await over_udp(server, WWW)) == ["192.0.2.1"]
        await soon(until_let_in(server))


async def until_let_in(server: DnsServer) -> None:
    """Connect again and again until the server has noticed that others left."""
    while True:
        with suppress(EOFError, OSError):
            assert values(await over_tcp(server, WWW)) == ["192.0.2.1"]
            return
