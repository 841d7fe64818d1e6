"""Asks targets over TCP, HTTP, HTTPS and DNS: one question, one connection, closed each time.

Every probe ends within its time-out, counted from when it is sent and not while it waits for a free
place or its turn, so that a busy prober never makes a target look dead. However many targets fail,
no more connections are open at once, and no more are opened in a second, than stated. Redirects are
not followed, no more than 64 KB of a body are read, and no proxy or cookie of this machine is used.
"""

import asyncio
import contextlib
import errno
import os
import ssl
from types import TracebackType
from typing import Self, assert_never

import aiohttp
from yarl import URL

from dnsplan.ports import Clock
from dnsplan.runtime.clock import SystemClock
from planner.adapters.dns_probe import ask_dns
from planner.adapters.turns import Turns
from planner.rules.probing import (
    Bad,
    DnsCheck,
    Good,
    HttpCheck,
    NotAsked,
    Probe,
    ProbeResult,
    TcpCheck,
)

# Half of the 1,024 file descriptors that a process has by default: with a time-out of 2 s, over
# 1,200 targets that say nothing at all are still gone around every 5 s.
PROBES_AT_ONCE_MAX = 512
PROBES_PER_S_MAX = 500.0

# Planning a zone of 10,000 pool-driven names holds the loop for some 0.4 s.
LATE_S_MAX = 0.25

BODY_BYTES_MAX = 64 * 1024
_PIECE_BYTES = 8 * 1024

# Errors that say that this machine could not ask. What the target or the way to it answers
# (refused, host unreachable, reset) is not among them.
_OURS = frozenset(
    {
        errno.EMFILE,
        errno.ENFILE,
        errno.ENOBUFS,
        errno.ENOMEM,
        errno.EADDRNOTAVAIL,
        errno.EAFNOSUPPORT,
        errno.ENETDOWN,
        errno.ENETUNREACH,
        errno.EACCES,
        errno.EPERM,
    }
)


class SocketProber:
    """A `Prober` on real sockets. Used as an async context manager."""

    def __init__(
        self,
        *,
        at_once_max: int = PROBES_AT_ONCE_MAX,
        per_s_max: float = PROBES_PER_S_MAX,
        clock: Clock | None = None,
    ) -> None:
        """Open nothing yet; the session belongs to the running loop."""
        self._places = asyncio.Semaphore(at_once_max)
        self._turns = Turns(per_s_max, clock or SystemClock())
        self._trusting = ssl.create_default_context()
        self._session: aiohttp.ClientSession | None = None

    async def __aenter__(self) -> Self:
        """Open the one HTTP session."""
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=0, force_close=True),
            cookie_jar=aiohttp.DummyCookieJar(),
            timeout=aiohttp.ClientTimeout(total=None),
            trust_env=False,
        )
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close it."""
        if self._session is not None:
            await self._session.close()

    async def probe(self, probe: Probe) -> ProbeResult:
        """Ask once within the time-out."""
        async with self._places:
            await self._turns.next()
            due_s = asyncio.get_running_loop().time() + probe.timeout_s
            try:
                async with asyncio.timeout_at(due_s):
                    return await self._ask(probe)
            except TimeoutError:
                return _timed_out(probe, late_s=asyncio.get_running_loop().time() - due_s)
            except (ssl.SSLError, aiohttp.ClientSSLError) as error:
                return Bad(f"TLS: {_tls_words(error)}")
            except OSError as error:
                return _os_result(error)
            except (aiohttp.ClientError, ValueError) as error:
                return Bad(f"{type(error).__name__}: {error}")

    async def _ask(self, probe: Probe) -> ProbeResult:
        check = probe.check
        match check:
            case TcpCheck(port):
                _, writer = await asyncio.open_connection(probe.address, port)
                writer.transport.abort()  # nothing was said, so nothing is left to say
                with contextlib.suppress(OSError):
                    await writer.wait_closed()
                return Good("connected")
            case HttpCheck():
                return await self._get(probe.address, check)
            case DnsCheck():
                return await ask_dns(probe.address, check)
            case _:
                assert_never(check)

    async def _get(self, address: str, check: HttpCheck) -> ProbeResult:
        if self._session is None:
            return NotAsked("the prober is closed")
        headers = {"User-Agent": "dnsplan-probe", "Connection": "close"}
        if check.host is not None:
            headers["Host"] = check.host
        request = self._session.get(
            _url(address, check),
            allow_redirects=False,
            headers=headers,
            ssl=self._trusting if check.verify else False,
            server_hostname=_name_in_tls(check),
        )
        async with request as response:
            if not check.wants(response.status):
                return Bad(f"status {response.status}")
            if check.body_contains is not None and not await _holds(
                response.content, check.body_contains.encode()
            ):
                return Bad(f"status {response.status}, the body lacks {check.body_contains!r}")
            return Good(f"status {response.status}")


def _name_in_tls(check: HttpCheck) -> str | None:
    if not check.tls:
        return None
    return check.sni or (check.host.partition(":")[0] if check.host else None)


def _url(address: str, check: HttpCheck) -> URL:
    scheme = "https" if check.tls else "http"
    host = f"[{address}]" if ":" in address else address
    return URL(f"{scheme}://{host}:{check.port}{check.path}", encoded=True)


async def _holds(body: aiohttp.StreamReader, text: bytes) -> bool:
    """Whether the text stands in the first 64 KB, read no further than needed."""
    seen = bytearray()
    while len(seen) < BODY_BYTES_MAX:
        piece = await body.read(min(_PIECE_BYTES, BODY_BYTES_MAX - len(seen)))
        if not piece:
            return False
        start = max(0, len(seen) - len(text))
        seen += piece
        if text in seen[start:]:
            return True
    return False


def _timed_out(probe: Probe, *, late_s: float) -> ProbeResult:
    """A time-out noticed late says that this process did not listen, not who was silent."""
    if late_s > LATE_S_MAX:
        return NotAsked(f"this machine was {late_s:.1f} s too busy to listen")
    return Bad(f"no answer within {probe.timeout_s:g} s")


def _tls_words(error: Exception) -> str:
    """What TLS found, without what aiohttp writes around it."""
    match error:
        case aiohttp.ClientConnectorCertificateError():
            inner: BaseException = error.certificate_error
        case aiohttp.ClientConnectorError():
            inner = error.os_error
        case _:
            inner = error
    if isinstance(inner, ssl.SSLCertVerificationError):
        return inner.verify_message
    reason = getattr(inner, "reason", None)  # absent where a subclass never called SSLError
    return str(reason or inner).replace("_", " ").lower()


def _os_result(raised: OSError) -> ProbeResult:
    # aiohttp writes host and port around it, and asyncio its own prose into strerror; the system's
    # words for the number are plainer. A connection that ends in the handshake has no number.
    error = raised.os_error if isinstance(raised, aiohttp.ClientConnectorError) else raised
    if isinstance(error, ConnectionError) and not error.errno:
        return Bad("the connection ended")
    words = os.strerror(error.errno) if error.errno else str(error) or type(error).__name__
    if error.errno in _OURS:
        return NotAsked(f"this machine could not ask: {words}")
    return Bad(words.lower())
