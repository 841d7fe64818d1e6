"""A reconcile that dies at any of its requests, with planner and enactors alive, and the next."""

from collections.abc import Awaitable, Callable
from contextlib import suppress

import pytest
from msgspec import structs

from dnsplan.plan import ERA
from enactor.rules.outcomes import Applied, Held, InSync
from planner.rules.outcomes import Held as PlannerHeld
from planner.rules.outcomes import Published
from runbooks.controls.outside import Outside
from runbooks.reconciling.preparing import NothingToReconcile
from runbooks.reconciling.reconciling import ReconcileLost
from runbooks.reconciling.rules import Word
from tests.fakes.archive import FakeArchive
from tests.fakes.audit import FakeAudit
from tests.fakes.clock import SeededJitter
from tests.fakes.cutting import Crashed, Cut, Moment
from tests.fakes.table import FakeTable, TableFault
from tests.fakes.world import OWNER, World, a
from tests.fakes.zone_records import Fault
from tests.unit.adopting.hands import names, planned, settled
from tests.unit.reconciling.hands import done, go_back, prepared, reconciled
from tests.unit.restoring.hands import fence_of, restored, stated

WWW, API = a("www.example.com", "192.0.2.1"), a("api.example.com", "192.0.2.2")
NEW_WWW = a("www.example.com", "192.0.2.11")
CONFIG, WANTED = names(WWW, API), names(NEW_WWW, API)
WORD = Word(take_over=OWNER)
CALLS_MAX = 60


async def restored_table() -> World:
    """The backup knows generation 1, the zone is at 2."""
    world = await settled(WWW)
    backup = world.table.snapshot()
    await world.publish(WWW, API)
    await world.enact(cycle := world.az())
    await world.settle(cycle)
    go_back(world, backup, incarnation="table-2")
    return world


async def finished_restore() -> World:
    """Break-glass is over, and the table is back as it was."""
    world = await settled(WWW)
    await restored(world, stated(WWW, API))
    return world


async def new_table() -> World:
    """Nothing is left of the former one."""
    world = await settled(WWW, API)
    world.table, world.archive = FakeTable("table-2"), FakeArchive()
    return world


def ports(world: World, cut: Cut) -> Outside:
    """Deadly ports; chance of their own."""
    return Outside(
        table=cut.wrap(world.table),
        archive=cut.wrap(world.archive),
        records=cut.wrap(world.records),
        audit=cut.wrap(FakeAudit()),
        clock=cut.wrap(world.clock),
        jitter=SeededJitter(4_000 + cut.at),
    )


async def others_work(world: World, numbers: set[tuple[int, str]]) -> bool:
    """A pass of the planner and one of an enactor; whether they may go on."""
    outcome = await planned(world, WANTED)
    if isinstance(outcome, Published):
        numbers.add((outcome.plan_id.generation, outcome.plan_id.digest))
    cycle = world.az("az8", seed=2_000 + world.made)
    did = await world.enact(cycle)
    if isinstance(did, Held):
        return False
    assert isinstance(did, Applied | InSync)
    await world.settle(cycle)
    return not isinstance(outcome, PlannerHeld)


@pytest.mark.parametrize("moment", list(Moment))
@pytest.mark.parametrize("start", [restored_table, finished_restore, new_table])
async def test_the_next_run_ends_what_a_dead_one_began(
    start: Callable[[], Awaitable[World]], moment: Moment
) -> None:
    """Wherever it dies: no number has two contents, no record is lost, and automation goes on."""
    for call in range(1, CALLS_MAX):
        world, numbers = await start(), set[tuple[int, str]]()
        before = await fence_of(world)
        used = ports(world, Cut(call, moment))
        try:
            await done(world, await prepared(world, CONFIG, WORD, ports=used), ports=used)
        except Crashed:
            world.clock.advance(90.0)
        else:
            break
        went_on = await others_work(world, numbers)
        for n in range(3):
            try:
                await reconciled(world, CONFIG, WORD, seed=5_000 + 100 * n + call)
            except (NothingToReconcile, ReconcileLost):
                continue
        assert await others_work(world, numbers) or went_on
        await others_work(world, numbers)
        item, fence = await world.item(), await fence_of(world)
        assert item.head == item.applied == fence.generation > ERA
        assert world.route53.content(world.zone) == (API, NEW_WWW)
        assert len({number for number, _ in numbers}) == len(numbers)
        assert before.token < fence.token
        bodies = {(one.generation, one.digest) for one in world.archive.bodies}
        assert (item.head, item.head_digest) in bodies
    else:
        raise AssertionError(f"more than {CALLS_MAX} calls")
    assert call > 12


@pytest.mark.parametrize("write", range(3))
@pytest.mark.parametrize("fault", list(TableFault))
async def test_an_answer_of_the_table_that_is_lost(write: int, fault: TableFault) -> None:
    """P11: it ends and says so, or is done; run again, it is done."""
    world = await restored_table()
    ready = await prepared(world, CONFIG)
    original, answered = world.table.write, 0

    async def counted(transition):  # type: ignore[no-untyped-def]  # the port's own signature
        nonlocal answered
        answered += 1
        if answered == write + 1:
            world.table.write_faults.append(fault)
        return await original(transition)

    world.table.write = counted  # type: ignore[method-assign]  # one test's fault
    try:
        await done(world, ready)
    except ReconcileLost:
        world.table.write = original  # type: ignore[method-assign]  # the fault is over
        with suppress(NothingToReconcile):
            await reconciled(world, CONFIG, seed=5_000)
    assert await others_work(world, set())
    assert world.route53.content(world.zone) == (API, NEW_WWW)


async def planner_works_at(call: int) -> bool:
    """A reconcile during whose n-th request the planner publishes if it may; whether there was an
    n-th. The table was restored in place and nobody has seen yet that the fence is ahead."""
    world = await restored_table()
    world.table.items["shop"] = structs.replace(await world.item(), incarnation="table-2")
    before, cut = await fence_of(world), Cut(call, Moment.BEFORE)

    async def planner() -> None:
        await planned(world, WANTED, seed=3_000)

    cut.meanwhile = planner
    used = ports(world, cut)
    try:
        await done(world, await prepared(world, CONFIG, ports=used), ports=used)
    except ReconcileLost:
        assert await fence_of(world) == before
    else:
        assert (await world.item()).applied >= ERA
    return cut.calls >= call


async def test_a_planner_at_work_is_stopped_before_the_fence_moves() -> None:
    """It publishes before, and then this run has changed nothing; or not at all."""
    call = 1
    while await planner_works_at(call):
        call += 1
        assert call < CALLS_MAX
    assert call > 12


async def overtaken_at(call: int) -> bool:
    """A reconcile during whose n-th request another one runs whole; whether there was an n-th."""
    world = await restored_table()
    cut = Cut(call, Moment.BEFORE)

    async def second() -> None:
        with suppress(NothingToReconcile, ReconcileLost):
            await reconciled(world, CONFIG, seed=6_000)

    cut.meanwhile = second
    used = ports(world, cut)
    with suppress(NothingToReconcile, ReconcileLost):
        await done(world, await prepared(world, CONFIG, ports=used), ports=used)
    await others_work(world, set())
    for n in range(2):
        with suppress(NothingToReconcile):
            await reconciled(world, CONFIG, seed=7_000 + n)
    assert await others_work(world, set())
    await others_work(world, set())
    item = await world.item()
    assert item.head == item.applied == (await fence_of(world)).generation
    assert world.route53.content(world.zone) == (API, NEW_WWW)
    return cut.calls >= call


async def test_two_operators_at_every_step_of_one_another() -> None:
    """The second does all of its work at one request of the first: one history comes of it."""
    call = 1
    while await overtaken_at(call):
        call += 1
        assert call < CALLS_MAX
    assert call > 12


async def test_what_is_half_done_is_told() -> None:
    """Route 53 is away once planning is stopped: that it is, and that the next run goes on."""
    world = await restored_table()
    world.route53.submit_faults.append(Fault.LOSE_REPLY)
    world.route53.before_submit = lambda: setattr(world.route53, "read_failures", 1)
    with pytest.raises(ReconcileLost, match="leave shop alone until this is done: run it again"):
        await reconciled(world, CONFIG, WORD)
    world.route53.before_submit = None
    assert isinstance(await planned(world, WANTED), PlannerHeld)
    await reconciled(world, CONFIG, WORD, seed=7)
    assert isinstance(await planned(world, WANTED), Published)
