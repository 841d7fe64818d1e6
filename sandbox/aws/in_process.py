"""Let aiobotocore clients reach a stand-in in their own loop, without a socket.

The same gate, the same faults. What a broken connection would raise is raised here too, and the
client's read timeout runs on the loop's clock, virtual or real.
"""

import asyncio
import inspect
import io
from collections.abc import Mapping
from typing import Any, ClassVar, Self, cast
from urllib.parse import urlsplit

from aiobotocore.awsrequest import AioAWSResponse
from botocore.exceptions import (
    ConnectionClosedError,
    EndpointConnectionError,
    ReadTimeoutError,
)

from sandbox.aws.backend import Backend
from sandbox.aws.call import Answer, Call, read_call
from sandbox.aws.gate import ConnectionLostError, Gate
from sandbox.aws.settings import Chance, StandInSettings

READ_TIMEOUT_S = 60.0


class InProcessStandIn:
    """A stand-in without a server. `session` goes to AioConfig(http_session_cls=...)."""

    def __init__(
        self, *, settings: StandInSettings | None = None, chance: Chance | None = None
    ) -> None:
        chance = chance or Chance()
        self.settings = settings or StandInSettings()
        self.backend = Backend(self.settings, chance)
        self.gate = Gate(self.backend, chance.clock)
        self.route53 = self.backend.route53
        self.faults = self.gate.faults
        self.ledger = self.gate.ledger
        self.session = in_process_session(self.gate)

    def close(self) -> None:
        """Forget everything."""
        self.backend.close()


class Raw(io.BytesIO):
    """What an AioAWSResponse reads its body from."""

    async def read(self, size: int = -1) -> bytes:  # type: ignore[override]  # aiohttp's is async
        return super().read(size)

    @property
    def content(self) -> Self:
        return self


def in_process_session(gate: Gate) -> type["InProcessSession"]:
    """Make the HTTP session class whose requests go to this gate."""

    class Session(InProcessSession):
        """Bound to one gate, for botocore makes its sessions itself."""

        way_in = gate

    return Session


class InProcessSession:
    """Stands where aiobotocore's own HTTP session would."""

    way_in: ClassVar[Gate]
    running: ClassVar[set[asyncio.Task[Answer]]] = set()

    def __init__(self, *_args: Any, timeout: Any = None, **_kwargs: Any) -> None:
        self._read_timeout_s = timeout[1] if isinstance(timeout, (list, tuple)) else timeout

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_exc: object) -> None:
        """There is nothing to close."""

    async def close(self) -> None:
        """There is nothing to close."""

    async def send(self, request: Any) -> Any:
        """Send a prepared request and wait for its answer, or for what befalls it."""
        answer = await self._carried(request, await read_call_of(request))
        sent = {key.lower(): value for key, value in answer.headers.items()}
        # botocore's own header class only adds folding of names, which are folded here.
        response: Any = AioAWSResponse(
            request.url, answer.status, cast(Any, sent), Raw(answer.body)
        )
        if not request.stream_output:
            await response.content
        return response

    async def _carried(self, request: Any, call: Call) -> Answer:
        url = request.url
        if self.way_in.faults.away:
            raise EndpointConnectionError(endpoint_url=url)
        task = asyncio.get_running_loop().create_task(self.way_in.carry(call))
        self.running.add(task)  # a request whose client stops waiting still runs to its end
        task.add_done_callback(self._forget)
        try:
            return await asyncio.wait_for(
                asyncio.shield(task), self._read_timeout_s or READ_TIMEOUT_S
            )
        except TimeoutError as late:
            raise ReadTimeoutError(endpoint_url=url, error=late) from late
        except ConnectionLostError as lost:
            raise ConnectionClosedError(endpoint_url=url, request=request, error=lost) from lost

    def _forget(self, done: asyncio.Task[Answer]) -> None:
        self.running.discard(done)
        if not done.cancelled():
            done.exception()  # read, so that a loss whose client has gone is no warning


async def read_call_of(request: Any) -> Call:
    """Tell what a prepared request asks."""
    parts = urlsplit(request.url)
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    headers = {"host": parts.netloc} | plain(request.headers)
    return read_call(request.method, target, headers, await read_body(request.body))


def plain(headers: Mapping[str, str | bytes]) -> dict[str, str]:
    """Give headers as text, names in lower case."""
    return {
        key.lower(): value.decode() if isinstance(value, bytes) else value
        for key, value in headers.items()
    }


async def read_body(body: Any) -> bytes:
    """Read a request's body, whatever it came as."""
    if hasattr(body, "read"):
        body = body.read()
        if inspect.isawaitable(body):
            body = await body
    if body is None:
        return b""
    if isinstance(body, str):
        return body.encode()
    return bytes(body)
