"""Resolvers with caches beside a real cycle: names that were gone for a moment page nobody a second
time by what is remembered of it, and what is broken for good is told all the same."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from random import Random

from dnsplan.notices import Cause
from sentinel.ports import ROOT, NameServer, Question
from sentinel.resolver_checks import OwnWord, ResolvedZone, ResolverChecks
from sentinel.resolver_looks import AT_ONCE_MAX, ResolverLooker
from sentinel.rules.findings import Finding, Heard, NoReply, Reply, Row
from sentinel.rules.judging import Transport
from tests.unit.sentinel.virtual import in_virtual_time
from tests.unit.sentinel.world import FakeServers, World, gone, world

HOURS_S = 3 * 3_600.0
TTL_S, NEGATIVE_TTL_S = 60.0, 900
EACH_S = 1_800.0
PASS_S = 1.0
RESOLVERS = tuple(NameServer(f"203.0.113.{at}", 53) for at in (1, 2, 3))


@dataclass
class Caches:
    """`sentinel.ports.Asker`: resolvers that ask the zone's servers, and remember what they heard.

    `lost`: no delegation leads to the servers any more.
    """

    servers: FakeServers
    chance: Random = field(default_factory=lambda: Random(1))
    lost: bool = False
    kept: dict[tuple[str, Question], tuple[float, Heard]] = field(default_factory=dict)

    async def ask(
        self, server: NameServer, question: Question, transport: Transport, *, timeout_s: float
    ) -> Heard:
        """From the cache while that is good; a packet in a hundred is lost."""
        if self.chance.random() < 0.01:
            await asyncio.sleep(timeout_s)
            return NoReply("lost")
        if question.name == ROOT:
            return Reply("NOERROR", authoritative=False, rows=(Row(ROOT, "NS", 60, "a.root."),))
        now_s = asyncio.get_running_loop().time()
        until_s, heard = self.kept.get((server.host, question), (0.0, NoReply("nothing")))
        if until_s <= now_s:
            heard = await self._find(server, question, transport, timeout_s)
            is_there = isinstance(heard, Reply) and bool(heard.rows)
            until_s = now_s + (TTL_S if is_there else NEGATIVE_TTL_S)
            self.kept[server.host, question] = (until_s, heard)
        return heard

    async def _find(
        self, server: NameServer, question: Question, transport: Transport, timeout_s: float
    ) -> Heard:
        if self.lost:
            return Reply("NXDOMAIN", authoritative=False)
        return await self.servers.ask(server, question, transport, timeout_s=timeout_s)


def play(*acts: tuple[float, Callable[[World, Caches], None]]) -> list[tuple[float, Cause]]:
    """Let a sentinel and its resolvers run; when what was first found to need a person."""

    async def run() -> list[tuple[float, Cause]]:
        made = world(3, pass_least_s=PASS_S)
        caches = Caches(made.servers)
        looker = ResolverLooker(caches, made.pace.ask_s, asyncio.Semaphore(AT_ONCE_MAX))
        own = OwnWord(made.cycle.is_well, made.cycle.steady_s, lambda _: NEGATIVE_TTL_S)
        units = tuple((one, one.expected[0]) for one in made.names)
        zone = ResolvedZone("shop", units, RESOLVERS)
        checks = ResolverChecks([zone], looker, own, made.clock, made.pace)
        found: list[tuple[float, Cause]] = []

        async def check() -> None:
            while made.clock.elapsed_s() < HOURS_S:
                await checks.run_once()
                for cause in checks.standing():
                    if not found:
                        found.append((made.clock.elapsed_s(), cause))
                await asyncio.sleep(PASS_S)

        checking = asyncio.create_task(check())
        await made.run(HOURS_S, *((at_s, partial(act, made, caches)) for at_s, act in acts))
        await checking
        return found

    return in_virtual_time(run)


def vanish(at: int) -> Callable[[World, Caches], None]:
    """An act: a name has no records, at its own servers."""
    return lambda made, _: gone(made, at, Finding.NODATA)


def test_a_moment_without_a_name_is_told_once_and_by_its_own_servers() -> None:
    """All resolvers remember it for a quarter of an hour; that is no fault of the way to them."""

    def back(made: World, _: Caches) -> None:
        made.servers.broken.clear()

    acts: list[tuple[float, Callable[[World, Caches], None]]] = []
    for turn in range(int(HOURS_S / EACH_S)):
        at_s = 60.0 + EACH_S * turn + turn
        acts += [
            (at_s, vanish(turn % 3)),
            (at_s + (8.0, 30.0)[turn % 2], back),
        ]
    assert play(*acts) == []


def test_a_delegation_that_is_lost_is_seen_once_caches_have_run_out() -> None:
    """What resolvers still have is answered; then most of them have nothing."""

    def lose(_: World, caches: Caches) -> None:
        caches.lost = True

    ((at_s, cause),) = play((5_400.0, lose))
    assert cause.page_id == "unresolved-zone/shop"
    assert 5_400.0 < at_s < 5_400.0 + TTL_S + 45.0
