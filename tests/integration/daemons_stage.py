"""The product's commands as processes of their own, against a stand-in and DNS in this process.

A process is on a leash, so none outlives a test, stopped or not. Every wait is bounded and says
what it waited for.
"""

import asyncio
import json
import os
import signal
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

import dns.asyncquery
import dns.message
import pytest

from dnsplan.fence import FenceRecord, FencingToken, fence_name, parse_fence
from enactor.rules.stagger import order
from sandbox.aws.faults import Armed, Fault, HoldRequest, Strike, Where
from sandbox.dns.server import DnsServer, serve_dns
from sandbox.run.environment import child_environment
from sandbox.run.leash import leashed
from tests.integration.aws_stage import AwsStage, aws_stage

WITHIN_S = 45.0
LABEL = "shop"
AZS = order(LABEL, ("use1-az1", "use1-az2"))
A, B = (f"enactor-{az}" for az in AZS)  # A acts first, B when A shows no progress
WWW = "www.example.com."
CONFIG = f"""
azs: [{AZS[0]}, {AZS[1]}]
account_requests_per_s: 900
enactor: {{interval_s: 0.1, fence_check_s: 60, stagger_s: 0.3}}
cleanup: {{keep: 1, min_age_s: 0, interval_s: 60}}
zones:
  {LABEL}:
    name: example.com
    names:
      www: {{records: [{{type: A, values: [192.0.2.1]}}]}}
"""

Found = TypeVar("Found")


@dataclass
class Command:
    """One running process and its log."""

    name: str
    process: asyncio.subprocess.Process
    log: Path

    def events(self, name: str) -> list[dict[str, Any]]:
        """Its events of one name so far."""
        lines = [line for line in self.log.read_text().splitlines() if line.startswith("{")]
        return [one for one in map(json.loads, lines) if one.get("event") == name]

    def stop(self) -> None:
        """SIGSTOP: it stands still wherever it is."""
        self.process.send_signal(signal.SIGSTOP)

    def go_on(self) -> None:
        """SIGCONT."""
        self.process.send_signal(signal.SIGCONT)

    async def end(self) -> None:
        """End it, also when it stands still."""
        if self.process.returncode is None:
            self.process.kill()
        await self.process.wait()


@dataclass(frozen=True)
class Ended:
    """What a command left behind."""

    code: int
    out: str
    err: str


@dataclass
class Daemons:
    """The stage: plans are published through `aws`, everything else is a process."""

    aws: AwsStage
    dns: DnsServer
    folder: Path
    running: list[Command] = field(default_factory=list)
    answers: list[tuple[str, ...]] = field(default_factory=list)
    tokens: list[FencingToken] = field(default_factory=list)

    async def enactor(self, name: str) -> Command:
        """Start the enactor of the AZ in this name; the name is its access key id."""
        az = name.removeprefix("enactor-")
        return await self._start(name, "enactor.main:run", "dns-enactor", "run", "--az", az)

    async def planner(self) -> Command:
        """Start a planner."""
        return await self._start("planner", "planner.main:run", "dns-planner", "run")

    async def _start(self, name: str, entry: str, *words: str) -> Command:
        log = self.folder / f"{name}.log"
        with log.open("w") as stream:
            process = await self._spawn(name, entry, *words, out=stream, err=stream)
        command = Command(name, process, log)
        self.running.append(command)
        return command

    async def run(self, entry: str, *words: str, key: str) -> Ended:
        """Run a command to its end."""
        process = await self._spawn(key, entry, *words)
        try:
            async with asyncio.timeout(WITHIN_S):
                out, err = await process.communicate()
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
        return Ended(process.returncode or 0, out.decode(), err.decode())

    async def runbook(self, *words: str, key: str = "operator") -> Ended:
        """Run `dns-runbook`."""
        more = ("--yes", "--by", key, "--because", "drill")
        return await self.run("runbooks.main:run", "dns-runbook", *words, *more, key=key)

    async def cleanup(self) -> Ended:
        """Run `dns-planner cleanup` once."""
        return await self.run("planner.main:run", "dns-planner", "cleanup", "--json", key="cleanup")

    async def _spawn(
        self, key: str, entry: str, *words: str, out: Any = None, err: Any = None
    ) -> asyncio.subprocess.Process:
        endpoint_url = self.aws.stand_in.endpoint_url
        return await asyncio.create_subprocess_exec(
            sys.executable,
            *leashed(os.getpid(), entry, words),
            cwd=self.folder,
            env=child_environment(os.environ, endpoint_url=endpoint_url, access_key=key),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=out or asyncio.subprocess.PIPE,
            stderr=err or asyncio.subprocess.PIPE,
        )

    def arm(self, fault: Fault, where: Where) -> Armed:
        """Arm a fault."""
        return self.aws.stand_in.faults.arm(fault, where)

    async def struck(self, armed: Armed) -> Strike:
        """The first request that a fault strikes."""
        async with asyncio.timeout(WITHIN_S):
            return await armed.first()

    async def at_once(self, where: Where, *commands: Coroutine[Any, Any, Ended]) -> list[Ended]:
        """Let commands in together once a request of each stands at the door; how each ended."""
        held = self.arm(HoldRequest(), replace(where, times=len(commands)))
        running = [asyncio.create_task(one) for one in commands]

        async def all_there() -> bool | None:
            return True if len(held.strikes) == len(commands) else None

        await self.eventually(all_there, f"{len(commands)} commands at the door")
        self.aws.stand_in.faults.release(held.id)
        async with asyncio.timeout(WITHIN_S):
            return await asyncio.gather(*running)

    async def eventually(self, look: Callable[[], Awaitable[Found | None]], what: str) -> Found:
        """What `look` finds, asked again until it is not None."""
        loop = asyncio.get_running_loop()
        until_s = loop.time() + WITHIN_S
        while (found := await look()) is None:
            logs = {one.name: one.log.read_text()[-1500:] for one in self.running}
            assert loop.time() < until_s, f"after {WITHIN_S:g} s still not: {what}; {logs}"
            await asyncio.sleep(0.02)
        return found

    async def reached(self, generation: int) -> None:
        """Wait until the fence says that the whole of this generation stands."""

        async def look() -> bool | None:
            fence = self.fence()
            return True if (fence.generation, fence.step) == (generation, fence.steps) else None

        await self.eventually(look, f"the fence at generation {generation}")

    async def applied(self, generation: int) -> None:
        """Wait until the table notes this generation as in sync."""

        async def look() -> bool | None:
            item = await self.aws.item()
            return True if item.applied == generation else None

        await self.eventually(look, f"generation {generation} applied")

    async def logged(self, command: Command, event: str, **facts: object) -> dict[str, Any]:
        """Wait for an event with these facts."""

        async def look() -> dict[str, Any] | None:
            found = (e for e in command.events(event) if facts.items() <= e.items())
            return next(found, None)

        return await self.eventually(look, f"{command.name} logs {event} {facts}")

    def fence(self) -> FenceRecord:
        """The fence as the zone holds it."""
        zone = self.aws.stand_in.route53.zone(self.aws.zone.zone_id)
        stored = zone.sets_at(fence_name(self.aws.zone.name))
        return parse_fence(stored["TXT", ""].values[0])

    def batches(self, key: str) -> list[str]:
        """What became of each change batch of one access key, in order."""
        return [
            entry.outcome
            for entry in self.aws.stand_in.ledger.recent
            if entry.operation == "ChangeResourceRecordSets" and entry.access_key == key
        ]

    async def ask(self, name: str, kind: str) -> tuple[str, ...]:
        """One question over UDP."""
        query = dns.message.make_query(name, kind)
        reply = await dns.asyncquery.udp(query, self.dns.host, timeout=5, port=self.dns.port)
        return tuple(sorted(one.to_text() for rrset in reply.answer for one in rrset))

    @asynccontextmanager
    async def resolving(self) -> AsyncIterator[None]:
        """Resolve name and fence all the time; at the end nothing was empty or went back."""

        over = asyncio.Event()

        async def resolve() -> None:
            while not over.is_set():
                self.answers.append(await self.ask(WWW, "A"))
                (text,) = await self.ask(f"_dnsplan.{self.aws.zone.name}", "TXT")
                self.tokens.append(parse_fence(text).token)
                await asyncio.sleep(0.005)

        async with asyncio.TaskGroup() as group:
            group.create_task(resolve())
            try:
                yield
            finally:
                over.set()  # not cancelled: a wait for a packet may swallow that (wait_for)
        assert len(self.answers) > 10
        assert () not in self.answers
        assert self.tokens == sorted(self.tokens)


@asynccontextmanager
async def daemons_stage(
    folder: Path, monkeypatch: pytest.MonkeyPatch, *, config: str = CONFIG
) -> AsyncIterator[Daemons]:
    """An empty zone and table, a config, and no process yet."""
    (folder / "dns.yaml").write_text(config)
    async with (
        aws_stage(monkeypatch) as aws,
        serve_dns(lambda: aws.stand_in.route53.zones.values()) as dns_server,
    ):
        stage = Daemons(aws, dns_server, folder)
        try:
            yield stage
        finally:
            for command in stage.running:
                await command.end()
