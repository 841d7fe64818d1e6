"""Resolvers of a real make: a zone that validating ones refuse, one whose delegation is lame."""

import asyncio
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from tests.integration.dns_clients import address, serving, zone
from tests.integration.sentinel_process import record, sentinel_stage
from tests.integration.test_delegation import OURS, names_servers
from tests.integration.test_resolvers import PAGE_ID, PAGE_WITHIN_S, watch
from tests.system.dns.programs import free_port, resolver

pytestmark = pytest.mark.system

# A DS for a zone without keys: as a registrar keeps it when signing was ended in the wrong order.
VALIDATING = f"""
server:
  module-config: "validator iterator"
  trust-anchor: "example.com. DS 12345 13 2 {"ab" * 32}"
  ede: yes
"""
# There is no root to be asked here; a resolver has it at hand.
ROOTED = """
server:
  local-zone: "." transparent
  local-data: ". NS a.root-servers.net."
"""
SHOP = """
  shop:
    name: example.com
    names:
      www: {records: [{type: A, ttl_s: 1, values: [192.0.2.1]}]}
"""


async def test_validating_resolvers_that_refuse_a_zone_page(tmp_path: Path) -> None:
    """Two of three do; the page says that it is the signatures, and it ends without them."""
    own = zone(names_servers(OURS), address("192.0.2.1"))
    async with serving(own) as served, AsyncExitStack() as stack:
        ports = [
            await stack.enter_async_context(resolver(served.port, tmp_path, more))
            for more in (VALIDATING, VALIDATING, "")
        ]
        async with watch(served, ports, steady_s=86_400.0) as made:
            assert await made.look(PAGE_WITHIN_S) == [("page", PAGE_ID)]
            assert "refuse them" in made.ear.texts[-1]
            assert "bogus (SERVFAIL, " in made.ear.texts[-1]
        async with watch(served, [ports[0], ports[2]], steady_s=86_400.0) as made:
            assert await made.look(PAGE_WITHIN_S) == []


async def test_resolvers_that_reach_no_server_page(tmp_path: Path) -> None:
    """The delegation that they follow leads to servers that are not there."""
    own = zone(names_servers(OURS), address("192.0.2.1"))
    async with serving(own) as served, AsyncExitStack() as stack:
        ports = [
            await stack.enter_async_context(resolver(upstream, tmp_path, more))
            for upstream, more in (
                (free_port(), ROOTED),
                (free_port(), ROOTED),
                (served.port, ""),
            )
        ]
        async with watch(served, ports, steady_s=86_400.0) as made:
            assert await made.look(PAGE_WITHIN_S) == [("page", PAGE_ID)]


async def test_resolvers_that_reach_nothing_at_all_are_no_witnesses(tmp_path: Path) -> None:
    """Theirs is the trouble, not the zone's."""
    own = zone(names_servers(OURS), address("192.0.2.1"))
    async with serving(own) as served, AsyncExitStack() as stack:
        ports = [
            await stack.enter_async_context(resolver(upstream, tmp_path))
            for upstream in (free_port(), free_port(), served.port)
        ]
        async with watch(served, ports, steady_s=86_400.0) as made:
            assert await made.look(PAGE_WITHIN_S) == []


async def test_the_command_that_a_page_names_shows_it(tmp_path: Path) -> None:
    """`dns-sentinel check` asks the resolvers of the config as well, and ends with 1."""
    www = record("www.example.com", "192.0.2.1", ttl_s=1)
    async with sentinel_stage(tmp_path, SHOP, page_within_s=PAGE_WITHIN_S) as stage:
        await asyncio.to_thread(stage.change, "shop", ("CREATE", www))
        text = stage.config.read_text()
        async with AsyncExitStack() as stack:
            ports = [
                await stack.enter_async_context(resolver(stage.world.public.port, tmp_path, more))
                for more in ("", VALIDATING, VALIDATING)
            ]
            for stated, code in ((ports[:2], 0), (ports, 1)):
                listed = ", ".join(f'"127.0.0.1:{port}"' for port in stated)
                section = f"sentinel:\n  resolvers: [{listed}]\n"
                stage.config.write_text(text.replace("sentinel:\n", section))
                ended, said = await stage.check()
                ids = [one["id"] for one in said["zones"]]
                assert (ended, ids) == (code, [PAGE_ID] if code else [])
