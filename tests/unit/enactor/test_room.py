"""A zone's limit of record sets: warned of ahead, refused with numbers, asked for once an hour."""

from collections import Counter
from dataclasses import replace

from structlog.testing import capture_logs

from dnsplan.errors import ReadFailed
from dnsplan.plan import Generation
from dnsplan.ports import Zone
from enactor.cycle import EnactCycle
from enactor.daemon import EnactorDaemon
from enactor.ports import Outside
from enactor.rules.outcomes import Applied, Held, HoldRule, InSync
from enactor.rules.quota import ZoneQuota
from tests.fakes.notes import FakeBoard
from tests.fakes.world import PACE, World, a
from tests.unit.enactor.test_audit import many
from tests.unit.enactor.test_cycle import applied_once


class FakeQuotas:
    """Counts the zone's own record sets; the limit is what a test says."""

    def __init__(self, world: World, limit: int) -> None:
        """Reachable until told otherwise."""
        self.world, self.limit = world, limit
        self.asked: Counter[str] = Counter()
        self.reachable = True

    async def quota(self, zone: Zone) -> ZoneQuota:
        """Route 53's own count."""
        self.asked[zone.label] += 1
        if not self.reachable:
            raise ReadFailed("no answer")
        held = len(self.world.route53.account.zone(zone.zone_id))
        return ZoneQuota(held, self.limit)


def outside(world: World, quotas: FakeQuotas) -> Outside:
    """A world whose zones have a limit."""
    return replace(world.outside(7), quotas=quotas)


def az(world: World, quotas: FakeQuotas) -> EnactCycle:
    """An enactor that knows the limit."""
    return EnactCycle(outside(world, quotas), az="az1", pace=PACE)


async def test_a_plan_without_room_is_refused_whole_with_the_numbers() -> None:
    """13 stand (apex NS and SOA, the fence, ten names), 5 are added, 15 is the limit."""
    world = World()
    await applied_once(world, *many(10))
    quotas = FakeQuotas(world, limit=15)
    await world.publish(*many(15))
    submits = world.route53.requests["submit"]
    held = await world.enact(az(world, quotas))
    assert isinstance(held, Held)
    assert held.rule is HoldRule.ZONE_FULL
    assert held.text == (
        "shop holds 13 record sets and the plan adds 5: 18 is above Route 53's limit of 15 a zone;"
        " ask AWS for a higher limit"
    )
    assert world.route53.requests["submit"] == submits


async def test_a_raised_limit_is_seen_within_five_minutes() -> None:
    """A full zone is asked about again sooner than in an hour, and never in each cycle."""
    world = World()
    await applied_once(world, *many(10))
    quotas = FakeQuotas(world, limit=15)
    await world.publish(*many(15))
    cycle = az(world, quotas)
    for _ in range(10):
        assert isinstance(await world.enact(cycle), Held)
    assert quotas.asked["shop"] == 1
    quotas.limit = 10_000
    world.clock.advance(300)
    assert isinstance(await world.enact(cycle), Applied)
    assert quotas.asked["shop"] == 2


async def test_what_adds_nothing_asks_nothing_and_passes_a_full_zone() -> None:
    """A changed value needs no room, and costs the same two requests as ever."""
    world = World()
    await applied_once(world, *many(10))
    quotas = FakeQuotas(world, limit=13)
    await world.publish(*(a(one.name, "192.0.2.2") for one in many(10)))
    assert isinstance(await world.enact(az(world, quotas)), Applied)
    assert quotas.asked["shop"] == 0


async def test_growth_is_counted_between_two_answers() -> None:
    """One request serves an hour of plans, and the sum of them is still held to the limit."""
    world = World()
    await applied_once(world, *many(10))
    quotas = FakeQuotas(world, limit=15)
    cycle = az(world, quotas)
    await world.publish(*many(11))
    assert isinstance(await world.enact(cycle), Applied)
    await world.publish(*many(12))
    assert isinstance(await world.enact(cycle), Applied)
    assert cycle.findings("shop").room_warning is not None
    await world.publish(*many(13))
    assert isinstance(await world.enact(cycle), Held)
    assert quotas.asked["shop"] == 1


async def test_an_unknown_limit_refuses_nothing() -> None:
    """P8 the other way round: a number that is not known is no reason to hold a good plan."""
    world = World()
    await applied_once(world, *many(10))
    quotas = FakeQuotas(world, limit=15)
    quotas.reachable = False
    await world.publish(*many(15))
    cycle = az(world, quotas)
    assert isinstance(await world.enact(cycle), Applied)
    assert quotas.asked["shop"] == 1
    await world.settle(cycle)
    assert await world.enact(cycle) == InSync(Generation(2))


async def test_a_zone_that_fills_up_is_warned_of_once_and_ahead() -> None:
    """Nine tenths full, nothing refused: a quiet zone says so, for a request an hour."""
    world = World()
    await applied_once(world, *many(997))
    quotas = FakeQuotas(world, limit=1100)
    board = FakeBoard()
    daemon = EnactorDaemon(outside(world, quotas), board, az="az1", azs=("az1",), pace=PACE)
    daemon.admit(world.task)
    with capture_logs() as logs:
        for _ in range(2 * 1800):
            await daemon.run_once()
            await daemon.finish()
            world.clock.advance(2.0)
    (told,) = [one for one in logs if one["event"] == "zone_nearly_full"]
    assert told["reason"] == (
        "shop holds 1000 of 1100 record sets, more than 90 %; ask AWS for a higher limit"
    )
    assert 1 <= quotas.asked["shop"] <= 2
    assert board.signs["az1"].zones[0].notes == (told["reason"],)
