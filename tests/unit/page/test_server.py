"""The HTTP server of a daemon: who is answered what, and that no trouble in it is the daemon's."""

import asyncio
import socket
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import aiohttp
import pytest
from prometheus_client import CollectorRegistry, Gauge
from structlog.testing import capture_logs

from dnsplan.errors import ConfigError
from dnsplan.runtime.clock import SystemClock
from dnsplan.runtime.config.listen_address import Listen
from dnsplan.runtime.page.server import WATCHERS_MAX, Shown, content_policy, host_of, serve

WITHIN_S = 10.0
ANYWHERE = Listen("127.0.0.1", 0, "status.listen")


class QuickClock(SystemClock):
    """A pulse a hundredth of a second long."""

    async def sleep(self, seconds: float) -> None:
        """A moment, whatever is asked for."""
        await super().sleep(min(seconds, 0.01))


@dataclass
class Stand:
    """A daemon's part, as a test moves it."""

    state: bytes = b'{"is":1}'
    not_ready: tuple[str, ...] = ()
    looks: int = 0
    looked: asyncio.Event = field(default_factory=asyncio.Event)
    registry: CollectorRegistry = field(default_factory=CollectorRegistry)

    def look(self) -> bytes:
        """The present state, or a fault of the program."""
        self.looks += 1
        self.looked.set()
        if not self.state:
            raise RuntimeError("cannot be made")
        return self.state

    @asynccontextmanager
    async def served(self) -> AsyncIterator[aiohttp.ClientSession]:
        """A client that asks the server."""
        shown = Shown(self.look, lambda: self.not_ready, self.registry)
        timeout = aiohttp.ClientTimeout(total=WITHIN_S)
        async with (
            serve(ANYWHERE, shown, QuickClock()) as url,
            aiohttp.ClientSession(url, timeout=timeout) as client,
        ):
            yield client


async def ask(
    client: aiohttp.ClientSession, path: str, headers: Mapping[str, str] | None = None
) -> tuple[int, str]:
    """Status and body."""
    async with client.get(path, headers=headers) as answer:
        return answer.status, await answer.text()


async def messages(answer: aiohttp.ClientResponse, count: int) -> list[str]:
    """The next states of a stream, its beats left out."""
    found: list[str] = []
    while len(found) < count:
        line = (await asyncio.wait_for(answer.content.readline(), WITHIN_S)).decode()
        assert line, f"the stream ended after {found}"
        if line.startswith(("data: {", "event: failed")):
            found.append(line.strip())
    return found


async def test_alive_whatever_is_wrong() -> None:
    """Health asks nobody, and does not depend on being ready."""
    stand = Stand(not_ready=("enact: the last pass failed: ReadFailed: gone",))
    async with stand.served() as client:
        assert await ask(client, "/healthz") == (200, "alive\n")
    assert stand.looks == 0


async def test_ready_or_why_not() -> None:
    """Every reason on a line of its own."""
    stand = Stand(not_ready=("enact: it failed", "keep_plans: it failed"))
    async with stand.served() as client:
        assert await ask(client, "/readyz") == (503, "enact: it failed\nkeep_plans: it failed\n")
        stand.not_ready = ()
        assert await ask(client, "/readyz") == (200, "ready\n")


async def test_metrics_are_the_registrys() -> None:
    """In the text form that Prometheus reads."""
    stand = Stand()
    Gauge("dnsplan_answer", "What it is.", registry=stand.registry).set(42)
    async with stand.served() as client, client.get("/metrics") as answer:
        assert answer.content_type == "text/plain"
        assert "dnsplan_answer 42.0" in await answer.text()


@pytest.mark.parametrize("path", ["/", "/state", "/events", "/healthz", "/readyz", "/metrics"])
async def test_another_name_for_this_machine_is_refused(path: str) -> None:
    """A site that points its own name at 127.0.0.1 reads nothing, whatever it asks for."""
    async with Stand().served() as client:
        status, text = await ask(client, path, {"Host": "evil.example:8053"})
    assert (status, "loopback" in text) == (403, True)


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:1", "127.0.0.1:9", "[::1]:8053"])
async def test_loopback_names_are_answered(host: str) -> None:
    """However a person or a proxy on this machine calls it."""
    async with Stand().served() as client:
        assert (await ask(client, "/healthz", {"Host": host}))[0] == 200


async def test_nothing_can_be_changed() -> None:
    """The page is read-only: no method but GET and HEAD is answered anywhere."""
    async with Stand().served() as client:
        for path in ("/", "/state", "/events", "/healthz", "/readyz", "/metrics"):
            for method in ("POST", "PUT", "DELETE", "PATCH"):
                async with client.request(method, path) as answer:
                    assert (path, method, answer.status) == (path, method, 405)


async def test_the_page_may_load_nothing_else() -> None:
    """Its policy admits its own style and script by their digests, and no other source."""
    async with Stand().served() as client, client.get("/") as answer:
        policy = answer.headers["Content-Security-Policy"]
        page = await answer.read()
    assert policy == content_policy(page)
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert policy.count("'sha256-") == 2


async def test_a_stream_tells_the_state_and_then_only_news() -> None:
    """The present state comes at once, and another when there is one."""
    stand = Stand()
    async with stand.served() as client, client.get("/events") as answer:
        assert await messages(answer, 1) == ['data: {"is":1}']
        stand.state = b'{"is":2}'
        assert await messages(answer, 1) == ['data: {"is":2}']


async def test_a_state_that_cannot_be_made_is_told_and_logged_once() -> None:
    """The stream lives on, and the next good state is told."""
    stand = Stand(state=b"")
    with capture_logs() as logs:
        async with stand.served() as client, client.get("/events") as answer:
            assert await messages(answer, 1) == ["event: failed"]
            await messages_after(stand, answer)
    assert [one["event"] for one in logs if one["log_level"] == "error"] == ["page_not_made"]


async def messages_after(stand: Stand, answer: aiohttp.ClientResponse) -> None:
    """Some turns later all is well again."""
    stand.looked.clear()
    for _ in range(2):
        await asyncio.wait_for(stand.looked.wait(), WITHIN_S)
        stand.looked.clear()
    stand.state = b'{"is":3}'
    assert await messages(answer, 1) == ['data: {"is":3}']


async def test_streams_are_bounded() -> None:
    """One watcher too many is told so, and there is room again when one has gone."""
    stand = Stand()
    async with stand.served() as client:
        opened = [await client.get("/events") for _ in range(WATCHERS_MAX)]
        status, text = await ask(client, "/events")
        assert (status, text) == (503, f"{WATCHERS_MAX} pages watch already\n")
        for one in opened:
            one.close()

        async def room() -> None:
            status = 0
            while status != 200:
                async with client.get("/events") as answer:
                    status = answer.status
                    answer.close()
                await asyncio.sleep(0.02)

        await asyncio.wait_for(room(), WITHIN_S)


async def test_a_watcher_keeps_no_daemon_from_ending() -> None:
    """An open stream ends with the server."""
    stand = Stand()
    async with aiohttp.ClientSession() as client:
        shown = Shown(stand.look, lambda: (), stand.registry)
        async with serve(ANYWHERE, shown, QuickClock()) as url:
            answer = await client.get(f"{url}events")
            await messages(answer, 1)
        while await asyncio.wait_for(answer.content.readline(), WITHIN_S):
            pass
        answer.close()


async def test_a_taken_port_names_the_setting() -> None:
    """An operator reads where it is stated and what else can be."""
    with socket.socket() as holder:
        holder.bind(("127.0.0.1", 0))
        holder.listen()
        port = holder.getsockname()[1]
        stand = Stand()
        shown = Shown(stand.look, lambda: (), stand.registry)
        listen = Listen("127.0.0.1", port, "status.listen")
        with pytest.raises(ConfigError) as caught:
            async with serve(listen, shown, QuickClock()):
                pass
    assert str(caught.value) == (
        f"status.listen: 127.0.0.1:{port}: address already in use; allowed: a free port, by"
        " status.listen in the config or by --http HOST:PORT"
    )


@pytest.mark.parametrize(
    ("header", "host"),
    [
        ("", ""),
        ("localhost", "localhost"),
        ("Localhost:80", "localhost"),
        ("[::1]:80", "::1"),
        ("[::1", "::1"),
        ("127.0.0.1.evil.example", "127.0.0.1.evil.example"),
    ],
)
def test_the_host_of_a_header(header: str, host: str) -> None:
    """Without port and brackets, and never a part of a longer name."""
    assert host_of(header) == host
