"""Serve the stand-in over HTTP on loopback: one loop, one thread, keep-alive, nothing on stdout.

A request that has reached the gate runs to its end, whether or not its client still listens.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from aiohttp import web

from sandbox.aws.backend import Backend
from sandbox.aws.call import Answer, read_call
from sandbox.aws.control import Control
from sandbox.aws.gate import ConnectionLostError, Gate
from sandbox.aws.settings import Chance, StandInSettings

HOST = "127.0.0.1"
BODY_BYTES_MAX = 64 * 1024 * 1024
KEEP_ALIVE_S = 75.0
SHUTDOWN_S = 1.0
REPLY_FIRST_S = 0.05


class StandIn:
    """A running stand-in: where it listens, what it holds, and how to hurt it."""

    def __init__(self, settings: StandInSettings, chance: Chance) -> None:
        self.settings = settings
        self.backend = Backend(settings, chance)
        self.gate = Gate(self.backend, chance.clock)
        self.route53 = self.backend.route53
        self.faults = self.gate.faults
        self.ledger = self.gate.ledger
        self.port = 0
        self._control = Control(self)
        self._running: set[asyncio.Task[Answer]] = set()
        self._absences: set[asyncio.Task[None]] = set()
        self._runner: web.AppRunner | None = None
        self._site: web.TCPSite | None = None

    @property
    def endpoint_url(self) -> str:
        """Give the address that AWS clients use."""
        return f"http://{HOST}:{self.port}"

    async def start(self, port: int) -> None:
        """Listen; port 0 takes a free one."""
        app = web.Application(client_max_size=BODY_BYTES_MAX)
        app.router.add_route("*", "/{tail:.*}", self._handle)
        self._runner = web.AppRunner(
            app, access_log=None, keepalive_timeout=KEEP_ALIVE_S, shutdown_timeout=SHUTDOWN_S
        )
        await self._runner.setup()
        await self._listen(port)

    async def close(self) -> None:
        """Stop listening; what is held is dropped, what is done stays done."""
        for task in [*self._absences, *self._running]:
            task.cancel()
        if self._runner is not None:
            await self._runner.cleanup()
        self.backend.close()

    async def go_away(self) -> None:
        """Refuse every connection, and close those that are open, until `come_back`."""
        self.faults.away = True
        if self._site is not None:
            await self._site.stop()
            self._site = None
        if self._runner is not None and self._runner.server is not None:
            for connection in list(self._runner.server.connections):
                connection.force_close()

    async def come_back(self) -> None:
        """Listen again, on the same port."""
        if self._site is None:
            await self._listen(self.port)
        self.faults.away = False

    def go_away_for(self, seconds: float) -> asyncio.Task[None]:
        """Leave as soon as the present reply is out; the task ends when it has come back."""

        async def absence() -> None:
            await asyncio.sleep(REPLY_FIRST_S)
            await self.go_away()
            await asyncio.sleep(seconds)
            await self.come_back()

        task = asyncio.get_running_loop().create_task(absence())
        self._absences.add(task)
        task.add_done_callback(self._absences.discard)
        return task

    async def _listen(self, port: int) -> None:
        if self._runner is None:
            msg = "the stand-in was not started"
            raise RuntimeError(msg)
        self._site = web.TCPSite(self._runner, HOST, port, reuse_address=True, backlog=1024)
        await self._site.start()
        self.port = int(self._runner.addresses[0][1])

    async def _handle(self, request: web.Request) -> web.StreamResponse:
        body = await request.read()
        if request.path.startswith("/_sandbox/"):
            return await self._control.answer(request, body)
        headers = {name.lower(): value for name, value in request.headers.items()}
        call = read_call(request.method, request.raw_path, headers, body)
        task = asyncio.get_running_loop().create_task(self.gate.carry(call))
        self._running.add(task)
        task.add_done_callback(self._forget)
        try:
            answer = await task
        except ConnectionLostError:
            return hang_up(request)
        return web.Response(status=answer.status, headers=answer.headers, body=answer.body)

    def _forget(self, task: asyncio.Task[Answer]) -> None:
        self._running.discard(task)
        with suppress(asyncio.CancelledError):
            task.exception()  # read, so that a loss whose client has gone is no warning


def hang_up(request: web.Request) -> web.StreamResponse:
    """Close the client's connection without a reply."""
    if request.transport is not None:
        request.transport.close()
    return web.Response(status=503)


@asynccontextmanager
async def serve(
    *, port: int = 0, settings: StandInSettings | None = None, chance: Chance | None = None
) -> AsyncIterator[StandIn]:
    """Run a stand-in for as long as the block lasts."""
    stand_in = StandIn(settings or StandInSettings(), chance or Chance())
    try:
        await stand_in.start(port)
        yield stand_in
    finally:
        await stand_in.close()
