"""Enactors after trouble: who is taken for dead, who gives way, what is not asked twice."""

from collections.abc import Sequence

from dnsplan.plan import Generation
from dnsplan.ports import Presence, ZoneSighting
from dnsplan.runtime.aws import bounds_for
from dnsplan.runtime.retry import RetryPolicy
from enactor.daemon import EnactorDaemon
from enactor.peers import PeerWatch
from enactor.rules import stagger
from enactor.rules.outcomes import Applied, Held, HoldRule
from tests.fakes.clock import FakeClock
from tests.fakes.notes import FakeBoard
from tests.fakes.table import TableFault
from tests.fakes.world import PACE, World, a

AZS = ("az1", "az2", "az3")


def daemon_of(world: World, board: FakeBoard, az: str, azs: Sequence[str] = AZS) -> EnactorDaemon:
    """A daemon as after a start."""
    made = EnactorDaemon(world.outside(sum(az.encode())), board, az=az, azs=azs, pace=PACE)
    made.admit(world.task)
    return made


async def test_an_outage_of_the_table_makes_nobody_take_the_others_for_dead() -> None:
    """A sign that nobody could have heard is no silence: else all would act at once."""
    clock, board = FakeClock(), FakeBoard()
    watch = PeerWatch(board, clock=clock, az="az1", announce_s=5.0)
    await board.announce(Presence("az2", 1, ()))
    await watch.look()
    clock.advance(7_200.0)
    assert (await watch.look())["az2"].unchanged_s <= 5.0
    for _ in range(10):
        clock.advance(2.0)
        peers = await watch.look()
    assert peers["az2"].unchanged_s > PACE.peer_silent_s


async def test_of_two_who_begin_at_once_the_later_in_order_gives_way() -> None:
    """It showed itself, looked, and found the first at work: not one request to Route 53."""
    world, board = World(), FakeBoard()
    first, second, _ = stagger.order(world.label, AZS)
    daemon = daemon_of(world, board, second)
    await world.publish(a("www.example.com", "192.0.2.1"))
    await daemon.run_once()
    world.clock.advance(PACE.stagger_s)
    await daemon.run_once()
    working = ZoneSighting(world.label, Generation(0), 0, None, 0, working_to=Generation(1))
    await board.announce(Presence(first, 1, (working,)))
    await daemon.finish()
    assert not world.route53.requests
    world.clock.advance(PACE.confirm_max_s + 1.0)  # it stalls, or its sign grew old
    for _ in range(10):
        world.clock.advance(PACE.interval_s)
        await daemon.run_once()
        await daemon.finish()
    assert world.route53.content(world.zone) == (a("www.example.com", "192.0.2.1"),)


async def test_checks_that_an_outage_put_off_do_not_all_come_with_its_end() -> None:
    """They are spread again, as after a start: a zone in sync costs nothing at that moment."""
    world = World()
    daemon = daemon_of(world, FakeBoard(), "az1", ("az1",))
    await world.publish(a("www.example.com", "192.0.2.1"))
    for _ in range(5):
        await daemon.run_once()
        await daemon.finish()
        world.clock.advance(2.0)
    world.clock.advance(7_200.0)
    world.route53.requests.clear()
    await daemon.run_once()
    await daemon.finish()
    assert not world.route53.requests
    for _ in range(int(PACE.fence_check_s / 2) + 1):
        world.clock.advance(2.0)
        await daemon.run_once()
        await daemon.finish()
    assert 1 <= world.route53.requests.total() <= 2  # the fence, and a page that is due as well


async def test_a_plan_that_cannot_be_loaded_costs_route_53_nothing() -> None:
    """What will be needed is fetched before anything is spent on it."""
    world = World()
    await world.publish(a("www.example.com", "192.0.2.1"))
    cycle = world.az()
    world.archive.reachable = False
    outcome = await world.enact(cycle)
    assert isinstance(outcome, Held)
    assert (outcome.rule, world.route53.requests.total()) == (HoldRule.READ_FAILED, 0)


async def test_what_was_found_in_sync_is_not_asked_again_while_it_cannot_be_noted() -> None:
    """One poll and one read-back, however often the note of it fails."""
    world = World()
    await world.publish(a("www.example.com", "192.0.2.1"))
    cycle = world.az()
    await world.enact(cycle)
    world.clock.advance(2.0)
    for _ in range(3):
        world.table.write_faults.append(TableFault.LOSE_REQUEST)
        await cycle.confirm(await world.item())
    spent = world.route53.requests
    assert (spent["change_status"], spent["list_page"] - 1) == (1, 1)  # one page was the first view
    outcome = await cycle.confirm(await world.item())
    assert isinstance(outcome, Applied)
    assert outcome.confirmed
    assert (await world.item()).applied == 1


def test_a_lost_answer_leaves_time_to_ask_again() -> None:
    """Else every lost answer would end its cycle, and waste what that had asked before."""
    policy = RetryPolicy()
    for service in ("route53", "dynamodb"):
        assert bounds_for(service).read_timeout_s + policy.first_delay_s < policy.elapsed_s_max
