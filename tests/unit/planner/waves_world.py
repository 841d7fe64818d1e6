"""Some zones, one table, and planners that let a changed config out in waves."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from msgspec import structs

from dnsplan.codec import unseal
from dnsplan.errors import ReadFailed
from dnsplan.plan import Generation, Plan
from dnsplan.ports import Presence, ZoneSighting
from dnsplan.records import RecordSet
from planner.cycle import ZoneReport
from planner.passes import PlanPass
from planner.rules.candidate import Wording, ZoneWish
from planner.rules.health import Sight
from planner.rules.outcomes import Published
from planner.rules.pools import PoolUnit
from planner.rules.waves import OpenPage, Waves
from planner.waving import Waving
from tests.fakes.notes import FakeBoard
from tests.unit.planner.cases import a, wish
from tests.unit.planner.world import GOOD, World

NAME = "x.example.com."
SENTINEL = "http://127.0.0.1:8055"


def waves(*canaries: str, zones: int = 2, sentinel: str | None = None) -> Waves:
    """Ten minutes of bake time, five minutes of window."""
    return Waves(
        canaries=canaries, bake_s=600, zones_per_window=zones, window_s=300, sentinel=sentinel
    )


def worded(
    label: str, config: str, *driven: PoolUnit, records: Sequence[RecordSet] = ()
) -> ZoneWish:
    """A zone by a wording of the config; all its pools change with it."""
    pools = tuple((name, config) for name in sorted({one.pool for one in driven}))
    made = wish(*driven, records=records, label=label)
    return replace(made, wording=Wording(config=config, pools=pools, sources=()))


def answering(label: str, version: int) -> ZoneWish:
    """A zone with one record, whose value is the wording's number."""
    return worded(label, f"c{version}", records=(a(NAME, f"192.0.2.{version}"),))


class FakeSentinelPage:
    """A sentinel's page, which may be away."""

    def __init__(self) -> None:
        """Nothing is paged."""
        self.open: list[OpenPage] = []
        self.away = False
        self.asked = 0

    async def pages(self, url: str) -> Sequence[OpenPage]:
        """What is open."""
        assert url == SENTINEL
        self.asked += 1
        if self.away:
            raise ReadFailed("no answer in 3 s")
        return list(self.open)


@dataclass
class WaveWorld(World):
    """`labels` in the config's order; enactors apply what `enact` tells them."""

    labels: tuple[str, ...] = ("a", "b", "c", "d", "e")
    board: FakeBoard = field(default_factory=FakeBoard)
    sentinel: FakeSentinelPage = field(default_factory=FakeSentinelPage)
    turns: list[tuple[float, str]] = field(default_factory=list)

    def waver(self) -> PlanPass:
        """A planner that was just started."""
        waving = Waving(self.board, self.sentinel, self.clock)
        return PlanPass((), table=self.table, cycle=self.cycle(), waving=waving)

    async def plan(
        self,
        planner: PlanPass,
        wishes: Sequence[ZoneWish],
        how: Waves | None,
        *,
        view: Sight = GOOD,
        may_write: bool = True,
    ) -> Mapping[str, ZoneReport]:
        """One pass; who published is noted."""
        planner.plan_for(wishes, how)
        reports = await planner.run_once(view, may_write=may_write)
        found = {report.wish.label: report for report in reports}
        went = [label for label, one in found.items() if isinstance(one.outcome, Published)]
        self.turns += [(self.clock.elapsed_s(), label) for label in went]
        return found

    async def versions(
        self, planner: PlanPass, version: int, how: Waves | None
    ) -> Mapping[str, ZoneReport]:
        """One pass by this wording of every zone."""
        return await self.plan(planner, [answering(one, version) for one in self.labels], how)

    async def started(self, how: Waves | None) -> PlanPass:
        """Every zone stands at wording 1, applied, since long ago."""
        planner = self.waver()
        await self.versions(planner, 1, how)
        self.enact()
        self.clock.advance(10_000)
        await self.versions(planner, 1, how)
        self.turns.clear()
        return planner

    def enact(self, *but: str) -> None:
        """The enactors apply every newest plan, but for these zones."""
        for label, item in self.table.items.items():
            if label not in but:
                self.table.items[label] = structs.replace(item, applied=item.head)

    async def sign(self, label: str, *, holding: str | None = None, drift: str = "") -> None:
        """What the enactor of az1 shows of a zone."""
        now_s = int(self.clock.now_s())
        seen = ZoneSighting(
            label, Generation(1), 1, holding, now_s, drift=(drift,) if drift else ()
        )
        await self.board.announce(Presence("az1", now_s, (seen,)))

    def zone_at(self, label: str) -> Generation:
        """The newest generation."""
        return self.table.items[label].head

    async def newest(self, label: str) -> Plan:
        """The newest plan."""
        return unseal(await self.archive.load(self.table.items[label].head_id))

    async def values(self) -> dict[str, str]:
        """Which wording each zone's newest plan holds, by its last digit."""
        found = {}
        for label in self.labels:
            (one,) = (await self.newest(label)).content
            found[label] = one.values[0].rpartition(".")[2]
        return found
