"""Run dig, and a caching resolver of our own, against servers on this machine."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.integration.dns_clients import APEX, HOST, WAIT_S, soon
from tests.system.required import program

RESOLVER_TRIES_MAX = 5


@dataclass(frozen=True)
class Line:
    """One record as dig prints it."""

    name: str
    ttl_s: int
    kind: str
    value: str


async def dig(port: int, *args: str) -> str:
    """Run dig against a port of this machine and give what it prints."""
    process = await asyncio.create_subprocess_exec(
        program("dig"),
        f"@{HOST}",
        "-p",
        str(port),
        "+tries=1",
        "+timeout=10",
        *args,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    printed, _ = await soon(process.communicate())
    text = printed.decode()
    assert process.returncode == 0, text
    return text


async def records(port: int, section: str, *args: str) -> list[Line]:
    """Read one section of a reply: `answer`, `authority` or `additional`."""
    text = await dig(port, "+noall", f"+{section}", *args)
    found = [line.split(None, 4) for line in text.splitlines() if line and line[0] != ";"]
    return [Line(name, int(ttl), kind, value) for name, ttl, _, kind, value in found]


async def answers(port: int, *args: str) -> list[str]:
    """Read the values of the answer section, sorted."""
    return sorted(line.value for line in await records(port, "answer", *args))


async def status(port: int, *args: str) -> tuple[str, list[str]]:
    """Read a reply's response code and flags."""
    text = await dig(port, "+noall", "+comments", *args)
    code = text.partition("status: ")[2].partition(",")[0]
    flags = text.partition(";; flags: ")[2].partition(";")[0]
    return code, flags.split()


CONFIG = """
server:
  directory: "{folder}"
  chroot: ""
  username: ""
  pidfile: "{folder}/unbound.pid"
  use-syslog: no
  logfile: ""
  verbosity: 1
  do-daemonize: no
  num-threads: 1
  so-reuseport: no
  interface: {host}@{port}
  do-ip6: no
  access-control: 127.0.0.0/8 allow
  do-not-query-localhost: no
  module-config: "iterator"
  use-caps-for-id: yes
remote-control:
  control-enable: no
stub-zone:
  name: "{zone}"
  stub-addr: {host}@{upstream}
"""


def free_port() -> int:
    """Find a port that is free for UDP and TCP just now."""
    with socket.socket() as tcp, socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp:
        tcp.bind((HOST, 0))
        udp.bind((HOST, tcp.getsockname()[1]))
        return int(tcp.getsockname()[1])


@asynccontextmanager
async def resolver(upstream: int, folder: Path, more: str = "") -> AsyncIterator[int]:
    """Run unbound with our zone as a stub zone and `more` settings, and give its port."""
    for _ in range(RESOLVER_TRIES_MAX):  # another process may take the free port first
        port = free_port()
        config = folder / f"unbound-{port}.conf"
        config.write_text(
            CONFIG.format(folder=folder, host=HOST, port=port, upstream=upstream, zone=APEX) + more
        )
        process = await asyncio.create_subprocess_exec(
            program("unbound"),
            "-d",
            "-p",
            "-c",
            str(config),
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.PIPE,
        )
        said = await soon(until_started(process))
        if said is None:
            break
        await process.wait()
        assert "already in use" in said, said
    else:
        pytest.fail("unbound found no free port")
    try:
        yield port
    finally:
        process.terminate()
        with suppress(TimeoutError):
            await asyncio.wait_for(process.communicate(), WAIT_S)
        if process.returncode is None:
            process.kill()
            await process.communicate()


async def until_started(process: asyncio.subprocess.Process) -> str | None:
    """Wait until unbound serves, or give what it said before it ended."""
    assert process.stderr is not None
    said = ""
    while line := (await process.stderr.readline()).decode():
        said += line
        if "start of service" in line:
            return None
    return said
