"""Probes over TLS: whose certificate is good, for which name, and what is asked when none is."""

import datetime as dt
import ipaddress
import ssl
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from planner.adapters.probes import SocketProber
from planner.rules.probing import Bad, Good
from tests.integration.probe_site import HOST, NAME, Site, asked, http, serving


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


async def test_the_name_in_tls_may_be_another_than_the_host(
    tls_site: TlsSite, certificate: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`sni` is asked for and verified, the Host header stays the host."""
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    async with SocketProber() as trusting:
        result = await asked(trusting, http(tls_site.port, host="other.test", sni=NAME, tls=True))
    assert result == Good("status 200")
    assert (tls_site.asked_for, tls_site.requests[0].headers["Host"]) == ([NAME], "other.test")


async def test_tls_to_a_plain_server_is_bad(prober: SocketProber, site: Site) -> None:
    """A server that does not speak TLS is a bad answer."""
    assert await asked(prober, http(site.port, tls=True)) == Bad("TLS: wrong version number")
