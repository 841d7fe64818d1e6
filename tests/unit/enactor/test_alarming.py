"""Three enactors in a small world: what they page, who does, that it ends, and what is no page."""

import asyncio
from contextlib import suppress
from functools import partial

import pytest
from msgspec import structs

from dnsplan.errors import ReadFailed
from dnsplan.notices import Notice
from dnsplan.runtime.paging.book import Manners
from dnsplan.runtime.paging.delivery import Delivery
from dnsplan.runtime.paging.pager import Pager
from dnsplan.runtime.paging.ports import Delivered
from dnsplan.transitions import freeze
from enactor.alarming import Alarming, Post
from enactor.daemon import EnactorDaemon
from enactor.rules import stagger
from enactor.rules.causes import Patience
from tests.fakes.notes import FakeBoard
from tests.fakes.world import PACE, World, a
from tests.fakes.zone_records import Fault

AZS = ("az1", "az2", "az3")
PATIENCE = Patience(held_s=120.0, lag_s=300.0)
MANNERS = Manners(repeat_s=14_400.0, calm_s=60.0)


class Ear:
    """`ports.Sink`: keeps what it hears."""

    name = "ear"

    def __init__(self) -> None:
        """Nothing was heard."""
        self.heard: list[tuple[str, str]] = []

    async def send(self, notice: Notice) -> Delivered:
        """Take it."""
        self.heard.append((str(notice.change), notice.page_id))
        return Delivered()


class Watchers:
    """Three AZs with their pages, all told to one ear."""

    def __init__(self) -> None:
        """Nobody has run yet."""
        self.world = World()
        self.board = FakeBoard()
        self.ear = Ear()
        self.unread = False
        self.pass_s = 2.0
        self.line = Delivery(self.ear, self.world.clock)
        self.azs = [self.enactor(az) for az in AZS]

    def enactor(self, az: str) -> tuple[EnactorDaemon, Alarming]:
        """One AZ."""
        outside = self.world.outside(sum(az.encode()))
        daemon = EnactorDaemon(outside, self.board, az=az, azs=AZS, pace=PACE)
        daemon.admit(self.world.task)
        pager = Pager([self.line], self.world.clock, MANNERS, None)
        post = Post(az, AZS, PACE.peer_silent_s)
        return daemon, Alarming(daemon, pager, self.world.clock, post=post, patience=PATIENCE)

    async def run(self, seconds: float, *, dead: tuple[str, ...] = ()) -> list[tuple[str, str]]:
        """Passes of all living AZs, and of their pages; what was heard in this time."""
        heard = len(self.ear.heard)
        for _ in range(int(seconds / self.pass_s)):
            for (daemon, alarming), az in zip(self.azs, AZS, strict=True):
                if az not in dead:
                    with suppress(ReadFailed):
                        await alarming.watched(partial(self.enact, daemon))()
                    await alarming.run_once()
            self.world.clock.advance(self.pass_s)
            await self.line.run_once()
            await asyncio.sleep(0)  # the ear takes it at once
        return self.ear.heard[heard:]

    def lose_a_reply(self) -> None:
        """The next batch lands, and nobody is told."""
        self.world.route53.submit_faults.append(Fault.LOSE_REPLY)

    async def enact(self, daemon: EnactorDaemon) -> None:
        """One pass of one AZ, to its end."""
        if self.unread:
            raise ReadFailed("table: no answer")
        await daemon.run_once()
        await daemon.finish()


WWW = a("www.example.com", "192.0.2.1")
OTHER = a("www.example.com", "203.0.113.66")


async def quiet() -> Watchers:
    """A zone whose plan stands, and three enactors that have nothing to do."""
    made = Watchers()
    await made.world.publish(WWW)
    assert await made.run(130.0) == []
    return made


async def test_plans_and_restarts_page_nobody() -> None:
    """An hour of plans, one a minute and a half, with one AZ restarted in each."""
    made = await quiet()
    for at in range(40):
        await made.world.publish(a("www.example.com", f"192.0.2.{at % 7 + 1}"))
        made.azs[at % 3] = made.enactor(AZS[at % 3])
        assert await made.run(90.0) == []


@pytest.mark.parametrize("mends", [True, False])
async def test_what_others_change_is_told_once_by_one_az_and_ends(*, mends: bool) -> None:
    """Mended at once or held by policy: somebody writes beside the fence, and somebody is told."""
    made = Watchers()
    made.world.task = structs.replace(made.world.task, repair_drift=mends)
    made.azs = [made.enactor(az) for az in AZS]
    await made.world.publish(WWW)
    assert await made.run(130.0) == []
    made.world.route53.edit(made.world.zone, ("UPSERT", OTHER))
    paged, over = ("page", "drifted-zone/shop"), ("recovery", "drifted-zone/shop")
    assert await made.run(400.0) == ([paged, over] if mends else [paged])
    made.world.route53.edit(made.world.zone, ("UPSERT", WWW))
    assert await made.run(300.0) == ([] if mends else [over])


async def test_a_zone_that_route_53_does_not_show_is_one_page_of_three_enactors() -> None:
    """The hold is the cause; that a plan waits follows from it and is not told."""
    made = await quiet()
    made.world.route53.read_failures = 1_000_000
    await made.world.publish(OTHER)
    assert await made.run(100.0) == []
    assert await made.run(900.0) == [("page", "held-zone/shop")]
    made.world.route53.read_failures = 0
    assert await made.run(300.0) == [("recovery", "held-zone/shop")]


async def test_the_next_az_tells_where_the_first_is_dead() -> None:
    """Nobody waits for who cannot tell."""
    made = await quiet()
    first = stagger.order("shop", AZS)[0]
    made.world.route53.read_failures = 1_000_000
    await made.world.publish(OTHER)
    assert await made.run(400.0, dead=(first,)) == [("page", "held-zone/shop")]


async def test_a_plan_that_never_lands_is_told_after_its_time() -> None:
    """No batch is refused and none arrives: no hold says so, its age does."""
    made = await quiet()
    made.world.route53.submit_faults.extend([Fault.LOSE_REQUEST] * 10_000)
    await made.world.publish(OTHER)
    assert await made.run(PATIENCE.lag_s - 10.0) == []
    assert await made.run(60.0) == [("page", "lagging-zone/shop")]
    made.world.route53.submit_faults.clear()
    assert await made.run(300.0) == [("recovery", "lagging-zone/shop")]


async def test_a_table_that_cannot_be_read_is_the_only_page() -> None:
    """Nothing is known of its zones: what was open stays, nothing new is told of them."""
    made = await quiet()
    made.world.route53.read_failures = 1_000_000
    await made.world.publish(OTHER)
    assert await made.run(400.0) == [("page", "held-zone/shop")]
    made.unread = True
    assert sorted(await made.run(400.0)) == [("page", f"unread-table/{az}") for az in AZS]
    made.unread = False
    made.world.route53.read_failures = 0
    assert sorted(await made.run(400.0)) == [
        ("recovery", "held-zone/shop"),
        *(("recovery", f"unread-table/{az}") for az in AZS),
    ]


async def test_a_freeze_pages_nobody() -> None:
    """It is an operator's own word, however long it lasts and whatever waits meanwhile."""
    made = await quiet()
    await made.world.table.write(freeze(await made.world.item(), "f1", nonce="f"))
    await made.world.publish(OTHER)
    assert await made.run(3_600.0) == []
