"""Resolvers that find nothing where the zone's own servers answer: over sockets, in played time.

Each resolver is a DNS server with a zone of its own here, which is what it would have found.
"""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass

import pytest

from dnsplan.names import parse_name
from dnsplan.runtime.paging.book import Manners
from dnsplan.runtime.paging.delivery import Delivery
from dnsplan.runtime.paging.pager import Pager
from sandbox.dns.server import DnsServer
from sandbox.route53.model import StoredRecordSet
from sandbox.route53.zone import HostedZone
from sentinel.ports import NameServer
from sentinel.resolver_checks import OwnWord, ResolvedZone, ResolverChecks
from sentinel.resolver_looks import AT_ONCE_MAX, ResolverLooker
from sentinel.rules.pace import pace_for
from sentinel.rules.watched import Expected, WatchedName
from sentinel.servers import ServerBook
from sentinel.zone_checks import CheckedZone, ZoneChecks, ZoneMeans
from tests.fakes.clock import FakeClock
from tests.integration.dns_clients import APEX, HOST, WWW, address, put, serving, zone
from tests.integration.test_delegation import OURS, OneServer, StillParent, names_servers, told_in
from tests.integration.test_sentinel_asker import sockets
from tests.unit.sentinel.test_zone_checks import Ear

PAGE_WITHIN_S = 30.0
PAGE_ID = "unresolved-zone/shop"
NEGATIVE_TTL_S = 60.0
WATCHED = WatchedName("shop", parse_name(APEX), parse_name(WWW), (Expected("A", ("A",)),))


@dataclass
class Watch:
    """The sentinel's look at one zone by way of resolvers; its own servers answer all the time."""

    whole: ZoneChecks
    checks: ResolverChecks
    line: Delivery
    clock: FakeClock
    ear: Ear

    async def look(self, seconds: float) -> list[tuple[str, str]]:
        """Look again and again for a time; what was told in it."""
        passes = self.checks.run_once, self.whole.run_once
        return await told_in(seconds, self.ear, self.line, self.clock, *passes)


@asynccontextmanager
async def watch(
    own: DnsServer, resolvers: Sequence[int], *, steady_s: float
) -> AsyncIterator[Watch]:
    """`resolvers`: the ports at which they listen; `steady_s`: how long the zone has answered."""
    async with sockets() as asker:
        clock, ear, pace = FakeClock(), Ear(), pace_for(PAGE_WITHIN_S)
        line = Delivery(ear, clock)
        book = ServerBook(["shop"], OneServer(own.port), clock, interval_s=5.0)
        await book.run_once()
        pager = Pager([line], clock, Manners(repeat_s=14_400.0, calm_s=0.0), None)
        whole = ZoneChecks(
            [CheckedZone("shop", parse_name(APEX), is_delegated=True)],
            ZoneMeans(asker, book, clock, pager, StillParent()),
            pace,
            negative_ttl_max_s=900,
        )
        began_s = clock.elapsed_s()
        checks = ResolverChecks(
            [
                ResolvedZone(
                    "shop",
                    ((WATCHED, WATCHED.expected[0]),),
                    tuple(NameServer(HOST, port) for port in resolvers),
                )
            ],
            ResolverLooker(asker, pace.ask_s, asyncio.Semaphore(AT_ONCE_MAX)),
            OwnWord(
                lambda _: True,
                lambda _: steady_s + clock.elapsed_s() - began_s,
                whole.negative_ttl_s,
            ),
            clock,
            pace,
        )
        whole.beside(checks)
        yield Watch(whole, checks, line, clock, ear)


@asynccontextmanager
async def stage(*, steady_s: float) -> AsyncIterator[tuple[Watch, list[HostedZone]]]:
    """Three resolvers that have found the zone."""
    zones = [zone(names_servers(OURS), address("192.0.2.1")) for _ in range(4)]
    async with AsyncExitStack() as stack:
        own, *others = [await stack.enter_async_context(serving(one)) for one in zones]
        ports = [one.port for one in others]
        yield await stack.enter_async_context(watch(own, ports, steady_s=steady_s)), zones[1:]


@pytest.mark.parametrize("is_there", [False, True], ids=["nxdomain", "nodata"])
async def test_two_of_three_that_find_nothing_page_until_they_do(*, is_there: bool) -> None:
    """One alone tells nobody."""
    async with stage(steady_s=86_400.0) as (made, (first, second, _)):
        assert await made.look(PAGE_WITHIN_S) == []
        for one in (first, second):
            one.commit({WWW: {}})
            if is_there:
                put(one, StoredRecordSet(WWW, "TXT", 60, ('"else"',)))
            expected = [] if one is first else [("page", PAGE_ID)]
            assert await made.look(PAGE_WITHIN_S) == expected
        put(second, address("192.0.2.1"))
        assert await made.look(PAGE_WITHIN_S) == [("recovery", PAGE_ID)]


async def test_what_they_may_remember_is_waited_out() -> None:
    """A name that is new is absent there for the negative TTL, or five minutes."""
    async with stage(steady_s=0.0) as (made, resolvers):
        for one in resolvers:
            one.commit({WWW: {}})
        assert await made.look(300.0) == []
        assert await made.look(2 * PAGE_WITHIN_S) == [("page", PAGE_ID)]
