"""`dns-sentinel` as a process: beside a stand-in and a DNS server, with a webhook that hears it."""

import asyncio
import json
import os
import signal
import sys
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import boto3
from aiohttp import web

from dnsplan.runtime.config import load
from sandbox.run.environment import aws_variables
from sandbox.run.world import World, open_world
from tests.integration.dns_clients import HOST

BIN = Path(sys.executable).parent
STARTS_WITHIN_S = 60.0
STOPS_WITHIN_S = 30.0


@dataclass
class Heard:
    """What reached the webhook, and when by this process's clock; while `down` it takes nothing."""

    notices: list[tuple[float, dict[str, Any]]] = field(default_factory=list)
    changed: asyncio.Condition = field(default_factory=asyncio.Condition)
    down: bool = False
    refused: int = 0

    async def take(self, request: web.BaseRequest) -> web.Response:
        """One POST."""
        if self.down:
            self.refused += 1
            return web.Response(status=503)
        async with self.changed:
            now_s = asyncio.get_running_loop().time()
            self.notices.append((now_s, await request.json()))
            self.changed.notify_all()
        return web.Response()

    def told(self) -> list[tuple[str, str]]:
        """Change and id of each notice, in order."""
        return [(one["change"], one["id"]) for _, one in self.notices]

    async def until(
        self, matches: Callable[[dict[str, Any]], bool], what: str, within_s: float
    ) -> tuple[float, dict[str, Any]]:
        """The first notice that matches, and when it came."""
        try:
            async with asyncio.timeout(within_s), self.changed:
                while True:
                    for at_s, one in self.notices:
                        if matches(one):
                            return at_s, one
                    await self.changed.wait()
        except TimeoutError:
            raise AssertionError(f"after {within_s:g} s no {what}; told: {self.told()}") from None

    async def until_told(
        self, change: str, page_id: str, within_s: float
    ) -> tuple[float, dict[str, Any]]:
        """The first notice of a kind about a page."""
        return await self.until(
            lambda one: (one["change"], one["id"]) == (change, page_id),
            f"{change} of {page_id}",
            within_s,
        )


@dataclass
class Stage:
    """A world without planner, enactors and table, its zones, a config and a webhook."""

    world: World
    heard: Heard
    folder: Path
    config: Path
    environment: Mapping[str, str]

    def change(self, label: str, *changes: tuple[str, dict[str, Any]]) -> None:
        """Change a zone as somebody else's boto3 would."""
        client = boto3.client("route53", endpoint_url=self.world.stand_in.endpoint_url)
        client.change_resource_record_sets(
            HostedZoneId=self.world.zone_ids[label],
            ChangeBatch={
                "Changes": [
                    {"Action": action, "ResourceRecordSet": record} for action, record in changes
                ]
            },
        )

    @asynccontextmanager
    async def sentinel(
        self, *arguments: str, **environ: str
    ) -> AsyncIterator[asyncio.subprocess.Process]:
        """A running `dns-sentinel run`, once it watches; it must end well when told to."""
        log = self.folder / "sentinel.log"
        with log.open("ab") as file:
            began = file.tell()
            process = await asyncio.create_subprocess_exec(
                BIN / "dns-sentinel",
                "run",
                "--config",
                self.config,
                *arguments,
                env={**self.environment, **environ},
                stdout=file,
                stderr=file,
            )
        try:
            await self._until_watching(process, log, began)
            yield process
            process.send_signal(signal.SIGTERM)
            code = await asyncio.wait_for(process.wait(), STOPS_WITHIN_S)
            assert code == 0, _said(log, began)
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()

    @asynccontextmanager
    async def killed_sentinel(self) -> AsyncIterator[asyncio.subprocess.Process]:
        """A running `dns-sentinel run` that is killed within the block."""
        log = self.folder / "sentinel.log"
        with log.open("ab") as file:
            began = file.tell()
            process = await asyncio.create_subprocess_exec(
                BIN / "dns-sentinel",
                "run",
                "--config",
                self.config,
                env=self.environment,
                stdout=file,
                stderr=file,
            )
        try:
            await self._until_watching(process, log, began)
            yield process
        finally:
            if process.returncode is None:
                process.kill()
            assert await process.wait() == -signal.SIGKILL

    async def _until_watching(
        self, process: asyncio.subprocess.Process, log: Path, began: int
    ) -> None:
        until_s = asyncio.get_running_loop().time() + STARTS_WITHIN_S
        while "daemon_started" not in (said := _said(log, began)):
            assert process.returncode is None, f"ended with {process.returncode}: {said}"
            assert asyncio.get_running_loop().time() < until_s, f"it does not start: {said}"
            await asyncio.sleep(0.05)

    async def run(self, *arguments: str) -> tuple[int, str, str]:
        """Run `dns-sentinel` to its end: exit code, output, errors."""
        process = await asyncio.create_subprocess_exec(
            BIN / "dns-sentinel",
            *arguments,
            env=self.environment,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        out, said = await asyncio.wait_for(process.communicate(), STARTS_WITHIN_S)
        return process.returncode or 0, out.decode(), said.decode()

    async def check(self, *arguments: str) -> tuple[int, dict[str, Any]]:
        """`dns-sentinel check --json`: exit code and object."""
        code, out, said = await self.run(
            "check", "--json", "--config", str(self.config), *arguments
        )
        assert out, said
        return code, json.loads(out)


def _said(log: Path, began: int) -> str:
    return log.read_bytes()[began:].decode()


def record(name: str, *values: str, kind: str = "A", ttl_s: int = 30) -> dict[str, Any]:
    """A record set as boto3 takes it."""
    return {
        "Name": name,
        "Type": kind,
        "TTL": ttl_s,
        "ResourceRecords": [{"Value": value} for value in values],
    }


@asynccontextmanager
async def webhook() -> AsyncIterator[tuple[Heard, str]]:
    """A receiver of pages on this machine, and its address."""
    heard = Heard()
    runner = web.ServerRunner(web.Server(heard.take, access_log=None), shutdown_timeout=0.1)
    await runner.setup()
    try:
        await web.TCPSite(runner, HOST, 0).start()
        yield heard, f"http://{HOST}:{runner.addresses[0][1]}/pages"
    finally:
        await runner.cleanup()


@asynccontextmanager
async def sentinel_stage(
    folder: Path, zones: str, *, page_within_s: float, dns_port: int | None = None
) -> AsyncIterator[Stage]:
    """The world of a config's zones; `zones` is the YAML under `zones:`. With a DNS port nobody
    states a name server: the sentinel has to find it."""
    async with webhook() as (heard, hook), open_world(dns_port=dns_port or 0) as world:
        stated = "" if dns_port else f'  name_servers: ["{world.public.address}"]\n'
        config = folder / "dns.yaml"
        config.write_text(
            f"azs: [use1-az1]\nstate_dir: {folder}\naccount_requests_per_s: 50\n"
            f"zones:\n{zones}\n"
            f"sentinel:\n  page_within_s: {page_within_s:g}\n"
            f"{stated}"
            f"  alarms: [{{webhook: {{url: {{env: HOOK}}}}}}]\n"
        )
        aws = aws_variables(endpoint_url=world.stand_in.endpoint_url, access_key="sentinel")
        environment = {**os.environ, **aws, "HOOK": hook}
        await world.make_zones(list(load(config, environment).settings.zones.items()))
        yield Stage(world, heard, folder, config, environment)
