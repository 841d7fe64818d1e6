"""Local HTTP servers that stand in for a team's hosts, each on a loopback address of its own.

They run as one process beside the sandbox and can be stopped and started one by one over HTTP, so
that a person sees what the planner makes of a dead host. A stopped one refuses connections, as a
dead host's port would.

    curl -X POST http://127.0.0.1:CONTROL_PORT/stop/web-b
    curl -X POST http://127.0.0.1:CONTROL_PORT/start/web-b
    curl http://127.0.0.1:CONTROL_PORT/
"""

import asyncio
import signal
import sys
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field

import msgspec
from aiohttp import web

from sandbox.run.hosts import HOST, BackendAddress, parse_address

SHUTDOWN_S = 0.5


@dataclass(slots=True)
class Backend:
    """One server; it answers every path with its own name."""

    where: BackendAddress
    requests: int = 0
    _runner: web.ServerRunner | None = None

    @property
    def is_up(self) -> bool:
        """Whether it listens."""
        return self._runner is not None

    async def start(self) -> None:
        """Listen; nothing if it does."""
        if self._runner is not None:
            return
        server = web.Server(self._answer, access_log=None)
        runner = web.ServerRunner(server, shutdown_timeout=SHUTDOWN_S)
        await runner.setup()
        site = web.TCPSite(runner, self.where.address, self.where.port, reuse_address=True)
        await site.start()
        self._runner = runner

    async def stop(self) -> None:
        """Close the port and every connection; nothing if it is closed."""
        runner, self._runner = self._runner, None
        if runner is not None:
            await runner.cleanup()

    async def _answer(self, _request: web.BaseRequest) -> web.StreamResponse:
        self.requests += 1
        return web.Response(text=f"{self.where.id} is healthy\n")


@dataclass(slots=True)
class Backends:
    """All of them, and the control server."""

    all: dict[str, Backend]
    _stack: AsyncExitStack = field(default_factory=AsyncExitStack)

    async def serve(self, control_port: int) -> None:
        """Start every backend, then the control server."""
        for backend in self.all.values():
            self._stack.push_async_callback(backend.stop)
            await backend.start()
        app = web.Application()
        app.add_routes(
            [
                web.get("/", self._list),
                web.post("/stop/{id}", self._stop),
                web.post("/start/{id}", self._start),
            ]
        )
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=SHUTDOWN_S)
        self._stack.push_async_callback(runner.cleanup)
        await runner.setup()
        await web.TCPSite(runner, HOST, control_port, reuse_address=True).start()

    async def close(self) -> None:
        """Stop all of it."""
        await self._stack.aclose()

    async def _list(self, _request: web.Request) -> web.Response:
        shown = [
            {
                "id": one.where.id,
                "address": one.where.address,
                "port": one.where.port,
                "up": one.is_up,
                "requests": one.requests,
            }
            for one in self.all.values()
        ]
        return web.Response(
            body=msgspec.json.encode(shown) + b"\n", content_type="application/json"
        )

    async def _stop(self, request: web.Request) -> web.Response:
        backend = self._asked(request)
        await backend.stop()
        return self._done(backend, "backend_stopped")

    async def _start(self, request: web.Request) -> web.Response:
        backend = self._asked(request)
        await backend.start()
        return self._done(backend, "backend_started")

    def _asked(self, request: web.Request) -> Backend:
        wanted = request.match_info["id"]
        if wanted not in self.all:
            text = f"no backend {wanted!r}; there are {', '.join(sorted(self.all))}\n"
            raise web.HTTPNotFound(text=text)
        return self.all[wanted]

    def _done(self, backend: Backend, event: str) -> web.Response:
        say(event, id=backend.where.id, address=backend.where.address)
        return web.Response(text=f"{backend.where.id} {'up' if backend.is_up else 'down'}\n")


def say(event: str, **facts: object) -> None:
    """Log one line as the daemons do in a pipe."""
    sys.stdout.write(
        msgspec.json.encode({"event": event, "level": "info", **facts}).decode() + "\n"
    )
    sys.stdout.flush()


async def serve_until_stopped(control_port: int, addresses: Sequence[BackendAddress]) -> int:
    """Serve until SIGTERM or SIGINT; 2 with a message when an address cannot be used."""
    stopped = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stopped.set)
    backends = Backends({one.id: Backend(one) for one in addresses})
    try:
        await backends.serve(control_port)
        say("backends_ready", control=f"http://{HOST}:{control_port}/", backends=len(addresses))
        await stopped.wait()
    except OSError as error:
        hint = "another sandbox with this config may be running"
        sys.stderr.write(f"a demo backend cannot listen: {error}; {hint}\n")
        return 2
    finally:
        await backends.close()
    return 0


def run() -> None:
    """Entry point: CONTROL_PORT ID=ADDRESS@PORT ..."""
    control_port, *addresses = sys.argv[1:]
    sys.exit(
        asyncio.run(serve_until_stopped(int(control_port), [parse_address(a) for a in addresses]))
    )
