"""The sandbox of one drill: a process that is spawned, its events, and the ways to hurt it.

It reaches what the sandbox itself printed, all of it on loopback, and nothing else. Whatever
happens, the sandbox ends with the block.
"""

import asyncio
import os
import shlex
import sys
from collections.abc import AsyncIterator, Mapping, MutableMapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

import aiohttp
import dns.asyncquery
import dns.exception
import dns.message
import msgspec

from dnsplan.errors import DnsplanError
from dnsplan.ports import Clock
from dnsplan.runtime.aws import AwsClients

LABEL = "demo"
ZONE = "example.test."
ANSWER_WITHIN_S = 2.0
ENDS_WITHIN_S = 20.0
LOOK_EVERY_S = 0.2
# Ten times what an account may: of what is left, nobody else gets much.
NEIGHBOUR_EVERY_S = 0.02
TYPE = "import sys; sys.argv[0] = {0!r}; from {1}.main import run; run()"


class NoSandbox(DnsplanError):
    """The sandbox could not be started."""


class EndedAtOnce(NoSandbox):
    """It ended by itself: another sandbox may have taken a port that was free a moment before."""


class Event(msgspec.Struct, frozen=True):
    """One line that the sandbox printed."""

    event: str
    at_s: float = 0.0
    who: str = ""
    facts: dict[str, str] = {}


@dataclass(slots=True)
class Stand:
    """One running sandbox."""

    process: asyncio.subprocess.Process
    clock: Clock
    http: aiohttp.ClientSession
    ready: Mapping[str, Any]
    environ: MutableMapping[str, str]
    events: list[Event] = field(default_factory=list)
    hearing: asyncio.Task[None] | None = None
    neighbour: asyncio.Task[None] | None = None

    async def listen(self, lines: asyncio.StreamReader) -> None:
        """Take in what it prints, until it ends."""
        async for line in lines:
            with suppress(msgspec.DecodeError):
                self.events.append(msgspec.json.decode(line, type=Event))

    async def end(self) -> None:
        """End the sandbox, and hear it out."""
        await self.end_neighbour()
        await end_process(self.process)
        if self.hearing is not None:
            await self.hearing

    async def until(self, name: str, *, within_s: float) -> Event:
        """The first event of this name. NoSandbox when it does not come."""
        until_s = self.clock.elapsed_s() + within_s
        while True:
            found = next((one for one in self.events if one.event == name), None)
            if found is not None:
                return found
            if self.process.returncode is not None:
                said = "; ".join(one.event for one in self.events[-3:])
                raise EndedAtOnce(f"the sandbox ended: {said}; next: dns-sandbox run")
            if self.clock.elapsed_s() > until_s:
                raise NoSandbox(f"the sandbox did not get to {name!r} within {within_s:g} s")
            await self.clock.sleep(LOOK_EVERY_S)

    @property
    def pages(self) -> list[Event]:
        """What woke somebody."""
        quiet = ("recovery", "folded")
        return [
            one
            for one in self.events
            if one.event == "page" and one.facts.get("change") not in quiet
        ]

    def pids(self, who: str) -> list[int]:
        """The newest process of each daemon of this kind."""
        started = (one for one in self.events if one.event == "started")
        newest = {one.who: int(one.facts["pid"]) for one in started if one.who.startswith(who)}
        return list(newest.values())

    def let_neighbour_ask(self) -> None:
        """Another tool of the account asks Route 53 without a pause from now on."""
        self.neighbour = asyncio.create_task(self._ask_on())

    async def end_neighbour(self) -> None:
        """It has done its work."""
        if self.neighbour is not None:
            self.neighbour.cancel()
            await asyncio.wait([self.neighbour])

    async def _ask_on(self) -> None:
        url = f"{self.ready['endpoint_url']}/2013-04-01/hostedzone?maxitems=1"
        while True:
            with suppress(aiohttp.ClientError):
                async with self.http.get(url) as answer:
                    await answer.read()
            await self.clock.sleep(NEIGHBOUR_EVERY_S)

    async def control(self, path: str, **body: object) -> Any:
        """Ask the stand-in's control API, whose answers are JSON of many shapes."""
        url = f"{self.ready['endpoint_url']}/_sandbox/{path}"
        async with self.http.post(url, json=body) as answer:
            answer.raise_for_status()
            return await answer.json()

    async def backend(self, action: str, backend: str) -> None:
        """Stop or start a demo server."""
        async with self.http.post(f"{self.ready['backends']}/{action}/{backend}") as answer:
            answer.raise_for_status()

    async def backends(self) -> list[dict[str, Any]]:
        """The demo servers as their own list shows them."""
        async with self.http.get(f"{self.ready['backends']}/") as answer:
            shown: list[dict[str, Any]] = await answer.json()
            return shown

    async def ask(self, name: str, kind: str) -> frozenset[str] | None:
        """What the sandbox's name server answers; None when it says nothing."""
        host, _, port = str(self.ready["dns"]).rpartition(":")
        query = dns.message.make_query(name, kind)
        try:
            reply, _ = await dns.asyncquery.udp_with_fallback(
                query, host, timeout=ANSWER_WITHIN_S, port=int(port)
            )
        except (dns.exception.DNSException, OSError):
            return None
        return frozenset(one.to_text() for rrset in reply.answer for one in rrset)

    async def type_in(self, command: str) -> tuple[int, str]:
        """Run a command as an operator would; its exit code, and what it showed."""
        program, *words = shlex.split(command)
        package = {"dns-runbook": "runbooks", "dns-planner": "planner"}[program]
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-c",
            TYPE.format(program, package),
            *words,
            env=dict(self.environ),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
        out, _ = await process.communicate()
        return process.returncode or 0, out.decode()

    @asynccontextmanager
    async def by_hand(self) -> AsyncIterator[tuple[Any, str]]:
        """A console on Route 53, as anybody with rights to it has one, and the zone's id."""
        async with AwsClients().open("route53") as client:
            found = await client.list_hosted_zones_by_name(DNSName=ZONE)
            yield client, found["HostedZones"][0]["Id"]


async def end_process(process: asyncio.subprocess.Process) -> None:
    """Ask it to end; what does not, is ended."""
    if process.returncode is None:
        with suppress(ProcessLookupError):
            process.terminate()
        try:
            async with asyncio.timeout(ENDS_WITHIN_S):
                await process.wait()
        except TimeoutError:
            process.kill()
            await process.wait()


def go_on(pid: int, number: int) -> None:
    """A signal to a daemon of the sandbox, which may be gone by now."""
    with suppress(ProcessLookupError):
        os.kill(pid, number)
