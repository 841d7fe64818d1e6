"""Zones by way of resolvers, in virtual time: what pages, what does not, and at what cost."""

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import pytest

from dnsplan.names import Name
from dnsplan.notices import Cause
from dnsplan.runtime.paging.book import Manners
from dnsplan.runtime.paging.delivery import Delivery
from dnsplan.runtime.paging.pager import Pager
from sentinel.daemon import CHECK_EVERY_S
from sentinel.ports import NameServer, Question
from sentinel.resolver_checks import (
    QUESTIONS_PER_S,
    OwnWord,
    ResolvedZone,
    ResolverChecks,
    ResolverGlance,
)
from sentinel.resolver_looks import AT_ONCE_MAX, ResolverLooker
from sentinel.rules.findings import Finding, Heard, NoReply, Reply, Row
from sentinel.rules.judging import Transport
from sentinel.rules.pace import pace_for
from sentinel.rules.resolving import Doubt, Made, unresolved
from sentinel.rules.watched import NameKey
from sentinel.servers import ServerBook
from sentinel.zone_checks import CheckedZone, ZoneChecks, ZoneMeans
from tests.unit.sentinel.test_zone_checks import OTHERS, Ear, Servers, Told, told
from tests.unit.sentinel.virtual import VirtualClock, in_virtual_time
from tests.unit.sentinel.world import FakeFinder, shop

PAGE_WITHIN_S = 30.0
PAGE_ID = "unresolved-zone/shop"
HOSTS = ("203.0.113.1", "203.0.113.2", "203.0.113.3")
ROOT_NS = Reply("NOERROR", authoritative=False, rows=(Row(Name("."), "NS", 9, "a.root."),))
EMPTY: Mapping[Finding, Reply] = {
    Finding.NXDOMAIN: Reply("NXDOMAIN", authoritative=False),
    Finding.NODATA: Reply("NOERROR", authoritative=False),
    Finding.SERVFAIL: Reply("SERVFAIL", authoritative=False),
    Finding.LAME: Reply("REFUSED", authoritative=False),
}
BOGUS = "bogus"


@dataclass
class Resolvers:
    """`sentinel.ports.Asker`: resolvers that find every name, until told otherwise."""

    ill: dict[str, Finding | str] = field(default_factory=dict)
    only: str = ""  # the only name that is ill; all by default
    dead: set[str] = field(default_factory=set)
    sick: set[str] = field(default_factory=set)
    asked: Counter[str] = field(default_factory=Counter)
    meanwhile: Callable[[], object] = bool

    async def ask(
        self, server: NameServer, question: Question, transport: Transport, *, timeout_s: float
    ) -> Heard:
        """Answers, or what ails it."""
        assert (question.recursive, transport) == (True, "udp")
        self.asked[server.host] += 1
        self.meanwhile()
        await asyncio.sleep(0.01)
        found = self.ill.get(server.host) if self.only in ("", question.name) else None
        is_root = question.name == "."
        if server.host in self.sick:
            return EMPTY[Finding.SERVFAIL]
        if server.host in self.dead or (found is Finding.TIMEOUT and not is_root):
            await asyncio.sleep(timeout_s)
            return NoReply(f"no reply in {timeout_s:.1f} s")
        if is_root:
            return EMPTY[Finding.LAME] if found is Finding.LAME else ROOT_NS
        if found == BOGUS:
            found = None if question.unchecked else Finding.SERVFAIL
        if isinstance(found, Finding):
            return EMPTY[found]
        return Reply("NOERROR", False, (Row(question.name, question.type, 60, "192.0.2.1"),))

    def fall_ill(self, count: int, found: Finding | str) -> Callable[[], None]:
        """An act: so many of them find nothing."""
        return lambda: self.ill.update(dict.fromkeys(HOSTS[:count], found))


@dataclass
class Play:
    """A zone, its resolvers, what its own servers say of its names, and what is told."""

    names: int = 3
    zones: int = 1
    steady_s: float = 86_400.0
    own: Servers = field(default_factory=Servers)
    resolvers: Resolvers = field(default_factory=Resolvers)
    ill: set[NameKey] = field(default_factory=set)
    before: Sequence[Cause] = ()  # what a former process had paged
    after_s: float = 0.0  # by so much a zone's turn at resolvers comes after that at its parent
    checks: ResolverChecks = field(init=False)

    def run(self, seconds: float, *acts: tuple[float, Callable[[], object]]) -> Told:
        """Look for a time; each act at its moment."""
        return in_virtual_time(lambda: self._run(seconds, acts))

    async def _run(
        self, seconds: float, acts: tuple[tuple[float, Callable[[], object]], ...]
    ) -> Told:
        clock, ear, pace = VirtualClock(), Ear(), pace_for(PAGE_WITHIN_S)
        line = Delivery(ear, clock)
        labels = ["shop", *(f"shop{at}" for at in range(2, self.zones + 1))]
        book = ServerBook(labels, FakeFinder(), clock, interval_s=5.0)
        await book.run_once()
        await asyncio.sleep(0.1)
        pager = Pager([line], clock, Manners(repeat_s=14_400.0, calm_s=0.0), None)
        await pager.tell(self.before, is_unsure=lambda _: False)
        await line.run_once()
        whole = ZoneChecks(
            [CheckedZone(one, Name("example.com."), is_delegated=True) for one in labels],
            ZoneMeans(self.own, book, clock, pager, self.own),
            pace,
            negative_ttl_max_s=900,
        )
        own = OwnWord(
            lambda key: key not in self.ill,
            lambda _: self.steady_s + clock.elapsed_s(),
            whole.negative_ttl_s,
        )
        if self.after_s:
            await whole.run_once()
            await asyncio.sleep(self.after_s)
        looker = ResolverLooker(self.resolvers, pace.ask_s, asyncio.Semaphore(AT_ONCE_MAX))
        resolved = [resolved_zone(one, self.names) for one in labels]
        self.checks = ResolverChecks(resolved, looker, own, clock, pace)
        whole.beside(self.checks)
        for act in sorted(acts, key=lambda one: one[0]):
            await self._until(act[0], clock, whole, line)
            act[1]()
        await self._until(seconds, clock, whole, line)
        return ear.heard

    async def _until(
        self, until_s: float, clock: VirtualClock, whole: ZoneChecks, line: Delivery
    ) -> None:
        while clock.elapsed_s() < until_s:
            async with asyncio.TaskGroup() as group:
                group.create_task(self.checks.run_once())
                group.create_task(whole.run_once())
            await line.run_once()
            await asyncio.sleep(CHECK_EVERY_S)


def resolved_zone(label: str, count: int) -> ResolvedZone:
    """A zone with its names and three resolvers."""
    units = tuple((one, one.expected[0]) for one in shop(count, label))
    return ResolvedZone(label, units, tuple(NameServer(one, 53) for one in HOSTS))


@pytest.mark.parametrize(
    "found", [Finding.NXDOMAIN, Finding.NODATA, Finding.SERVFAIL, Finding.TIMEOUT, BOGUS]
)
def test_a_majority_that_finds_nothing_is_told_within_the_promise(found: Finding | str) -> None:
    """Whatever it says instead; with answers again it is over."""
    play = Play()
    acts = ((60.0, play.resolvers.fall_ill(2, found)), (150.0, play.resolvers.ill.clear))
    page, over = play.run(240.0, *acts)
    assert told([page, over]) == [("page", PAGE_ID), ("recovery", PAGE_ID)]
    assert page[0] - 60.0 < PAGE_WITHIN_S
    assert over[0] - 150.0 < PAGE_WITHIN_S
    made = {one.made for words in play.checks.words()["shop"].values() for one in words}
    assert made == {Made.ANSWERED}


@pytest.mark.parametrize("found", [*EMPTY, Finding.TIMEOUT, BOGUS])
def test_one_resolver_alone_tells_nobody(found: Finding | str) -> None:
    """It may be ill itself, or hold what is gone, for as long as it likes."""
    play = Play()
    assert play.run(1_800.0, (60.0, play.resolvers.fall_ill(1, found))) == []


@pytest.mark.parametrize("count", [1, 2, 3])
def test_resolvers_that_nobody_hears_are_no_witnesses(count: int) -> None:
    """This host may not reach them; that the others answer stands, and an open page stays."""
    play = Play()
    assert play.run(600.0, (60.0, lambda: play.resolvers.dead.update(HOSTS[:count]))) == []
    again = Play()
    heard = again.run(
        600.0,
        (60.0, again.resolvers.fall_ill(3, Finding.SERVFAIL)),
        (120.0, lambda: again.resolvers.dead.update(HOSTS)),
        (130.0, again.resolvers.ill.clear),
    )
    assert told(heard) == [("page", PAGE_ID)]


def test_resolvers_that_fail_at_everything_are_no_witnesses() -> None:
    """They have no way to anybody."""
    play = Play()
    assert play.run(600.0, (60.0, lambda: play.resolvers.sick.update(HOSTS))) == []


def test_resolvers_that_refuse_us_are_no_witnesses() -> None:
    """They say nothing about the name."""
    play = Play()
    assert play.run(600.0, (60.0, play.resolvers.fall_ill(3, Finding.LAME))) == []


def test_what_caches_may_hold_tells_nobody() -> None:
    """A name that is new, or was gone a moment ago, is absent at every resolver for the negative
    TTL; when it is still so after that, it is told."""
    play = Play(steady_s=0.0)
    acts = ((0.0, play.resolvers.fall_ill(3, Finding.NXDOMAIN)), (890.0, play.resolvers.ill.clear))
    assert play.run(1_200.0, *acts) == []
    stays = Play(steady_s=0.0)
    heard = stays.run(1_200.0, (0.0, stays.resolvers.fall_ill(3, Finding.NXDOMAIN)))
    assert told(heard) == [("page", PAGE_ID)]
    assert 900.0 < heard[0][0] < 900.0 + PAGE_WITHIN_S


def test_what_the_zone_s_own_servers_do_not_answer_is_theirs_to_page() -> None:
    """Nothing is said of it from here, and a page that is open stays until it can be judged."""
    play = Play(names=1)
    play.ill.add(shop(1)[0].key)
    assert play.run(600.0, (0.0, play.resolvers.fall_ill(3, Finding.NODATA))) == []
    assert play.resolvers.asked.total() == 0
    again = Play(names=1)
    heard = again.run(
        600.0,
        (60.0, again.resolvers.fall_ill(3, Finding.NODATA)),
        (120.0, lambda: again.ill.add(shop(1)[0].key)),
        (130.0, again.resolvers.ill.clear),
        (300.0, again.ill.clear),
    )
    assert told(heard) == [("page", PAGE_ID), ("recovery", PAGE_ID)]
    assert heard[1][0] > 300.0


def test_a_name_that_stops_answering_meanwhile_is_not_judged() -> None:
    """While resolvers are asked, its own servers stop to answer, each time."""
    play, (one,) = Play(names=1), shop(1)

    def stop() -> None:
        play.ill.add(one.key)
        asyncio.get_running_loop().call_later(0.5, play.ill.clear)

    play.resolvers.meanwhile = stop
    assert play.run(300.0, (60.0, play.resolvers.fall_ill(3, Finding.NODATA))) == []
    assert play.resolvers.asked.total() > 0


def test_a_page_of_a_former_process_stands_until_it_can_be_judged() -> None:
    """After a restart nothing is known of caches yet: neither its end nor a second page is told."""
    doubt = Doubt(0.0, Made.NODATA, (), is_confirmed=True)
    causes = tuple(unresolved("shop", {(Name("www.example.com."), "A"): doubt}))
    play = Play(steady_s=0.0, before=causes)
    acts = ((0.0, play.resolvers.fall_ill(2, Finding.NODATA)), (600.0, play.resolvers.ill.clear))
    heard = play.run(700.0, *acts)
    assert told(heard) == [("page", PAGE_ID), ("recovery", PAGE_ID)]
    assert 600.0 < heard[1][0] < 600.0 + PAGE_WITHIN_S


def test_a_flicker_of_all_resolvers_tells_nobody() -> None:
    """Nine seconds without answers, again and again."""
    play = Play()
    acts = [
        act
        for at in range(20)
        for act in (
            (60.0 + 61.0 * at, play.resolvers.fall_ill(3, Finding.SERVFAIL)),
            (69.0 + 61.0 * at, play.resolvers.ill.clear),
        )
    ]
    assert play.run(1_400.0, *acts) == []


@pytest.mark.parametrize("after_s", [0.0, 2.0, 5.0, 8.0])
@pytest.mark.parametrize("at_s", [60.0, 62.0, 64.0, 66.0, 68.0])
def test_a_delegation_that_is_gone_is_one_page(at_s: float, after_s: float) -> None:
    """What resolvers make of it follows, and is not told beside it, whoever looks first; its end is
    one notice too."""
    play = Play(after_s=after_s)

    def gone() -> None:
        play.own.parent = ()
        play.resolvers.fall_ill(3, Finding.NXDOMAIN)()

    def back() -> None:
        play.own.parent = play.own.own
        play.resolvers.ill.clear()

    heard = play.run(300.0, (at_s, gone), (150.0, back))
    assert told(heard) == [(one, "delegation-mismatch/shop") for one in ("page", "recovery")]


def test_what_resolvers_showed_first_stays_paged_until_it_is_over() -> None:
    """The delegation's page explains it, and does not end it."""
    play = Play()
    heard = play.run(
        400.0,
        (60.0, play.resolvers.fall_ill(3, Finding.SERVFAIL)),
        (120.0, play.own.set("parent", OTHERS)),
        (200.0, play.resolvers.ill.clear),
        (260.0, lambda: setattr(play.own, "parent", play.own.own)),
    )
    assert told(heard) == [
        ("page", PAGE_ID),
        ("page", "delegation-mismatch/shop"),
        ("recovery", "delegation-mismatch/shop"),
        ("recovery", PAGE_ID),
    ]


def test_one_name_of_many_is_found_in_its_turn() -> None:
    """Each resolver gets its few questions a second, however many names there are."""
    play = Play(names=600)
    play.resolvers.only = "n0400.shop.example."
    heard = play.run(600.0, (60.0, play.resolvers.fall_ill(2, Finding.NODATA)))
    assert told(heard) == [("page", PAGE_ID)]
    for host in HOSTS:
        assert play.resolvers.asked[host] < 600.0 * QUESTIONS_PER_S * 1.2


def test_many_zones_share_the_questions() -> None:
    """Sound or not, and one page stands for all of them."""
    play = Play(zones=40)
    assert play.run(600.0) == []
    assert all(play.resolvers.asked[one] < 600.0 * QUESTIONS_PER_S * 1.2 for one in HOSTS)
    ill = Play(zones=40)
    heard = ill.run(300.0, (60.0, ill.resolvers.fall_ill(3, BOGUS)))
    assert ("page", "many-unresolved-zone") in told(heard)
    assert all(ill.resolvers.asked[one] < 300.0 * 60.0 for one in HOSTS)


def test_a_glance_says_what_a_page_was_about() -> None:
    """The command that a page names shows the same fault, and nothing where all is well."""

    async def run() -> list[list[str]]:
        clock, resolvers = VirtualClock(), Resolvers()
        looker = ResolverLooker(resolvers, 1.0, asyncio.Semaphore(AT_ONCE_MAX))
        glance = ResolverGlance([resolved_zone("shop", 3)], looker, clock, 1.0)
        found = [[one.page_id for one in await glance.run(lambda _: True)]]
        resolvers.fall_ill(2, BOGUS)()
        for is_well in (True, False):
            causes = await glance.run(lambda _, well=is_well: well)  # type: ignore[misc]  # bound now
            found.append([f"{one.page_id} {one.verdict}" for one in causes])
        return found

    assert in_virtual_time(run) == [[], [f"{PAGE_ID} bogus"], []]
