"""Probes against real servers on loopback: TCP, HTTP and HTTPS, each answer told apart."""

import asyncio
import datetime as dt
import ipaddress
import socket
import ssl
import time
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from aiohttp import web
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from planner.adapters.probes import BODY_BYTES_MAX, PROBES_AT_ONCE_MAX, SocketProber
from planner.rules.probing import Bad, Good, HttpCheck, NotAsked, Probe, ProbeResult, TcpCheck

HOST = "127.0.0.1"
NAME = "probe.test"
NEVER_S = 30.0


@dataclass
class Site:
    """A web server whose requests are noted."""

    port: int = 0
    requests: list[web.BaseRequest] = field(default_factory=list)
    at_once: int = 0
    at_once_most: int = 0
    connections: set[int] = field(default_factory=set)

    async def answer(self, request: web.BaseRequest) -> web.StreamResponse:
        """Answer by path."""
        self.requests.append(request)
        self.connections.add(id(request.transport))
        self.at_once += 1
        self.at_once_most = max(self.at_once_most, self.at_once)
        try:
            return await self._by_path(request)
        finally:
            self.at_once -= 1

    async def _by_path(self, request: web.BaseRequest) -> web.StreamResponse:
        match request.path:
            case "/never":
                await asyncio.sleep(NEVER_S)
            case "/slow":
                await asyncio.sleep(0.02)
            case "/redirect":
                return web.Response(status=302, headers={"Location": "/fail"})
            case "/fail":
                return web.Response(status=503)
            case "/far":
                return web.Response(body=b"x" * BODY_BYTES_MAX + b"needle")
            case "/split":
                return web.Response(body=b"x" * (8 * 1024 - 3) + b"needle")
        return web.Response(text="all is well")


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


class serving:  # noqa: N801 - used as a statement
    """A site on loopback for as long as the block lasts."""

    def __init__(self, site: Site, context: ssl.SSLContext | None) -> None:
        """Start later."""
        self._site, self._context = site, context
        self._runner = web.ServerRunner(web.Server(site.answer), shutdown_timeout=0.1)

    async def __aenter__(self) -> Site:
        """Listen on a free port."""
        await self._runner.setup()
        await web.TCPSite(self._runner, HOST, 0, ssl_context=self._context).start()
        self._site.port = int(self._runner.addresses[0][1])
        return self._site

    async def __aexit__(self, *_: object) -> None:
        """Close."""
        await self._runner.cleanup()


def http(
    port: int,
    path: str = "/",
    *,
    host: str | None = None,
    tls: bool = False,
    verify: bool = True,
    body_contains: str | None = None,
    timeout_s: float = 5.0,
) -> Probe:
    """An HTTP probe of a loopback port."""
    return Probe(HOST, HttpCheck(port, path, host, tls, verify, body_contains), timeout_s)


async def asked(prober: SocketProber, probe: Probe) -> ProbeResult:
    """The result, within a bounded time."""
    async with asyncio.timeout(10.0):
        return await prober.probe(probe)


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


async def test_probes_are_bounded_and_waiting_is_not_counted(
    prober: SocketProber, site: Site
) -> None:
    """More probes than places wait their turn, and none looks dead for having waited."""
    probes = [http(site.port, "/slow", timeout_s=2.0) for _ in range(4 * PROBES_AT_ONCE_MAX)]
    results = await asyncio.gather(*(prober.probe(probe) for probe in probes))
    assert set(results) == {Good("status 200")}
    assert 1 < site.at_once_most <= PROBES_AT_ONCE_MAX


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


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate for probe.test, signed by itself, with its key in the same file."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, NAME)])
    now = dt.datetime(2020, 1, 1, tzinfo=dt.UTC)
    names = [x509.DNSName(NAME), x509.IPAddress(ipaddress.ip_address(HOST))]
    made = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now)
        .not_valid_after(now + dt.timedelta(days=36_500))
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    path = tmp_path_factory.mktemp("tls") / "site.pem"
    path.write_bytes(
        made.public_bytes(serialization.Encoding.PEM)
        + key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    return path


@dataclass
class TlsSite(Site):
    """A site that notes the name asked for in TLS."""

    asked_for: list[str | None] = field(default_factory=list)


@pytest.fixture
async def tls_site(certificate: Path) -> AsyncIterator[TlsSite]:
    """A web server with the certificate."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    site = TlsSite()
    context.sni_callback = lambda _, name, __: site.asked_for.append(name)
    async with serving(site, context) as made:
        assert isinstance(made, TlsSite)
        yield made


async def test_an_unknown_certificate_is_bad(prober: SocketProber, tls_site: TlsSite) -> None:
    """With verify on, a certificate that nobody vouches for is bad, and says so."""
    result = await asked(prober, http(tls_site.port, host=NAME, tls=True))
    assert isinstance(result, Bad)
    assert result == Bad("TLS: self-signed certificate")


async def test_without_verify_any_certificate_is_good(
    prober: SocketProber, tls_site: TlsSite
) -> None:
    """verify: false asks for an answer and not for a name; the name is still asked for."""
    result = await asked(prober, http(tls_site.port, host=NAME, tls=True, verify=False))
    assert result == Good("status 200")
    assert tls_site.asked_for == [NAME]


async def test_a_trusted_certificate_is_good_for_its_name_only(
    tls_site: TlsSite, certificate: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The stated host is what the certificate must name."""
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    async with SocketProber() as trusting:
        right = await asked(trusting, http(tls_site.port, host=NAME, tls=True))
        wrong = await asked(trusting, http(tls_site.port, host="other.test", tls=True))
        by_address = await asked(trusting, http(tls_site.port, tls=True))
    assert (right, by_address) == (Good("status 200"), Good("status 200"))
    assert isinstance(wrong, Bad)


async def test_tls_to_a_plain_server_is_bad(prober: SocketProber, site: Site) -> None:
    """A server that does not speak TLS is a bad answer."""
    assert await asked(prober, http(site.port, tls=True)) == Bad("TLS: wrong version number")
