"""A real sentinel finds a zone's servers and its parent by itself, and pages what the parent says.

Played by `test_delegation` in a network of its own, where DNS listens at its own port and this host
has a resolver: a sentinel that finds servers asks port 53, and no other test may hold that.
"""

import asyncio
from contextlib import AsyncExitStack
from pathlib import Path

from sandbox.dns.server import serve_dns
from sandbox.route53.account import NAME_SERVERS
from sandbox.route53.model import StoredRecordSet
from sandbox.route53.zone import HostedZone
from sentinel.rules.zone_faults import DELEGATION
from tests.integration.dns_clients import APEX, HOST, put
from tests.integration.sentinel_process import Stage, record, sentinel_stage

PAGE_WITHIN_S = 30.0
WAIT_S = 90.0
DNS_PORT = 53
# Where the parent listens, which is the resolver of this host as well: `test_delegation` says so.
PARENT_HOST = "127.0.0.2"
PARENT = "com."
PAGE_ID = f"{DELEGATION}/shop"
SHOP = """
  shop:
    name: example.com
    names:
      api: {records: [{type: A, ttl_s: 30, values: [192.0.2.20]}]}
"""
API = record("api.example.com", "192.0.2.20")
QUIET_S = 8.0
# A shell's part before the play: loopback of the network of its own, and the resolver on it.
APART = """
set -e
"$1" link set lo up
mount --bind "$2" /etc/resolv.conf
shift 2
exec "$@"
"""


def names_servers(*names: str) -> StoredRecordSet:
    """What the parent says of the zone."""
    return StoredRecordSet(APEX, "NS", 172_800, names)


def parent_zone() -> HostedZone:
    """The zone above, which knows where the first of the zone's servers is."""
    made = HostedZone(zone_id="ZC", name=PARENT, private=False, caller_reference="test")
    put(
        made,
        StoredRecordSet(PARENT, "SOA", 900, ("ns.com. h.com. 1 2 3 4 60",)),
        StoredRecordSet(PARENT, "NS", 900, ("ns.com.",)),
        StoredRecordSet("ns.com.", "A", 900, (PARENT_HOST,)),
        StoredRecordSet(NAME_SERVERS[0], "A", 900, (HOST,)),
        names_servers(*NAME_SERVERS),
    )
    return made


def other_servers(parent: HostedZone, _: Stage) -> None:
    """Somebody changes them at the registrar."""
    put(parent, names_servers(NAME_SERVERS[0], "ns9.example.net."))


def nobody(parent: HostedZone, _: Stage) -> None:
    """The domain has expired."""
    parent.commit({APEX: {}})


def own_servers(_: HostedZone, stage: Stage) -> None:
    """Somebody changes the zone's own."""
    changed = record("example.com", NAME_SERVERS[0], kind="NS", ttl_s=172_800)
    stage.change("shop", ("UPSERT", changed))


async def test_a_delegation_is_paged_within_the_promise(tmp_path: Path) -> None:
    """From each change to the receiver; its end is told as well."""
    parent = parent_zone()
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(
            serve_dns(lambda: [parent], host=PARENT_HOST, port=DNS_PORT)
        )
        stage = await stack.enter_async_context(
            sentinel_stage(tmp_path, SHOP, page_within_s=PAGE_WITHIN_S, dns_port=DNS_PORT)
        )
        await asyncio.to_thread(stage.change, "shop", ("CREATE", API))
        async with stage.sentinel():
            await asyncio.sleep(QUIET_S)
            assert stage.heard.told() == []
            for break_it in (other_servers, nobody, own_servers):
                stage.heard.notices.clear()
                await asyncio.to_thread(break_it, parent, stage)
                broken_s = asyncio.get_running_loop().time()
                paged_s, page = await stage.heard.until_told("page", PAGE_ID, WAIT_S)
                assert paged_s - broken_s < PAGE_WITHIN_S
                verdict = "undelegated" if break_it is nobody else "delegation"
                assert page["verdict"] == verdict
                put(parent, names_servers(*NAME_SERVERS))
                whole = record("example.com", *NAME_SERVERS, kind="NS", ttl_s=172_800)
                await asyncio.to_thread(stage.change, "shop", ("UPSERT", whole))
                await stage.heard.until_told("recovery", PAGE_ID, WAIT_S)
                assert stage.heard.told() == [("page", PAGE_ID), ("recovery", PAGE_ID)]
