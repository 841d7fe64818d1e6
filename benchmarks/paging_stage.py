"""What `paging` breaks: zones on the AWS stand-in, their parent, three resolvers, a receiver of
pages, and a real sentinel that has to find all of it. All listen at port 53 of loopback addresses.
"""

import asyncio
import os
import sys
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from aiohttp import web

from dnsplan.runtime.aws import AwsClients
from dnsplan.runtime.config import load
from sandbox.dns.server import serve_dns
from sandbox.route53.account import NAME_SERVERS
from sandbox.route53.model import StoredRecordSet
from sandbox.route53.zone import HostedZone
from sandbox.run.environment import aws_variables
from sandbox.run.world import World, open_world

DNS_PORT = 53
HOST, PARENT_HOST = "127.0.0.1", "127.0.0.2"
RESOLVER_HOSTS = ("127.0.0.11", "127.0.0.12", "127.0.0.13")
LABELS = tuple(f"s{at}" for at in range(8))
PAGE_WITHIN_S = 30.0
WAIT_S = 120.0
ADDRESSES = ("192.0.2.1", "192.0.2.2", "192.0.2.3")
NAMES = ("nodata", "nxdomain", "servfail", "lame", "timeout", "steady")
CONFIG_NAMES = "".join(
    f"\n      {one}: {{records: [{{type: A, ttl_s: 30, values: [192.0.2.1]}}]}}" for one in NAMES
)
ZONE = """
  {label}:
    name: {label}.com
    id: {zone_id}
    names:{names}
      few: {{pool: web, ttl_s: 30, routing: simple}}
      alias: {{records: [{{type: A, alias: {{name: end.{label}.com}}}}]}}
      end: {{records: [{{type: TXT, ttl_s: 30, values: ["behind the alias"]}}]}}
"""
CONFIG = """
azs: [use1-az1]
state_dir: {folder}
account_requests_per_s: 50
zones:{zones}
pools:
  web: {{targets: [{targets}]}}
guardrails: {{min_targets: 2}}
sentinel:
  page_within_s: {within}
  resolvers: [{resolvers}]
  alarms: [{{webhook: {{url: {{env: HOOK}}}}}}]
"""
SOA = "ns-1.awsdns-01.org. awsdns-hostmaster.amazon.com. 1 7200 900 1209600 {least}"


@dataclass
class Receiver:
    """When each page was told last, and which are open."""

    open: dict[str, float] = field(default_factory=dict)
    changed: asyncio.Event = field(default_factory=asyncio.Event)

    async def take(self, request: web.BaseRequest) -> web.Response:
        """One notice."""
        now_s, said = time.monotonic(), await request.json()
        if said["change"] == "page":
            self.open[said["id"]] = now_s
        elif said["change"] == "recovery":
            self.open.pop(said["id"], None)
        self.changed.set()
        return web.Response()

    async def until(self, wanted: Callable[[], bool], what: str) -> None:
        """Wait for what pages there are."""
        try:
            async with asyncio.timeout(WAIT_S):
                while not wanted():
                    self.changed.clear()
                    await self.changed.wait()
        except TimeoutError:
            raise TimeoutError(f"after {WAIT_S:g} s no {what}; open: {sorted(self.open)}") from None


@dataclass
class Stage:
    """What is served: zones, their parent, and what resolvers have found."""

    world: World
    parent: HostedZone
    resolvers: Sequence[HostedZone]
    receiver: Receiver
    client: Any  # aiobotocore makes its clients at run time

    async def change(self, label: str, action: str, *records: Mapping[str, object]) -> None:
        """One batch of somebody else's."""
        changes = [{"Action": action, "ResourceRecordSet": one} for one in records]
        await self.client.change_resource_record_sets(
            HostedZoneId=self.world.zone_ids[label], ChangeBatch={"Changes": changes}
        )

    async def delegate(self, label: str, *servers: str) -> None:
        """What the parent says of a zone."""
        put(self.parent, label, StoredRecordSet(f"{label}.com.", "NS", 900, servers))

    async def disturb(self, name: str, kind: str) -> None:
        """Let the zones' server do something else for a name."""
        getattr(self.world.public.faults, kind)(name)

    async def calm(self, name: str) -> None:
        """As it was."""
        self.world.public.faults.clear(name)

    async def hide(self, label: str, count: int) -> None:
        """So many resolvers find nothing."""
        for zone in self.resolvers[:count]:
            zone.commit({f"steady.{label}.com.": {}})

    async def find(self, label: str) -> None:
        """All of them find it."""
        for zone in self.resolvers:
            name = f"steady.{label}.com."
            put(zone, name, StoredRecordSet(name, "A", 30, ("192.0.2.1",)))


def put(zone: HostedZone, label: str, *records: StoredRecordSet) -> None:
    """Set a name to exactly these; a label is short for the zone's name."""
    name = label if label.endswith(".") else f"{label}.com."
    zone.commit({name: {one.key: one for one in records}})


def record(name: str, *values: str, kind: str = "A", ttl_s: int = 30) -> dict[str, object]:
    """A record set as the API takes it."""
    listed = [{"Value": one} for one in values]
    return {"Name": name, "Type": kind, "TTL": ttl_s, "ResourceRecords": listed}


def soa(zone: str, least: int) -> dict[str, object]:
    """The zone's SOA; an absence is remembered for as long."""
    return record(zone, SOA.format(least=least), kind="SOA", ttl_s=least)


@asynccontextmanager
async def stage(folder: Path) -> AsyncIterator[Stage]:
    """All that is served, and a sentinel that has seen every name answer."""
    async with AsyncExitStack() as stack:
        receiver = Receiver()
        hook = await stack.enter_async_context(listening(receiver))
        world = await stack.enter_async_context(open_world(dns_port=DNS_PORT))
        config = folder / "dns.yaml"
        config.write_text(config_text(folder))
        aws = aws_variables(endpoint_url=world.stand_in.endpoint_url, access_key="sentinel")
        environ = {**os.environ, **aws, "HOOK": hook}
        await world.make_zones(list(load(config, environ).settings.zones.items()))
        client = await stack.enter_async_context(AwsClients().open("route53"))
        resolvers = [zone_above(f"ZR{at}") for at in range(3)]
        made = Stage(world, parent_zone(), resolvers, receiver, client)
        for label in LABELS:
            await fill(made, label)
        served = ((PARENT_HOST, made.parent), *zip(RESOLVER_HOSTS, resolvers, strict=True))
        for host, zone in served:
            await stack.enter_async_context(
                serve_dns(partial(lambda one: [one], zone), host=host, port=DNS_PORT)
            )
        await stack.enter_async_context(sentinel(config, environ, folder / "log"))
        yield made


async def fill(made: Stage, label: str) -> None:
    """A zone as a plan would have made it, and as resolvers have found it."""
    zone = f"{label}.com"
    alias = {
        "HostedZoneId": made.world.zone_ids[label],
        "DNSName": f"end.{zone}",
        "EvaluateTargetHealth": False,
    }
    records = [record(f"{name}.{zone}", "192.0.2.1") for name in (*NAMES, "end")]
    texts = [record(f"{name}.{zone}", '"here"', kind="TXT") for name in ("nodata", "end")]
    few = record(f"few.{zone}", *ADDRESSES)
    await made.change(label, "CREATE", *records, *texts, few)
    aliased = {"Name": f"alias.{zone}", "Type": "A", "AliasTarget": alias}
    await made.change(label, "CREATE", aliased)
    await made.change(label, "UPSERT", soa(zone, 60))
    await made.delegate(label, *NAME_SERVERS)
    for one in made.resolvers:
        for name in (*NAMES, "few", "alias"):
            full = f"{name}.{zone}."
            put(one, full, StoredRecordSet(full, "A", 30, ("192.0.2.1",)))
        text = StoredRecordSet(f"end.{zone}.", "TXT", 30, ('"here"',))
        put(one, f"end.{zone}.", text)


def parent_zone() -> HostedZone:
    """The zone above all, at the resolver of this host, which knows where the zones' server is."""
    made = zone_above("ZC")
    soa_text = "ns.com. h.com. 1 2 3 4 60"
    top = [StoredRecordSet("com.", "SOA", 900, (soa_text,)), ns("com.", "ns.com.")]
    put(made, "com.", *top)
    put(made, "ns.com.", StoredRecordSet("ns.com.", "A", 900, (PARENT_HOST,)))
    put(made, NAME_SERVERS[0], StoredRecordSet(NAME_SERVERS[0], "A", 900, (HOST,)))
    return made


def zone_above(zone_id: str) -> HostedZone:
    """One that holds nothing yet."""
    return HostedZone(zone_id=zone_id, name="com.", private=False, caller_reference="bench")


def ns(name: str, *servers: str) -> StoredRecordSet:
    """NS records."""
    return StoredRecordSet(name, "NS", 900, servers)


def config_text(folder: Path) -> str:
    """The config of the sentinel."""
    return CONFIG.format(
        folder=folder,
        zones="".join(
            ZONE.format(label=one, zone_id=f"Z0PAGING{one.upper()}", names=CONFIG_NAMES)
            for one in LABELS
        ),
        targets=", ".join(f"{{id: t{at}, address: {one}}}" for at, one in enumerate(ADDRESSES)),
        within=PAGE_WITHIN_S,
        resolvers=", ".join(f'"{one}"' for one in RESOLVER_HOSTS),
    )


@asynccontextmanager
async def listening(receiver: Receiver) -> AsyncIterator[str]:
    """A webhook on this machine."""
    runner = web.ServerRunner(web.Server(receiver.take, access_log=None), shutdown_timeout=0.1)
    await runner.setup()
    try:
        await web.TCPSite(runner, HOST, 0).start()
        yield f"http://{HOST}:{runner.addresses[0][1]}/pages"
    finally:
        await runner.cleanup()


@asynccontextmanager
async def sentinel(config: Path, environ: Mapping[str, str], log: Path) -> AsyncIterator[None]:
    """A real one, from when every name answers."""
    program = Path(sys.executable).with_name("dns-sentinel")
    with log.open("wb") as file:
        process = await asyncio.create_subprocess_exec(
            program, "run", "--config", config, env=dict(environ), stdout=file, stderr=file
        )
    try:
        async with asyncio.timeout(WAIT_S):
            while "all_names_answer" not in said(log):  # noqa: ASYNC110 - it tells nobody
                await asyncio.sleep(0.2)
        await asyncio.sleep(PAGE_WITHIN_S)
        yield
    except TimeoutError:
        sys.stderr.write(said(log)[-4_000:])
        raise
    finally:
        process.terminate()
        await process.wait()


def said(log: Path) -> str:
    """What the process has logged."""
    return log.read_text()
