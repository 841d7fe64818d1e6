"""Probes against real servers on loopback: TCP and HTTP, each answer told apart."""

import asyncio
import socket
import time
from collections.abc import AsyncIterator, Iterator

import pytest

from planner.adapters.probes import SocketProber
from planner.adapters.turns import KEPT_S
from planner.rules.probing import Bad, Good, NotAsked, Probe, TcpCheck
from tests.integration.probe_site import HOST, Site, asked, http, serving


@pytest.fixture
async def prober() -> AsyncIterator[SocketProber]:
    """An open prober."""
    async with SocketProber() as opened:
        yield opened


@pytest.fixture
async def site() -> AsyncIterator[Site]:
    """A plain web server."""
    async with serving(Site(), None) as made:
        yield made


async def test_an_open_port_is_good(prober: SocketProber, site: Site) -> None:
    """TCP is good when the connection opens, and nothing is said on it."""
    assert await asked(prober, Probe(HOST, TcpCheck(site.port), 5.0)) == Good("connected")
    assert site.requests == []


async def test_a_closed_port_is_bad(prober: SocketProber) -> None:
    """A refused connection is evidence against the target."""
    with socket.create_server((HOST, 0)) as closing:
        port = closing.getsockname()[1]
    expected = Bad("connection refused")
    assert await asked(prober, Probe(HOST, TcpCheck(port), 5.0)) == expected
    assert await asked(prober, http(port)) == expected


@pytest.fixture
def full_port() -> Iterator[int]:
    """A port whose queue is full: connections to it neither open nor fail."""
    listener = socket.socket()
    listener.bind((HOST, 0))
    listener.listen(0)
    waiting = [socket.socket() for _ in range(8)]
    for one in waiting:
        one.setblocking(False)
        one.connect_ex(listener.getsockname())
    yield listener.getsockname()[1]
    for one in (*waiting, listener):
        one.close()


async def test_a_connection_that_hangs_ends_in_time(prober: SocketProber, full_port: int) -> None:
    """A TCP probe never outlasts its time-out."""
    result = await asked(prober, Probe(HOST, TcpCheck(full_port), 0.2))
    assert result == Bad("no answer within 0.2 s")


async def test_an_answer_that_hangs_ends_in_time(prober: SocketProber, site: Site) -> None:
    """An HTTP probe never outlasts its time-out."""
    result = await asked(prober, http(site.port, "/never", timeout_s=0.2))
    assert result == Bad("no answer within 0.2 s")


async def test_a_status_from_200_to_399_is_good(prober: SocketProber, site: Site) -> None:
    """A redirect is an answer and is not followed; an error status is bad."""
    assert await asked(prober, http(site.port, "/ok")) == Good("status 200")
    assert await asked(prober, http(site.port, "/redirect")) == Good("status 302")
    assert await asked(prober, http(site.port, "/fail")) == Bad("status 503")
    assert [one.path for one in site.requests] == ["/ok", "/redirect", "/fail"]


async def test_a_stated_status_is_the_only_good_one(prober: SocketProber, site: Site) -> None:
    """Where statuses are stated, no other is good, and each of them is."""
    only = frozenset({302, 503})
    assert await asked(prober, http(site.port, "/ok", statuses=only)) == Bad("status 200")
    assert await asked(prober, http(site.port, "/redirect", statuses=only)) == Good("status 302")
    assert await asked(prober, http(site.port, "/fail", statuses=only)) == Good("status 503")


async def test_the_host_header_and_path_are_as_stated(prober: SocketProber, site: Site) -> None:
    """The target is asked for the name it serves, with path and query untouched."""
    await asked(prober, http(site.port, "/health%20z?full=1", host="api.example.com"))
    (request,) = site.requests
    assert (request.headers["Host"], request.raw_path) == (
        "api.example.com",
        "/health%20z?full=1",
    )


async def test_each_probe_has_its_own_connection(prober: SocketProber, site: Site) -> None:
    """A connection kept open would prove nothing about new ones."""
    for _ in range(3):
        await asked(prober, http(site.port))
    assert [one.headers.get("Connection") for one in site.requests] == ["close"] * 3


async def test_the_body_must_hold_the_text(prober: SocketProber, site: Site) -> None:
    """The text counts wherever it stands in the first 64 KB, also across two reads."""
    assert await asked(prober, http(site.port, body_contains="is well")) == Good("status 200")
    assert await asked(prober, http(site.port, "/split", body_contains="needle")) == Good(
        "status 200"
    )
    assert await asked(prober, http(site.port, body_contains="is ill")) == Bad(
        "status 200, the body lacks 'is ill'"
    )


async def test_no_more_of_a_body_is_read_than_64_kb(prober: SocketProber, site: Site) -> None:
    """What stands behind the bound is not seen."""
    assert await asked(prober, http(site.port, "/far", body_contains="needle")) == Bad(
        "status 200, the body lacks 'needle'"
    )


async def test_garbage_instead_of_http_is_bad(prober: SocketProber) -> None:
    """A server that talks something else is a bad answer, not a crash."""

    async def talk(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"220 mail ready\r\n")
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(talk, HOST, 0) as server:
        port = server.sockets[0].getsockname()[1]
        assert isinstance(await asked(prober, http(port)), Bad)


async def test_a_server_that_hangs_up_is_bad(prober: SocketProber) -> None:
    """A closed connection without an answer is bad."""

    async def leave(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.close()

    async with await asyncio.start_server(leave, HOST, 0) as server:
        port = server.sockets[0].getsockname()[1]
        assert isinstance(await asked(prober, http(port)), Bad)


async def test_a_server_that_hangs_up_in_the_handshake_is_told_so(prober: SocketProber) -> None:
    """In words, without what the library writes around nothing."""

    async def leave(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(4_096)
        writer.close()

    async with await asyncio.start_server(leave, HOST, 0) as server:
        port = server.sockets[0].getsockname()[1]
        assert await asked(prober, http(port, tls=True)) == Bad("the connection ended")


async def test_probes_are_bounded_and_waiting_is_not_counted(
    site: Site,
) -> None:
    """More probes than places wait their turn, and none looks dead for having waited."""
    async with SocketProber(at_once_max=8) as narrow:
        probes = [http(site.port, "/slow", timeout_s=2.0) for _ in range(32)]
        results = await asyncio.gather(*(narrow.probe(probe) for probe in probes))
    assert set(results) == {Good("status 200")}
    assert 1 < site.at_once_most <= 8


async def test_connections_open_at_a_bounded_pace(site: Site) -> None:
    """However many targets are asked at once, only so many connections open in a second; a probe's
    time-out begins with its turn."""
    async with SocketProber(per_s_max=40.0) as slow:
        probes = [http(site.port, timeout_s=0.3) for _ in range(24)]
        began_s = time.monotonic()
        results = await asyncio.gather(*(slow.probe(probe) for probe in probes))
        took_s = time.monotonic() - began_s
    assert set(results) == {Good("status 200")}
    assert took_s >= (24 - 1) / 40.0 - KEPT_S - 0.01


async def test_trouble_of_this_machine_is_not_asked(
    prober: SocketProber, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a free file descriptor nothing was asked, so nothing is known."""
    import errno

    def refuse(*_: object, **__: object) -> socket.socket:
        raise OSError(errno.EMFILE, "Too many open files")

    monkeypatch.setattr(socket, "socket", refuse)
    result = await prober.probe(Probe(HOST, TcpCheck(site.port), 5.0))
    monkeypatch.undo()
    assert result == NotAsked("this machine could not ask: Too many open files")


async def test_a_time_out_that_was_slept_through_is_not_asked(
    prober: SocketProber, site: Site
) -> None:
    """When this process did not listen at the deadline, silence proves nothing."""
    asking = asyncio.create_task(prober.probe(http(site.port, "/never", timeout_s=0.3)))
    await asyncio.sleep(0.1)
    time.sleep(0.6)  # noqa: ASYNC251 - holding up the loop is the point
    result = await asking
    assert isinstance(result, NotAsked)
    assert result.detail.endswith("s too busy to listen")
