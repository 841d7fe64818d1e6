"""Two planners of which one does not know all of a pool: a source is away, and one was restarted.

Weights go by the capacities of all. Who does not know them leaves those that another published.
"""

from dataclasses import replace

import pytest

from planner.rules.candidate import ZoneWish
from planner.rules.health import Sight
from planner.rules.outcomes import Published, Unchanged
from planner.rules.pools import Member, Policy
from planner.rules.roll import NOT_READ, Listing, attendance, heard
from tests.unit.planner.cases import healthy, member, pool, sick, wish
from tests.unit.planner.world import World

# A source that could not be read when it was last tried, and is no longer waited for.
FAILED = heard(NOT_READ, Listing((), "away"), hold_s=60.0, now_s=1.0)
AWAY = attendance([replace(FAILED, is_awaited=False)], hold_s=60.0)


def fed(*members: Member, panic_threshold: float = 0.5) -> ZoneWish:
    """A zone whose pool states some targets, and has a source for the others."""
    made = pool(*members, policy=Policy.WEIGHTED, panic_threshold=panic_threshold)
    unit = replace(made, attendance=AWAY)
    return replace(wish(unit), zone_id="Z1")


def stated(count: int) -> list[Member]:
    """Small targets that the config names."""
    return [member(f"s{at}", answer=f"192.0.2.{at}") for at in range(count)]


LARGE = member("large", capacity=1000, answer="198.51.100.1")


def sight(*members: Member) -> Sight:
    """All of them look well."""
    return Sight({one.key: healthy() for one in members}, 0.0, 100.0)


@pytest.mark.parametrize("count", [3, 130], ids=["one name", "shards"])
async def test_who_lost_a_target_leaves_the_weights_of_who_knows_it(count: int) -> None:
    """The scale is another without the largest, and both would publish theirs for ever."""
    world, few = World(), stated(count)
    knows, fresh = world.cycle(), world.cycle()
    for _ in range(5):
        view = sight(*few, LARGE)
        (first,) = await world.planner(fed(*few, LARGE), cycle=knows).run_once(view, may_write=True)
        (other,) = await world.planner(fed(*few), cycle=fresh).run_once(view, may_write=True)
        assert isinstance(other.outcome, Unchanged), other.outcome
        world.clock.advance(30.0)
    assert isinstance(first.outcome, Unchanged)
    assert world.item.head == 1


async def test_who_lost_many_targets_leaves_the_shards() -> None:
    """How many there are goes by all targets: who knows few would put the pool together again."""
    world, few = World(), stated(50)
    lost = [member(f"x{at}", answer=f"203.0.113.{at}") for at in range(100)]
    states = {one.key: healthy() if at < 10 else sick() for at, one in enumerate(lost)}
    view = Sight({**sight(*few).states, **states}, 0.0, 100.0)
    knows, fresh = world.cycle(), world.cycle()
    for _ in range(3):
        whole = fed(*few, *lost, panic_threshold=0.0)
        await world.planner(whole, cycle=knows).run_once(view, may_write=True)
        (other,) = await world.planner(fed(*few), cycle=fresh).run_once(view, may_write=True)
        assert isinstance(other.outcome, Unchanged), other.outcome


async def test_who_does_not_know_all_still_takes_out_and_brings_in() -> None:
    """Only weights are left: a stated target that is drained goes, and a new one comes."""
    world, few = World(), stated(4)
    view = sight(*few, LARGE)
    await world.planner(fed(*few, LARGE)).run_once(view, may_write=True)
    changed = [*few[1:3], replace(few[3], capacity=0), member("new", answer="192.0.2.99")]
    seen = sight(*changed)
    (report,) = await world.planner(fed(*changed)).run_once(seen, may_write=True)
    assert isinstance(report.outcome, Published)
    answers = {value for one in (await world.head()).content for value in one.values}
    assert {"192.0.2.99", LARGE.answer} <= answers
    assert few[3].answer not in answers


async def test_a_planner_goes_on_with_what_it_published_itself() -> None:
    """A capacity that the config changes counts, however long the source is away."""
    world, few = World(), stated(2)
    own = world.cycle()
    view = sight(*few, LARGE)
    await world.planner(fed(*few, LARGE), cycle=own).run_once(view, may_write=True)
    half = [few[0], replace(few[1], capacity=50)]
    (report,) = await world.planner(fed(*half, LARGE), cycle=own).run_once(view, may_write=True)
    assert isinstance(report.outcome, Published)
