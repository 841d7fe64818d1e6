"""A parent that names other servers than the zone pages, on real DNS servers of both.

The host's resolver, the parent's server and the zone's are asked over sockets; only time is played.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

import dns.asyncresolver
import pytest

from dnsplan.names import Name, parse_name
from dnsplan.runtime.paging.book import Manners
from dnsplan.runtime.paging.delivery import Delivery
from dnsplan.runtime.paging.pager import Pager
from sandbox.dns.server import DnsServer
from sandbox.route53.model import StoredRecordSet
from sandbox.route53.zone import HostedZone
from sentinel.adapters.parents import ParentServers
from sentinel.ports import NameServer
from sentinel.rules.pace import pace_for
from sentinel.servers import ServerBook
from sentinel.zone_checks import CheckedZone, ZoneChecks, ZoneMeans
from tests.fakes.clock import FakeClock
from tests.integration.dns_clients import APEX, HOST, WAIT_S, put, serving, zone
from tests.integration.test_sentinel_asker import sockets
from tests.unit.sentinel.test_zone_checks import Ear

OURS = ("ns1.example.net.", "ns2.example.net.")
OTHERS = ("ns1.example.net.", "ns9.example.net.")
PAGE_WITHIN_S = 30.0
PARENT = "com."
PAGE_ID = "delegation-mismatch/shop"


def names_servers(names: Sequence[str]) -> StoredRecordSet:
    """The NS records of the zone, as it states them, or as its parent does."""
    return StoredRecordSet(APEX, "NS", 172_800, tuple(names))


def parent_zone() -> HostedZone:
    """The zone above, with a server of its own."""
    made = HostedZone(zone_id="ZC", name=PARENT, private=False, caller_reference="test")
    put(
        made,
        StoredRecordSet(PARENT, "SOA", 900, ("ns.com. h.com. 1 2 3 4 60",)),
        StoredRecordSet(PARENT, "NS", 900, ("ns.com.",)),
        StoredRecordSet("ns.com.", "A", 900, (HOST,)),
        names_servers(OURS),
    )
    return made


@dataclass
class OneServer:
    """`sentinel.ports.ServerFinder`: where the zone is served here."""

    port: int

    async def find(self, label: str) -> Sequence[NameServer]:
        """The one server."""
        assert label == "shop"
        return [NameServer(HOST, self.port)]


class StillParent:
    """`sentinel.ports.Parents`: one that names the zone's servers."""

    async def delegated(self, zone: Name, *, timeout_s: float) -> frozenset[Name]:
        """As the zone itself."""
        assert (zone, timeout_s > 0) == (APEX, True)
        return frozenset(map(parse_name, OURS))


async def told_in(
    seconds: float,
    ear: Ear,
    line: Delivery,
    clock: FakeClock,
    *passes: Callable[[], Awaitable[None]],
) -> list[tuple[str, str]]:
    """Look again and again for a time; what was told in it."""
    before, until_s = len(ear.heard), clock.elapsed_s() + seconds
    while clock.elapsed_s() < until_s:
        for one in passes:
            await one()
        clock.advance(PAGE_WITHIN_S / 6)
    async with asyncio.timeout(WAIT_S):
        while not line.is_idle:
            await line.run_once()
            await asyncio.sleep(0)
    return [(change, page_id) for _, change, page_id in ear.heard[before:]]


@dataclass
class Stage:
    """Both zones, the parent's server, and the sentinel's look at them."""

    own: HostedZone
    parent: HostedZone
    above: DnsServer
    checks: ZoneChecks
    line: Delivery
    clock: FakeClock
    ear: Ear

    async def look(self, seconds: float) -> list[tuple[str, str]]:
        """Look again and again for a time; what was told in it."""
        return await told_in(seconds, self.ear, self.line, self.clock, self.checks.run_once)


@asynccontextmanager
async def stage() -> AsyncIterator[Stage]:
    """The parent names the servers that the zone names."""
    own, parent = zone(names_servers(OURS)), parent_zone()
    async with serving(own) as below, serving(parent) as above, sockets() as asker:
        resolver = dns.asyncresolver.Resolver(configure=False)
        resolver.nameservers, resolver.port = [HOST], above.port
        clock, ear = FakeClock(), Ear()
        line = Delivery(ear, clock)
        book = ServerBook(["shop"], OneServer(below.port), clock, interval_s=5.0)
        await book.run_once()
        means = ZoneMeans(
            asker,
            book,
            clock,
            Pager([line], clock, Manners(repeat_s=14_400.0, calm_s=0.0), None),
            ParentServers(asker, resolver, port=above.port, has_way=lambda _: True),
        )
        checks = ZoneChecks(
            [CheckedZone("shop", parse_name(APEX), is_delegated=True)],
            means,
            pace_for(PAGE_WITHIN_S),
            negative_ttl_max_s=900,
        )
        yield Stage(own, parent, above, checks, line, clock, ear)


async def test_other_servers_at_the_registrar_page_until_they_are_the_zone_s() -> None:
    """Somebody changed them there: told once within the promise, and over as soon as the zone names
    the same, at whichever end that was mended."""
    async with stage() as made:
        assert await made.look(PAGE_WITHIN_S) == []
        put(made.parent, names_servers(OTHERS))
        assert await made.look(PAGE_WITHIN_S) == [("page", PAGE_ID)]
        put(made.own, names_servers(OTHERS))
        assert await made.look(PAGE_WITHIN_S) == [("recovery", PAGE_ID)]


async def test_other_servers_in_the_zone_page_at_once() -> None:
    """The zone's own word is heard with each look; a parent that is silent then ends nothing."""
    async with stage() as made:
        assert await made.look(PAGE_WITHIN_S) == []
        put(made.own, names_servers(OTHERS))
        assert await made.look(PAGE_WITHIN_S) == [("page", PAGE_ID)]
        made.above.faults.servfail(APEX)
        assert await made.look(2 * PAGE_WITHIN_S) == []
        made.above.faults.clear()
        put(made.own, names_servers(OURS))
        assert await made.look(PAGE_WITHIN_S) == [("recovery", PAGE_ID)]


@pytest.mark.parametrize("is_there", [False, True], ids=["nxdomain", "nodata"])
async def test_a_parent_that_delegates_to_nobody_pages_until_it_does(*, is_there: bool) -> None:
    """The domain has expired, or is held: the parent knows no such name, or one without servers."""
    async with stage() as made:
        assert await made.look(PAGE_WITHIN_S) == []
        if is_there:
            made.parent.commit({APEX: {}, f"mail.{APEX}": {}})
            put(made.parent, StoredRecordSet(f"mail.{APEX}", "A", 900, (HOST,)))
        else:
            made.parent.commit({APEX: {}})
        assert await made.look(PAGE_WITHIN_S) == [("page", PAGE_ID)]
        assert "delegates it to no name server" in made.ear.texts[-1]
        put(made.parent, names_servers(OURS))
        assert await made.look(PAGE_WITHIN_S) == [("recovery", PAGE_ID)]
