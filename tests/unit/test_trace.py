"""One word leads from what was observed through plan and batch to the change in Route 53."""

from dataclasses import replace

from structlog import get_logger
from structlog.testing import capture_logs

from dnsplan.fence import SeenFence
from dnsplan.runtime.page.reading import TableReading
from enactor.daemon import EnactorDaemon
from enactor.report import batch_log
from planner.cycle import PlanCycle
from planner.passes import PlanPass
from planner.reporting import PlanLog
from planner.rules.health import Sight
from runbooks.history.past import read_past
from runbooks.history.show import history_lines
from tests.fakes.clock import SeededJitter
from tests.fakes.notes import FakeBoard
from tests.fakes.world import PACE, World
from tests.unit.looking.hands import APEX, eyes_on
from tests.unit.planner.cases import address, healthy, pool, sick, sight, wish

ALL_WELL = sight(a=healthy(), b=healthy(), c=healthy())
B_SICK = sight(a=healthy(), b=sick(), c=healthy())


class House:
    """One planner and two enactors over one zone, with the logs that they write."""

    def __init__(self) -> None:
        """Nothing has run yet."""
        self.world, self.board = World(), FakeBoard()
        world = self.world
        planning = PlanCycle(
            table=world.table,
            archive=world.archive,
            clock=world.clock,
            jitter=SeededJitter(7),
            author="planner",
            plans_per_min_max=6,
        )
        self.planner = PlanPass((wish(pool("a", "b", "c")),), table=world.table, cycle=planning)
        self.log = PlanLog(world.clock)
        self.enactors = [self.enactor(az) for az in ("az1", "az2")]
        self.reading = TableReading(
            [world.label],
            table=world.table,
            archive=world.archive,
            board=self.board,
            clock=world.clock,
            name="dnsplan",
        )

    def enactor(self, az: str) -> EnactorDaemon:
        """One AZ's daemon, as the composition root wires it."""
        outside = self.world.outside(sum(az.encode()))
        heard = batch_log(get_logger("enactor").bind(az=az))
        made = EnactorDaemon(
            replace(outside, heard=heard), self.board, az=az, azs=("az1", "az2"), pace=PACE
        )
        made.admit(self.world.task)
        return made

    async def go(self, view: Sight) -> None:
        """Plan once and let both AZs bring it in sync."""
        self.log.tell(await self.planner.run_once(view, may_write=True))
        for _ in range(10):
            for daemon in self.enactors:
                await daemon.run_once()
                await daemon.finish()
            self.world.clock.advance(2.0)
        await self.reading.run_once()


async def test_one_search_finds_the_whole_way() -> None:
    """Observation, plan, batch with its change id, in sync, every AZ; the fence, the page and the
    history besides. The plan before it has another word."""
    house = House()
    await house.go(ALL_WELL)
    with capture_logs() as logged:
        await house.go(B_SICK)
    (published,) = [one for one in logged if one["event"] == "plan_published"]
    trace = published["trace"]
    found = [one for one in logged if one.get("trace") == trace]
    told = [(one.get("az"), one["event"]) for one in found if one["log_level"] != "debug"]
    assert published["observed"] == [f"b {address('b')} unhealthy: refused"]
    assert told == [
        (None, "plan_published"),
        ("az1", "batch_accepted"),
        ("az1", "plan_accepted"),
        ("az2", "zone_in_sync"),
        ("az1", "zone_in_sync"),
    ]
    (change_id,) = [one["change_id"] for one in found if "change_id" in one]
    assert house.world.route53.account.change(change_id).id == change_id
    fence = await house.world.route53.read_fence(house.world.zone)
    assert isinstance(fence, SeenFence)
    assert trace in fence.listed.values[0]
    newest, first = house.reading.zones[house.world.label].stages or ()
    assert (newest.trace, first.trace == trace) == (trace, False)
    past = await read_past(eyes_on(house.world), "shop", APEX, name=None, limit=1)
    assert trace in next(history_lines("shop", past, name=None))
