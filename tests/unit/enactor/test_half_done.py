"""Plans that overtook one another half done: what each left behind is still ours."""

import pytest

from dnsplan.names import parse_name
from dnsplan.plan import Retirement
from dnsplan.records import RecordSet
from enactor.rules import packing
from enactor.rules.drift import FOREIGN
from enactor.rules.outcomes import Applied, Held, HoldRule, Unknown
from tests.fakes.world import World, a, cname
from tests.fakes.zone_records import Fault

H4_RETIRED = Retirement(parse_name("h4.example.com"), None, 2, "ann")
NAMES = ("h1", "h2", "h3", "h4")


def hosts(version: int) -> tuple[RecordSet, ...]:
    """Four names with an address that tells the plan's version."""
    return tuple(a(f"{one}.example.com", f"192.0.2.{version}{at}") for at, one in enumerate(NAMES))


async def one_batch(world: World) -> None:
    """An enactor sends one batch, loses the next, and dies."""
    before = len(world.route53.accepted)
    world.route53.before_submit = lambda: (
        world.route53.submit_faults.append(Fault.LOSE_REQUEST)
        if len(world.route53.accepted) > before
        else None
    )
    assert isinstance(await world.enact(world.az()), Unknown)
    world.route53.before_submit = None


@pytest.fixture
def tiny(monkeypatch: pytest.MonkeyPatch) -> World:
    """A world in which each name takes a batch of its own."""
    monkeypatch.setattr(packing, "ELEMENTS_MAX", 4)
    return World()


async def test_what_overtaken_plans_left_is_ours(tiny: World) -> None:
    """Nothing was ever applied, and three plans landed in part: the fourth finishes, alone."""
    for version in (1, 2, 3):
        await tiny.publish(*hosts(version))
        await one_batch(tiny)
    await tiny.publish(*hosts(4))
    outcome = await tiny.enact(tiny.az())
    assert isinstance(outcome, Applied)
    assert (outcome.held, tiny.route53.content(tiny.zone)) == (0, hosts(4))


async def test_what_no_plan_stated_is_still_a_strangers(tiny: World) -> None:
    """Half-done plans explain exactly what they state, and no more (P6)."""
    theirs = a("h4.example.com", "203.0.113.9")
    tiny.route53.edit(tiny.zone, ("CREATE", theirs))
    await tiny.publish(*hosts(1)[:3])
    await one_batch(tiny)
    await tiny.publish(*hosts(2))
    await one_batch(tiny)
    await tiny.publish(*hosts(3))
    outcome = await tiny.enact(tiny.az())
    assert isinstance(outcome, Applied)
    assert outcome.notes == (f"h4.example.com. held: {FOREIGN}",)
    assert tiny.route53.content(tiny.zone) == (*hosts(3)[:3], theirs)


async def test_a_type_that_an_overtaken_plan_left_gives_way(tiny: World) -> None:
    """Addresses that a half-done plan left are ours to replace by a CNAME."""
    await tiny.publish(*hosts(1))
    await one_batch(tiny)
    await tiny.publish(*hosts(2))
    await one_batch(tiny)
    switched = (cname("h1.example.com", "elsewhere.test."), *hosts(3)[1:])
    await tiny.publish(*switched)
    outcome = await tiny.enact(tiny.az())
    assert isinstance(outcome, Applied)
    assert (outcome.held, tiny.route53.content(tiny.zone)) == (0, switched)


@pytest.mark.parametrize(
    ("by_hand", "left"),
    [(None, ()), (a("h4.example.com", "203.0.113.9"), (a("h4.example.com", "203.0.113.9"),))],
    ids=["ours", "a stranger's"],
)
async def test_what_stands_again_when_route53_loses_the_end_of_a_whole_plan_is_ours(
    tiny: World, by_hand: RecordSet | None, left: tuple[RecordSet, ...]
) -> None:
    """P10: the table says that the plan was applied, and the fence that it is half done: what it
    ended stands again as the plan stated that it began from. Anything else is a stranger's (P6)."""
    for plan, retired in ((hosts(1), ()), (hosts(2)[:3], (H4_RETIRED,))):
        await tiny.publish(*plan, retired=retired)
        cycle = tiny.az()
        await tiny.enact(cycle)
        await tiny.settle(cycle)
    assert (await tiny.item()).applied == 2
    tiny.route53.account.forget_last(tiny.zone.zone_id, 1)
    assert tiny.route53.content(tiny.zone) == (*hosts(2)[:3], hosts(1)[3])
    if by_hand is not None:
        tiny.route53.edit(tiny.zone, ("UPSERT", by_hand))
    outcome = await tiny.enact(tiny.az())
    assert isinstance(outcome, Applied)
    assert outcome.held == len(left)
    assert tiny.route53.content(tiny.zone) == (*hosts(2)[:3], *left)


async def test_what_a_plan_ended_before_route53_lost_it_is_ours_to_the_next_one_too(
    tiny: World,
) -> None:
    """P10: the fence is back at a whole plan, and the one that goes on from there is half done."""
    for plan, retired in ((hosts(1), ()), (hosts(1)[:3], (H4_RETIRED,))):
        await tiny.publish(*plan, retired=retired)
        cycle = tiny.az()
        await tiny.enact(cycle)
        await tiny.settle(cycle)
    tiny.route53.account.forget_last(tiny.zone.zone_id, 1)
    assert tiny.route53.content(tiny.zone) == hosts(1)
    await tiny.publish(*hosts(3)[:3], retired=(H4_RETIRED,))
    await one_batch(tiny)
    outcome = await tiny.enact(tiny.az())
    assert isinstance(outcome, Applied)
    assert (outcome.held, tiny.route53.content(tiny.zone)) == (0, hosts(3)[:3])


SWITCHED = (cname("h1.example.com", "elsewhere.test."), *hosts(1)[1:])


@pytest.mark.parametrize("after", [hosts(2), SWITCHED], ids=["values", "type"])
async def test_a_body_that_cannot_be_read_makes_nobodys_records_a_strangers(
    after: tuple[RecordSet, ...],
) -> None:
    """While the plan that would explain them cannot be read the zone is held; then it goes on."""
    world = World()
    await world.publish(*hosts(1))
    cycle = world.az()
    await world.enact(cycle)
    await world.settle(cycle)
    plan_id = (await world.item()).head_id
    await world.publish(*after)
    body = world.archive.bodies.pop(plan_id)
    outcome = await world.enact(world.az())
    assert isinstance(outcome, Held)
    assert (outcome.rule, "plan 1 would explain" in outcome.text) == (HoldRule.PLAN_UNUSABLE, True)
    assert world.route53.content(world.zone) == hosts(1)
    world.archive.bodies[plan_id] = body
    await world.enact(world.az())
    assert world.route53.content(world.zone) == after
