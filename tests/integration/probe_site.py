"""Real web servers on loopback for probes to ask, and probes to ask them."""

import asyncio
import ssl
from dataclasses import dataclass, field, replace

from aiohttp import web

from planner.adapters.probes import BODY_BYTES_MAX, SocketProber
from planner.rules.probing import HttpCheck, Probe, ProbeResult

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
    sni: str | None = None,
    statuses: frozenset[int] = frozenset(),
    timeout_s: float = 5.0,
) -> Probe:
    """An HTTP probe of a loopback port."""
    check = HttpCheck(port, path, host, tls, verify, body_contains)
    return Probe(HOST, replace(check, sni=sni, statuses=statuses), timeout_s)


async def asked(prober: SocketProber, probe: Probe) -> ProbeResult:
    """The result, within a bounded time."""
    async with asyncio.timeout(10.0):
        return await prober.probe(probe)
