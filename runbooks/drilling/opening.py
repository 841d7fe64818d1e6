"""Starts the sandbox of one drill, and leads this process to it and away from real AWS."""

import asyncio
import shlex
import sys
from collections.abc import AsyncIterator, Mapping, MutableMapping
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import aiohttp
import msgspec

from dnsplan.ports import Clock
from runbooks.drilling.stand import EndedAtOnce, Stand, end_process

CONVERGES_WITHIN_S = 120.0
TRIES_MAX = 3
SPAWN = "import sys; sys.argv[0] = 'dns-sandbox'; from sandbox.main import run; run()"


def exports(text: str) -> dict[str, str]:
    """The variables of the file that the sandbox wrote to be sourced."""
    words = (shlex.split(line) for line in text.splitlines())
    pairs = (line[1].partition("=") for line in words if line[:1] == ["export"])
    return {name: value for name, _, value in pairs}


def lead(environ: MutableMapping[str, str], variables: Mapping[str, str]) -> None:
    """Nothing of real AWS stays in this process; the sandbox's own takes its place."""
    for name in [name for name in environ if name.startswith(("AWS_", "DNSPLAN_"))]:
        del environ[name]
    environ.update(variables)


@asynccontextmanager
async def open_stand(environ: MutableMapping[str, str], clock: Clock) -> AsyncIterator[Stand]:
    """Spawn a sandbox and wait until its zone is in sync; it ends with the block."""
    async with aiohttp.ClientSession() as http:
        stand = await _started(environ, clock, http)
        try:
            yield stand
        finally:
            await stand.end()


async def _started(
    environ: MutableMapping[str, str], clock: Clock, http: aiohttp.ClientSession
) -> Stand:
    for _ in range(TRIES_MAX - 1):
        with suppress(EndedAtOnce):
            return await _start(environ, clock, http)
    return await _start(environ, clock, http)


async def _start(
    environ: MutableMapping[str, str], clock: Clock, http: aiohttp.ClientSession
) -> Stand:
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        SPAWN,
        "run",
        "--json",
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        start_new_session=True,  # Ctrl-C is this process's to hear
    )
    lines = process.stdout
    assert lines is not None  # noqa: S101 - it was opened as a pipe
    try:
        ready = await _ready(lines)
        lead(environ, exports(await asyncio.to_thread(Path(ready["environment"]).read_text)))
        stand = Stand(process, clock, http, ready, environ)
        stand.hearing = asyncio.create_task(stand.listen(lines))
        await stand.until("converged", within_s=CONVERGES_WITHIN_S)
    except BaseException:
        await end_process(process)
        raise
    return stand


async def _ready(lines: asyncio.StreamReader) -> Mapping[str, Any]:
    """The first line, which says where everything listens."""
    first = await lines.readline()
    if not first.startswith(b"{"):
        said = (first + await lines.read()).decode(errors="replace").strip()
        raise EndedAtOnce(f"the sandbox cannot start: {said}; next: dns-sandbox run")
    ready: Mapping[str, Any] = msgspec.json.decode(first)
    return ready
