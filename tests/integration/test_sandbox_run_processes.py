"""The sandbox's processes, for real: restarted when they die, ended with it, never left behind."""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import aiohttp
import pytest

from dnsplan.runtime.clock import SystemClock
from sandbox.run.cast import backends_command
from sandbox.run.child import CannotStart, Child, Command
from sandbox.run.crew import Crew
from sandbox.run.events import Event
from sandbox.run.hosts import BackendAddress
from sandbox.run.ports import free_port

WITHIN_S = 15.0

# Entry points for children: what a daemon could do, without a daemon.
ACTORS = """
import json, os, signal, sys, time

def say(**fields):
    print(json.dumps(fields), flush=True)

def serve():
    say(event="serving", level="info", argv=sys.argv)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    time.sleep(60)

def deaf():
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    say(event="serving", level="info")
    time.sleep(60)

def refuse():
    print("dns.yaml:3: zones: wrong", file=sys.stderr, flush=True)
    sys.exit(2)

def chatter():
    print("x" * (2 * 1024 * 1024), flush=True)
    say(event="still_here", level="info")
"""


@pytest.fixture
def actors(tmp_path: Path) -> dict[str, str]:
    """An environment in which `actors` can be imported by a child."""
    (tmp_path / "actors.py").write_text(ACTORS)
    return {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])}


class Heard:
    """Events as they come, and a way to wait for one."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self._changed = asyncio.Event()

    def __call__(self, event: Event) -> None:
        self.events.append(event)
        self._changed.set()

    async def wait_for(self, what: str, times: int = 1) -> Event:
        """The event of this name, for the n-th time."""
        async with asyncio.timeout(WITHIN_S):
            while len(found := [one for one in self.events if one.what == what]) < times:
                self._changed.clear()
                await self._changed.wait()
        return found[times - 1]


def command(environment: dict[str, str], function: str) -> Command:
    return Command("child", f"actors:{function}", ("daemon", "--az", "a"), environment)


def is_alive(pid: int) -> bool:
    """Whether a process runs (a zombie that nobody has waited for does not)."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


async def gone(pid: int) -> None:
    """Wait until a process has ended."""
    async with asyncio.timeout(WITHIN_S):
        while is_alive(pid):  # noqa: ASYNC110 - another process's child: only /proc tells of it
            await asyncio.sleep(0.02)


@pytest.fixture
async def crew() -> AsyncIterator[tuple[Crew, Heard]]:
    """A crew that is ended after the test."""
    heard = Heard()
    crew = Crew(SystemClock(), heard)
    try:
        yield crew, heard
    finally:
        await crew.aclose()


async def test_a_killed_child_comes_back_with_the_same_arguments(
    actors: dict[str, str], crew: tuple[Crew, Heard]
) -> None:
    """SIGKILL is told, and a new process does the same work."""
    everyone, heard = crew
    child = everyone.start(command(actors, "serve"))
    first = await heard.wait_for("serving")
    killed = child.pid
    assert killed is not None
    assert os.getpgid(killed) != os.getpgid(0), "a terminal's Ctrl-C would reach it as well"
    os.kill(killed, signal.SIGKILL)
    again = await heard.wait_for("serving", times=2)
    assert first.facts == again.facts == (("argv", '["daemon","--az","a"]'),)
    assert ("how", "SIGKILL") in (await heard.wait_for("died")).facts
    assert (child.restarts, child.pid == killed) == (1, False)


async def test_closing_ends_every_child(actors: dict[str, str]) -> None:
    """Also one that dies and waits to be started again."""
    heard = Heard()
    everyone = Crew(SystemClock(), heard)
    serving = everyone.start(command(actors, "serve"))
    dying = everyone.start(command(actors, "chatter"))
    await heard.wait_for("serving")
    await heard.wait_for("died")
    pid = serving.pid
    assert pid is not None
    await asyncio.wait_for(everyone.aclose(), WITHIN_S)
    assert (serving.pid, dying.pid, is_alive(pid)) == (None, None, False)


async def test_an_orderly_end_is_not_told_as_a_death(actors: dict[str, str]) -> None:
    """A person who stops the sandbox reads of no trouble."""
    heard = Heard()
    everyone = Crew(SystemClock(), heard)
    everyone.start(command(actors, "serve"))
    await heard.wait_for("serving")
    await asyncio.wait_for(everyone.aclose(), WITHIN_S)
    assert [event.what for event in heard.events] == ["started", "serving"]


async def test_a_deaf_child_is_killed(
    actors: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The wait for an orderly end is bounded."""
    monkeypatch.setattr("sandbox.run.crew.PASS_ENDS_WITHIN_S", 0.2)
    monkeypatch.setattr("sandbox.run.crew.STOPS_WITHIN_S", 0.2)
    heard = Heard()
    everyone = Crew(SystemClock(), heard)
    child = everyone.start(command(actors, "deaf"))
    await heard.wait_for("serving")
    pid = child.pid
    assert pid is not None
    await asyncio.wait_for(everyone.aclose(), WITHIN_S)
    assert not is_alive(pid)


async def test_a_refused_config_is_told_with_the_childs_own_words(
    actors: dict[str, str], crew: tuple[Crew, Heard]
) -> None:
    """It is not tried again: it would only refuse once more."""
    everyone, heard = crew
    everyone.start(command(actors, "refuse"))
    with pytest.raises(CannotStart, match=r"^dns\.yaml:3: zones: wrong$"):
        await asyncio.wait_for(everyone.refused, WITHIN_S)
    assert sum(event.what == "started" for event in heard.events) == 1


async def test_an_endless_line_harms_nobody(actors: dict[str, str]) -> None:
    """A line beyond the bound is told, and the next one is read."""
    heard = Heard()
    child = Child(command(actors, "chatter"), SystemClock(), heard)
    assert await asyncio.wait_for(child.run_once(), WITHIN_S) == 0
    await heard.wait_for("still_here")
    await heard.wait_for("line_too_long")


@pytest.mark.skipif(sys.platform != "linux", reason="the leash is the Linux kernel's")
async def test_no_child_outlives_a_sandbox_that_is_killed_outright(
    actors: dict[str, str], tmp_path: Path
) -> None:
    """A daemon holds for ever without AWS, so SIGKILL of the sandbox must end it too."""
    parent = (
        "import asyncio, os\n"
        "from dnsplan.runtime.clock import SystemClock\n"
        "from sandbox.run.child import Child, Command\n"
        "from sandbox.run.crew import Crew\n"
        "async def main():\n"
        "    crew = Crew(SystemClock(), lambda event: print(event.what, event.facts, flush=True))\n"
        "    crew.start(Command('child', 'actors:serve', ('daemon',), dict(os.environ)))\n"
        "    await asyncio.sleep(60)\n"
        "asyncio.run(main())\n"
    )
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", parent, env=actors, stdout=asyncio.subprocess.PIPE
    )
    assert process.stdout is not None
    pid = None
    async with asyncio.timeout(WITHIN_S):
        async for raw in process.stdout:
            line = raw.decode()
            if line.startswith("started"):
                pid = int(line.split("'")[3])
            if line.startswith("serving"):
                break
    assert pid is not None
    assert is_alive(pid)
    process.kill()
    await process.wait()
    await gone(pid)


@pytest.mark.allow_hosts(["127.0.0.1", "127.0.9.1", "127.0.9.2"])
async def test_a_demo_server_is_stopped_and_started_by_name(crew: tuple[Crew, Heard]) -> None:
    """A stopped one refuses connections, as a dead host's port does; its neighbour serves on."""
    everyone, heard = crew
    servers = [BackendAddress(name, f"127.0.9.{n}", 0) for n, name in enumerate("ab", start=1)]
    port = free_port(0, tuple(one.address for one in servers))
    control = free_port(0)
    servers = [BackendAddress(one.id, one.address, port) for one in servers]
    everyone.start(backends_command(control, servers, outer=os.environ))
    await heard.wait_for("backends_ready")
    api = f"http://127.0.0.1:{control}"
    async with aiohttp.ClientSession() as session:

        async def get(address: str) -> str:
            async with session.get(f"http://{address}:{port}/healthz") as answer:
                return await answer.text()

        async def post(path: str) -> tuple[int, str]:
            async with session.post(f"{api}{path}") as answer:
                return answer.status, await answer.text()

        assert await get("127.0.9.1") == "a is healthy\n"
        assert await post("/stop/a") == (200, "a down\n")
        with pytest.raises(aiohttp.ClientConnectionError):
            await get("127.0.9.1")
        assert await get("127.0.9.2") == "b is healthy\n"
        assert await post("/stop/a") == (200, "a down\n")
        assert await post("/start/a") == (200, "a up\n")
        assert await get("127.0.9.1") == "a is healthy\n"
        assert await post("/stop/c") == (404, "no backend 'c'; there are a, b\n")
        async with session.get(f"{api}/") as answer:
            shown = await answer.json()
        assert [(one["id"], one["up"]) for one in shown] == [("a", True), ("b", True)]
    await heard.wait_for("backend_stopped")


async def test_an_address_that_cannot_be_used_ends_the_servers_with_a_message(
    crew: tuple[Crew, Heard],
) -> None:
    """A port that somebody else holds is said, not tried for ever."""
    everyone, _ = crew
    held = await asyncio.start_server(lambda *_: None, "127.0.9.3", 0)
    port = held.sockets[0].getsockname()[1]
    async with held:
        servers = [BackendAddress("a", "127.0.9.3", port)]
        everyone.start(backends_command(free_port(0), servers, outer=os.environ))
        with pytest.raises(CannotStart, match="a demo backend cannot listen"):
            await asyncio.wait_for(everyone.refused, WITHIN_S)
