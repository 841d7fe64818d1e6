"""Files, commands and web addresses as sources: each read is bounded, and trouble is no list."""

import asyncio
import json
import os
import resource
import socket
import sys
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pytest
from aiohttp import web

from dnsplan.runtime.config.secret import SecretText
from planner.adapters.sources.commands import CommandSource
from planner.adapters.sources.files import FileSource
from planner.adapters.sources.web import WebSource
from planner.rules.document import DOCUMENT_BYTES_MAX
from planner.rules.roll import Listing

GOOD = json.dumps({"targets": [{"id": "a", "address": "192.0.2.1"}]})


def ids(listing: Listing) -> list[str]:
    """Whom a complete listing names."""
    assert listing.problem is None
    return [one.id for one in listing.targets]


async def test_a_file_is_seen_as_it_is_now(tmp_path: Path) -> None:
    """Replaced whole, also within one second and by a file with an older date."""
    path, other = tmp_path / "targets.json", tmp_path / "new.json"
    source = FileSource(path)
    path.write_text(GOOD)
    assert ids(await source.read()) == ["a"]
    other.write_text(GOOD.replace('"a"', '"b"'))
    os.utime(other, (1, 1))
    other.replace(path)
    assert ids(await source.read()) == ["b"]


async def test_what_is_no_file_is_trouble_in_words(tmp_path: Path) -> None:
    """Missing, a folder, a pipe that nobody writes into, and half a file."""
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "half").write_text(GOOD[:-9])
    found = {
        name: (await FileSource(tmp_path / name).read()).problem or ""
        for name in ("missing", ".", "pipe", "half")
    }
    assert found["missing"] == "no such file or directory"
    assert (found["."], found["pipe"]) == ("not a regular file", "not a regular file")
    assert found["half"].startswith("not as docs/targets.schema.json says")


class AwayFile(FileSource):
    """On a disk that hangs until it is back."""

    back = threading.Event()

    def _read(self) -> Listing:
        self.back.wait()
        return super()._read()


async def test_files_on_a_disk_that_hangs_are_said_and_hold_up_nobody(tmp_path: Path) -> None:
    """More of them than the loop has threads, which look up the addresses of AWS."""
    path = tmp_path / "targets.json"
    path.write_text(GOOD)
    sources = [AwayFile(path, within_s=0.05) for _ in range(64)]
    found = await asyncio.gather(*(source.read() for source in sources))
    assert set(found) == {Listing((), "not read in 0.05 s")}
    async with asyncio.timeout(10.0):
        assert await asyncio.to_thread(lambda: "free") == "free"
    AwayFile.back.set()
    assert ids(await AwayFile(path).read()) == ["a"]


def script(text: str, *, timeout_s: float = 20.0) -> CommandSource:
    """A command of Python."""
    return CommandSource([sys.executable, "-c", text], {"FOUND": GOOD}, timeout_s=timeout_s)


async def test_a_command_s_output_is_the_list() -> None:
    """No shell stands between; it finds the environment that it is given and no other."""
    text = "import os; print(os.environ['FOUND']); assert 'HOME' not in os.environ"
    listing = await script(text).read()
    assert ids(listing) == ["a"]


async def test_a_command_that_fails_names_nobody() -> None:
    """Even when it printed a list before; what it complained of is told."""
    text = "import os, sys; print(os.environ['FOUND'], flush=True); sys.exit('no inventory')"
    assert await script(text).read() == Listing((), "exit code 1: no inventory")


def leaves_a_child(mark: Path, then: str) -> str:
    """A script that notes the process it starts, and then does something else."""
    return (
        "import os, subprocess, sys, time\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\n"
        f"open({str(mark)!r}, 'w').write(str(child.pid)); {then}"
    )


async def test_a_command_that_does_not_end_is_killed(tmp_path: Path) -> None:
    """With what it started, so that nothing piles up from read to read."""
    text = leaves_a_child(tmp_path / "pid", "time.sleep(600)")
    listing = await script(text, timeout_s=2.0).read()
    assert listing == Listing((), "not done in 2 s, killed")
    await has_ended(int((tmp_path / "pid").read_text()))


async def test_what_a_command_leaves_running_is_killed(tmp_path: Path) -> None:
    """Its list counts, and nothing of it stays until the next read leaves another."""
    listing = await script(leaves_a_child(tmp_path / "pid", "print(os.environ['FOUND'])")).read()
    assert ids(listing) == ["a"]
    await has_ended(int((tmp_path / "pid").read_text()))


async def has_ended(child: int) -> None:
    """Whether a process ends soon."""
    for _ in range(1000):
        if not is_running(child):
            return
        await asyncio.sleep(0.01)
    pytest.fail(f"process {child} runs on after its parent was killed")


def is_running(pid: int) -> bool:
    """Whether a process does anything still; one that nobody buried yet does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


async def test_a_command_that_prints_without_end_is_killed() -> None:
    """It fills no memory."""
    listing = await script("import sys\nwhile True: sys.stdout.write('x' * 65536)").read()
    assert listing == Listing((), f"more than {DOCUMENT_BYTES_MAX} bytes, killed")


async def test_a_process_without_a_place_for_one_more_file_goes_on() -> None:
    """No command can be started then; the planner stays up, and what was known stays."""
    few, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    source = CommandSource(["true"], {}, timeout_s=5.0)
    taken = [os.open(os.devnull, os.O_RDONLY)]
    resource.setrlimit(resource.RLIMIT_NOFILE, (taken[0] + 2, most))
    try:
        with suppress(OSError):
            while True:
                taken.append(os.dup(taken[0]))
        listing = await source.read()
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (few, most))
        for one in taken:
            os.close(one)
    assert listing == Listing((), "cannot be started: too many open files")


async def test_a_command_that_is_not_there_is_trouble_in_words() -> None:
    """As any other."""
    source = CommandSource(["/nowhere/list-targets"], {}, timeout_s=1.0)
    assert await source.read() == Listing((), "cannot be started: no such file or directory")


Answering = Callable[[web.Request], Awaitable[web.StreamResponse]]


@asynccontextmanager
async def site(answer: Answering) -> AsyncIterator[SecretText]:
    """A web server on a port of its own, and the address to ask."""
    app = web.Application()
    app.router.add_get("/targets", answer)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        port = runner.addresses[0][1]
        yield SecretText(f"http://127.0.0.1:{port}/targets?token=s3cret", "a test")
    finally:
        await runner.cleanup()


def source_at(url: SecretText, *, timeout_s: float = 20.0) -> WebSource:
    """The adapter, with an authorization."""
    return WebSource(url, SecretText("Bearer t", "a test"), timeout_s=timeout_s)


async def test_a_web_address_is_asked_with_its_authorization() -> None:
    """And its body is the list."""

    async def answer(request: web.Request) -> web.StreamResponse:
        is_known = request.headers.get("Authorization") == "Bearer t"
        return web.Response(text=GOOD, status=200 if is_known else 403)

    async with site(answer) as url:
        assert ids(await source_at(url).read()) == ["a"]
        assert await WebSource(url, None, timeout_s=20.0).read() == Listing((), "status 403")


@pytest.mark.parametrize("status", [204, 301, 404, 500])
async def test_any_status_but_200_names_nobody(status: int) -> None:
    """Whatever stands in the body; redirects are not followed."""

    async def answer(request: web.Request) -> web.StreamResponse:
        return web.Response(text=GOOD, status=status, headers={"Location": "/targets"})

    async with site(answer) as url:
        assert await source_at(url).read() == Listing((), f"status {status}")


async def test_a_silent_web_address_costs_bounded_time() -> None:
    """The trouble is told without the address, which may hold a token."""

    async def answer(request: web.Request) -> web.StreamResponse:
        await asyncio.sleep(600)
        raise AssertionError

    async with site(answer) as url:
        assert await source_at(url, timeout_s=0.2).read() == Listing((), "no answer in 0.2 s")


async def test_a_body_without_end_is_read_no_further_than_allowed() -> None:
    """It fills no memory."""

    async def answer(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse()
        await response.prepare(request)
        while True:
            await response.write(b" " * 65536)

    async with site(answer) as url:
        assert (await source_at(url).read()).problem == f"more than {DOCUMENT_BYTES_MAX} bytes"


async def test_nobody_listening_is_trouble_without_the_address() -> None:
    """The port is held, and nobody listens at it."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        url = SecretText(f"http://127.0.0.1:{held.getsockname()[1]}/?token=s3cret", "a test")
        listing = await source_at(url).read()
    assert listing == Listing((), "ClientConnectorError")
