"""A zone as a whole: the time for which an absence is remembered, and its parent's word for it."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field

import pytest

from dnsplan.errors import ReadFailed
from dnsplan.names import Name
from dnsplan.notices import Notice
from dnsplan.runtime.paging.book import Manners
from dnsplan.runtime.paging.delivery import Delivery
from dnsplan.runtime.paging.pager import Pager
from dnsplan.runtime.paging.ports import Delivered
from sentinel.daemon import CHECK_EVERY_S
from sentinel.ports import NameServer, Question
from sentinel.rules.findings import Heard, NoReply, Reply, Row
from sentinel.rules.judging import Transport
from sentinel.rules.pace import pace_for
from sentinel.rules.zone_faults import negative_ttl_s
from sentinel.servers import ServerBook
from sentinel.zone_checks import (
    PARENT_QUESTION_S,
    CheckedZone,
    ZoneChecks,
    ZoneGlance,
    ZoneMeans,
)
from tests.unit.sentinel.virtual import VirtualClock, in_virtual_time
from tests.unit.sentinel.world import FakeFinder

ZONE = Name("example.com.")
PAGE_WITHIN_S = 30.0
OURS = ("ns1.example.net.", "ns2.example.net.")
OTHERS = ("ns1.example.net.", "ns9.example.net.")
SOA_TEXT = "ns1.example.net. hostmaster.example.com. 1 7200 900 1209600 {minimum}"

Told = list[tuple[float, str, str]]


@dataclass
class Servers:
    """`sentinel.ports.Asker` and `Parents`: a zone, and what its parent says."""

    ttl_s: int = 900
    minimum_s: int = 86_400
    own: tuple[str, ...] = OURS
    parent: tuple[str, ...] = OURS
    silent: bool = False
    silent_host: str = ""
    parent_gone: bool = False
    parent_asked: int = 0

    async def ask(
        self, server: NameServer, question: Question, transport: Transport, *, timeout_s: float
    ) -> Heard:
        """The zone's own records."""
        await asyncio.sleep(0.01)
        if self.silent or server.host == self.silent_host:
            await asyncio.sleep(timeout_s)
            return NoReply(f"{server.host} is silent over {transport}")
        values = {"NS": self.own, "SOA": (SOA_TEXT.format(minimum=self.minimum_s),)}
        rows = [Row(ZONE, question.type, self.ttl_s, one) for one in values[question.type]]
        return Reply("NOERROR", authoritative=True, rows=tuple(rows))

    async def delegated(self, zone: Name, *, timeout_s: float) -> frozenset[Name]:
        """The parent's word."""
        self.parent_asked += 1
        if self.parent_gone:
            raise ReadFailed(f"{zone}: no answer in {timeout_s} s")
        return frozenset(map(Name, self.parent))

    def set(self, name: str, value: object) -> Callable[[], None]:
        """An act that changes something of this."""
        return lambda: setattr(self, name, value)


@dataclass
class Ear:
    """`ports.Sink`: keeps what it hears, and when."""

    heard: Told = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    name: str = "ear"

    async def send(self, notice: Notice) -> Delivered:
        """Take it."""
        now_s = asyncio.get_running_loop().time()
        self.heard.append((now_s, str(notice.change), notice.page_id))
        self.texts.append(notice.text)
        return Delivered()


def watch(
    servers: Servers,
    seconds: float,
    *acts: tuple[float, Callable[[], None]],
    delegated: bool = True,
    zones: int = 1,
) -> Told:
    """Check for a time; each act at its moment. What was told, and when."""

    async def run() -> Told:
        clock, ear = VirtualClock(), Ear()
        line = Delivery(ear, clock)
        labels = ["shop", *(f"shop{at}" for at in range(2, zones + 1))]
        book = ServerBook(labels, FakeFinder(), clock, interval_s=5.0)
        await book.run_once()
        await asyncio.sleep(0.1)
        checks = ZoneChecks(
            [CheckedZone(label, ZONE, delegated) for label in labels],
            ZoneMeans(
                servers,
                book,
                clock,
                Pager([line], clock, Manners(repeat_s=14_400.0, calm_s=0.0), None),
                servers,
            ),
            pace_for(PAGE_WITHIN_S),
            negative_ttl_max_s=900,
        )
        todo = sorted(acts, key=lambda one: one[0])
        while clock.elapsed_s() < seconds:
            while todo and todo[0][0] <= clock.elapsed_s():
                todo.pop(0)[1]()
            await checks.run_once()
            await line.run_once()
            await asyncio.sleep(CHECK_EVERY_S)
        return ear.heard

    return in_virtual_time(run)


def told(heard: Told) -> list[tuple[str, str]]:
    """Change and id."""
    return [(change, page_id) for _, change, page_id in heard]


def test_an_hour_of_a_sound_zone_tells_nobody() -> None:
    """With the usual SOA of a hosted zone; its parent is asked with each look."""
    servers = Servers()
    assert watch(servers, 3_600.0) == []
    assert servers.parent_asked <= 3_600.0 / (PAGE_WITHIN_S / 3) + 1


def test_the_parents_of_many_zones_are_asked_one_question_a_second() -> None:
    """A registry's servers are not ours; zones that change nothing cost them no more."""
    servers = Servers()
    assert watch(servers, 600.0, zones=40) == []
    assert 40 < servers.parent_asked <= 600.0 / PARENT_QUESTION_S + 40


def test_an_absence_that_is_remembered_too_long_is_told_within_the_promise() -> None:
    """Both numbers of the SOA count; it ends when one of them is small again."""
    servers = Servers()
    acts = ((60.0, servers.set("ttl_s", 86_400)), (120.0, servers.set("minimum_s", 60)))
    page, over = watch(servers, 200.0, *acts)
    assert told([page, over]) == [
        ("page", "long-negative-ttl/shop"),
        ("recovery", "long-negative-ttl/shop"),
    ]
    assert page[0] - 60.0 < PAGE_WITHIN_S
    assert over[0] - 120.0 < PAGE_WITHIN_S


def test_servers_that_the_parent_does_not_name_are_told_within_the_promise() -> None:
    """The zone's own were changed; that the parent follows ends it."""
    servers = Servers()
    acts = ((60.0, servers.set("own", OTHERS)), (150.0, servers.set("parent", OTHERS)))
    page, over = watch(servers, 300.0, *acts)
    assert told([page, over]) == [
        ("page", "delegation-mismatch/shop"),
        ("recovery", "delegation-mismatch/shop"),
    ]
    assert page[0] - 60.0 < PAGE_WITHIN_S
    assert over[0] - 150.0 < PAGE_WITHIN_S


def test_a_parent_that_delegates_to_nobody_is_told_within_the_promise() -> None:
    """An expired domain, or one that its registrar holds: told under the same id, with words of its
    own; that the parent names other servers afterwards is another verdict of the same page."""
    servers = Servers()
    acts = (
        (60.0, servers.set("parent", ())),
        (120.0, servers.set("parent", OTHERS)),
        (180.0, servers.set("parent", OURS)),
    )
    heard = watch(servers, 240.0, *acts)
    assert told(heard) == [
        (change, "delegation-mismatch/shop") for change in ("page", "change", "recovery")
    ]
    for (at_s, _, _), act in zip(heard, acts, strict=True):
        assert at_s - act[0] < PAGE_WITHIN_S


def test_a_parent_that_is_without_the_zone_for_one_look_tells_nobody() -> None:
    """Each look of the parent's is made again before it counts."""
    servers = Servers()
    flips = [
        act
        for at in range(20)
        for act in (
            (60.0 + 101.0 * at, servers.set("parent", ())),
            (63.0 + 101.0 * at, servers.set("parent", OURS)),
        )
    ]
    assert watch(servers, 2_100.0, *flips) == []


def test_a_change_that_is_over_with_the_second_look_tells_nobody() -> None:
    """Servers take over a change one by one."""
    servers = Servers()
    flips = [
        act
        for at in range(20)
        for act in (
            (60.0 + 101.0 * at, servers.set("own", OTHERS)),
            (63.0 + 101.0 * at, servers.set("own", OURS)),
        )
    ]
    assert watch(servers, 2_100.0, *flips) == []


@pytest.mark.parametrize("gone", ["silent", "parent_gone"])
def test_who_cannot_be_asked_changes_nothing(gone: str) -> None:
    """Neither a page nor its end comes of silence."""
    servers = Servers(ttl_s=86_400)
    heard = watch(servers, 900.0, (100.0, servers.set(gone, value=True)))
    assert told(heard) == [("page", "long-negative-ttl/shop")]
    sound = Servers()
    assert watch(sound, 900.0, (100.0, sound.set(gone, value=True))) == []


def test_stated_servers_are_compared_with_no_parent() -> None:
    """Somebody else knows why they are stated."""
    servers = Servers(parent=("ns7.example.org.",))
    assert watch(servers, 900.0, delegated=False) == []
    assert servers.parent_asked == 0


def test_a_zone_without_soa_says_nothing() -> None:
    """No number is made up."""
    assert negative_ttl_s(ZONE, Reply("REFUSED", authoritative=False)) is None
    assert negative_ttl_s(ZONE, NoReply("silence")) is None


@pytest.mark.parametrize("silent_host", ["192.0.2.1", "192.0.2.3"])
def test_one_silent_server_hides_nothing(silent_host: str) -> None:
    """The others speak of the zone as well."""
    servers = Servers(silent_host=silent_host)
    told = watch(servers, 60.0, (20.0, servers.set("ttl_s", 86_400)))
    ((at_s, change, page_id),) = told
    assert (change, page_id) == ("page", "long-negative-ttl/shop")
    assert at_s < 20.0 + PAGE_WITHIN_S


def test_a_glance_says_what_a_page_was_about() -> None:
    """The command that a page names shows the same fault."""

    async def run() -> list[list[str]]:
        servers, found = Servers(), list[list[str]]()
        book = ServerBook(["shop"], FakeFinder(), VirtualClock(), interval_s=5.0)
        await book.run_once()
        zones = [CheckedZone("shop", ZONE, True)]
        glance = ZoneGlance(zones, servers, book, servers, 1.0, 900)
        for ttl_s, parent in ((900, OURS), (86_400, OTHERS)):
            servers.ttl_s, servers.parent = ttl_s, parent
            found.append([one.page_id for one in await glance.run()])
        servers.parent_gone = True
        found.append([one.page_id for one in await glance.run()])
        servers.silent = True
        found.append([one.page_id for one in await glance.run()])
        return found

    assert in_virtual_time(run) == [
        [],
        ["long-negative-ttl/shop", "delegation-mismatch/shop"],
        ["long-negative-ttl/shop"],
        [],
    ]
