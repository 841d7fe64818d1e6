"""A restore that dies at any of its requests, and whoever runs the same file again."""

from collections.abc import Iterator

import pytest

from dnsplan.plan import ERA
from dnsplan.records import RecordSet
from enactor.rules import packing
from enactor.rules.outcomes import Held
from runbooks.restoring.rules import Word
from tests.fakes.clock import FakeClock
from tests.fakes.cutting import Crashed, Cut, Moment
from tests.fakes.world import World, a
from tests.fakes.zone_records import Fault
from tests.unit.adopting.hands import settled
from tests.unit.restoring.hands import done, fence_of, prepared, restored, stated

# The fence pair and five names that change.
ELEMENTS_MAX = 12

CALLS_MAX = 60


@pytest.fixture(autouse=True)
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    """A plan of a few names takes several batches."""
    monkeypatch.setattr(packing, "ELEMENTS_MAX", ELEMENTS_MAX)


def hosts(*, network: int) -> Iterator[RecordSet]:
    """Twelve names whose answers tell the plan."""
    return (a(f"h{n:02d}.example.com", f"10.0.{network}.{n}") for n in range(12))


async def cut_once(cut: Cut, world: World) -> None:
    """A restore on deadly ports."""
    file, clock, records = stated(*hosts(network=2)), cut.wrap(world.clock), cut.wrap(world.records)
    ready = await prepared(world, file, records=records)
    await done(world, ready, records=records, clock=clock)


@pytest.mark.parametrize("moment", list(Moment))
@pytest.mark.parametrize("fault", [None, *Fault])
async def test_the_same_file_finishes_what_a_dead_one_began(
    moment: Moment, fault: Fault | None
) -> None:
    """P13: wherever it dies, another operator ends at the same number with all of the file, and no
    name was without an answer on the way."""
    for call in range(1, CALLS_MAX):
        world = await settled(*hosts(network=1))
        if fault is not None:
            world.route53.submit_faults.append(fault)
        try:
            await cut_once(Cut(call, moment), world)
        except Crashed:
            world.clock.advance(90.0)
        else:
            break
        for late in world.route53.held:
            world.route53.land(*late)
        ended = await restored(world, stated(*hosts(network=2)), by="bob", seed=900 + call)
        assert world.route53.content(world.zone) == tuple(hosts(network=2))
        assert (ended.fence.generation, ended.held, ended.drifted) == (ERA, {}, ())
        tokens = [batch.fence.token for batch in world.route53.accepted]
        assert tokens == sorted(tokens)
    else:
        raise AssertionError(f"more than {CALLS_MAX} calls")
    assert call >= 10


async def test_a_script_that_died_may_expect_what_it_expected_before() -> None:
    """--expect-generation speaks of the zone before the restore, also when it is run again."""
    world, word = await settled(*hosts(network=1)), Word(expect_generation=1)
    with pytest.raises(Crashed):
        await cut_once(Cut(5, Moment.AFTER), world)
    fence = await fence_of(world)
    assert (fence.generation, fence.is_complete) == (ERA, False)
    ended = await restored(world, stated(*hosts(network=2)), word, seed=501)
    assert ended.fence.generation == ERA


async def test_a_half_done_restore_keeps_enactors_out() -> None:
    """What is left by a dead operator is nobody's to finish but an operator's."""
    world = await settled(*hosts(network=1))
    with pytest.raises(Crashed):
        await cut_once(Cut(5, Moment.AFTER), world)
    fence = await fence_of(world)
    await world.publish(*hosts(network=3))
    outcome = await world.enact(world.az())
    assert isinstance(outcome, Held)
    assert await fence_of(world) == fence


async def test_three_enactors_that_fight_it_lose() -> None:
    """Each of its batches meets enactors at work; in the end the file stands and they hold."""
    world = await settled(*hosts(network=1))
    cycles = [world.az(f"az{n}") for n in range(3)]
    networks = iter(range(10, 250))

    class Fighting(FakeClock):
        """While the restore pauses, everybody else works."""

        def now_s(self) -> float:
            return world.clock.now_s()

        def elapsed_s(self) -> float:
            return world.clock.elapsed_s()

        async def sleep(self, seconds: float) -> None:
            await world.clock.sleep(seconds)
            for cycle in cycles:
                await world.enact(cycle)

    ready = await prepared(world, stated(*hosts(network=2)))
    for cycle in cycles:
        await world.publish(*hosts(network=next(networks)))
        await world.enact(cycle)
    ended = await done(world, ready, clock=Fighting())
    assert ended.fence.generation == ERA
    assert world.route53.content(world.zone) == tuple(hosts(network=2))
    for cycle in cycles:
        assert isinstance(await world.enact(cycle), Held)
