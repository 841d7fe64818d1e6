"""A daemon's HTTP server on loopback: a read-only page, its health and its metrics.

It answers out of this process's memory and asks nobody, so it works when AWS is gone. Whatever goes
wrong in it is answered as an error and logged; it never ends, slows or changes what the daemon
does. Only a browser that asks for this machine by a loopback name is answered, so that no page of
another site can read it by way of a DNS name of its own.
"""

import asyncio
import base64
import hashlib
import os
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from importlib import resources

import structlog
from aiohttp import web
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest

from dnsplan.errors import ConfigError, Problem
from dnsplan.ports import Clock
from dnsplan.runtime.config.listen_address import LOCALHOST, OPTION, SETTING, Listen
from dnsplan.runtime.page.malformed import server_log
from dnsplan.runtime.page.pulse import Pulse

STOPS_WITHIN_S = 1.0
# People who look; a script that opens streams without end is told so.
WATCHERS_MAX = 32
WRITTEN_WITHIN_S = 10.0

Answer = Callable[[web.Request], Awaitable[web.StreamResponse]]

_INLINE = re.compile(rb"<(style|script)>(.*?)</\1>", re.DOTALL)
_PLAIN = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}


class CannotListen(ConfigError):
    """The page's address is not to be had; the text names the setting that states it."""

    def __init__(self, listen: Listen, why: str) -> None:
        """Say what an operator can change."""
        allowed = f"a free port, by {SETTING} in the config or by {OPTION} HOST:PORT"
        super().__init__((Problem(listen.setting, None, listen.text, why, allowed),))


@dataclass(frozen=True, slots=True)
class Shown:
    """What is served. `not_ready` says why the daemon is not ready; empty when it is."""

    look: Callable[[], bytes]
    not_ready: Callable[[], tuple[str, ...]]
    registry: CollectorRegistry


@asynccontextmanager
async def serve(listen: Listen, shown: Shown, clock: Clock) -> AsyncIterator[str]:
    """Serve for as long as the block lasts, and give the page's address. CannotListen."""
    server = PageServer(shown, listen.host, clock)
    runner = web.AppRunner(
        server.application(),
        access_log=None,
        logger=server_log(clock),
        handle_signals=False,
        handler_cancellation=True,  # a browser that goes makes room at once
        shutdown_timeout=STOPS_WITHIN_S,
    )
    await runner.setup()
    try:
        site = web.TCPSite(runner, listen.host, listen.port)
        try:
            await site.start()
        except OSError as error:
            raise CannotListen(listen, _why(error)) from error
        port = runner.addresses[0][1]
        url = f"http://{listen._replace(port=port).text}/"
        structlog.get_logger("page").info("page_served", url=url)
        yield url
    finally:
        server.pulse.stop()
        await runner.cleanup()


class PageServer:
    """The routes."""

    def __init__(self, shown: Shown, host: str, clock: Clock) -> None:
        """Read the page once; its style and script are allowed by their digests and no others."""
        self._shown = shown
        self._hosts = {host, LOCALHOST, "127.0.0.1", "::1"}
        self._page = resources.files(__package__).joinpath("page.html").read_bytes()
        self._page_headers = {**_PLAIN, "Content-Security-Policy": content_policy(self._page)}
        self._watchers = 0
        self.pulse = Pulse(shown.look, clock)

    def application(self) -> web.Application:
        """All that is answered; only GET and HEAD are."""
        application = web.Application(middlewares=[self._only_for_this_machine])
        application.router.add_get("/", self._front)
        application.router.add_get("/state", self._state)
        application.router.add_get("/events", self._events, allow_head=False)
        application.router.add_get("/healthz", self._healthz)
        application.router.add_get("/readyz", self._readyz)
        application.router.add_get("/metrics", self._metrics)
        return application

    @web.middleware
    async def _only_for_this_machine(
        self, request: web.Request, handler: Answer
    ) -> web.StreamResponse:
        """A page elsewhere can point its own name here; its browser then says that name."""
        if host_of(request.headers.get("Host", "")) not in self._hosts:
            text = "ask for this page by a loopback address, as http://127.0.0.1/ or localhost\n"
            return web.Response(status=403, text=text, headers=_PLAIN)
        return await handler(request)

    async def _front(self, _request: web.Request) -> web.Response:
        return web.Response(
            body=self._page, content_type="text/html", charset="utf-8", headers=self._page_headers
        )

    async def _state(self, _request: web.Request) -> web.Response:
        body = self._shown.look()
        return web.Response(body=body, content_type="application/json", headers=_PLAIN)

    async def _healthz(self, _request: web.Request) -> web.Response:
        """The loop turns, or nobody would answer."""
        return web.Response(text="alive\n", headers=_PLAIN)

    async def _readyz(self, _request: web.Request) -> web.Response:
        why = self._shown.not_ready()
        text = "".join(f"{one}\n" for one in why) or "ready\n"
        return web.Response(status=503 if why else 200, text=text, headers=_PLAIN)

    async def _metrics(self, _request: web.Request) -> web.Response:
        body = generate_latest(self._shown.registry)
        return web.Response(body=body, headers={**_PLAIN, "Content-Type": CONTENT_TYPE_LATEST})

    async def _events(self, request: web.Request) -> web.StreamResponse:
        """The state now, and again whenever it is another, until the browser goes."""
        if self._watchers >= WATCHERS_MAX:
            text = f"{WATCHERS_MAX} pages watch already\n"
            return web.Response(status=503, text=text, headers={**_PLAIN, "Retry-After": "30"})
        stream = web.StreamResponse(headers={**_PLAIN, "Content-Type": "text/event-stream"})
        self._watchers += 1
        try:
            await stream.prepare(request)
            async with self.pulse.watching() as messages:
                async for message in messages:
                    await asyncio.wait_for(stream.write(message), WRITTEN_WITHIN_S)
        except (ConnectionError, TimeoutError):
            pass  # the browser is gone, or reads no more; it asks again when it is back
        finally:
            self._watchers -= 1
        return stream


def host_of(header: str) -> str:
    """The host that a Host header names, without port and brackets."""
    if header.startswith("["):
        return header[1:].partition("]")[0]
    return header.partition(":")[0].lower()


def content_policy(page: bytes) -> str:
    """Nothing from anywhere but what stands in the page, and questions to where it came from."""
    found: dict[bytes, list[str]] = {b"style": [], b"script": []}
    for kind, text in _INLINE.findall(page):
        digest = base64.b64encode(hashlib.sha256(text).digest()).decode()
        found[kind].append(f"'sha256-{digest}'")
    return (
        f"default-src 'none'; style-src {' '.join(found[b'style'])};"
        f" script-src {' '.join(found[b'script'])}; connect-src 'self'; img-src data:;"
        " base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )


def _why(error: OSError) -> str:
    """The system's own word; asyncio says the address a second time."""
    return str(error) if error.errno is None else os.strerror(error.errno).lower()
