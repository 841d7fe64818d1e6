"""How long changes take is learned, and the waits for it follow what it is, in both directions."""

from enactor.daemon import EnactorDaemon
from tests.fakes.notes import FakeBoard
from tests.fakes.world import PACE, World, a

PLANS = 60
EACH_S = 120.0


async def test_waits_do_not_grow_with_the_number_of_plans() -> None:
    """The last of many plans is confirmed as soon as the first: a poll that comes late teaches
    nothing but to come sooner."""
    world = World()
    daemon = EnactorDaemon(world.outside(1), FakeBoard(), az="az1", azs=("az1",), pace=PACE)
    daemon.admit(world.task)
    took_s: list[float] = []
    for at in range(PLANS):
        plan = await world.publish(a("www.example.com", f"192.0.2.{at + 1}"))
        published_s = world.clock.elapsed_s()
        while (await world.item()).applied < plan.generation:
            await daemon.run_once()
            await daemon.finish()
            assert world.clock.elapsed_s() - published_s < EACH_S, f"plan {at} of {PLANS}"
            world.clock.advance(2.0)
        took_s.append(world.clock.elapsed_s() - published_s)
        world.clock.advance(EACH_S - took_s[-1])
    # The first polls double to find out; later ones are nearer.
    assert max(took_s[10:]) <= 2.0 * max(took_s[:3])
