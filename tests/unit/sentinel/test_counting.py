"""The count says how many names have no answers, and stays away where nobody can know."""

import asyncio
from dataclasses import dataclass, field

from structlog.testing import capture_logs

from dnsplan.runtime.paging.ports import Delivered, Undelivered
from sentinel.counting import Counting
from sentinel.rules.findings import Finding
from tests.unit.sentinel.virtual import in_virtual_time
from tests.unit.sentinel.world import SERVERS, World, gone, page_id, world


@dataclass
class FakeMeter:
    """`sentinel.ports.Meter`: keeps counts with their time, or fails, or takes for ever."""

    counts: list[tuple[float, int]] = field(default_factory=list)
    failure: str = ""
    hanging: bool = False
    name: str = "fake"

    async def publish(self, names: int) -> Delivered | Undelivered:
        """Keep it."""
        if self.hanging:
            await asyncio.sleep(3_600)
        if self.failure:
            return Undelivered(self.failure)
        self.counts.append((asyncio.get_running_loop().time(), names))
        return Delivered()


def counted(seconds: float, *acts: tuple[float, object], meter: FakeMeter | None = None) -> World:
    """A running world that counts; each act is a function of the world."""

    async def run() -> World:
        made = world(12)
        made.counting = Counting(meter or FakeMeter(), made.cycle.without_answers)
        await made.run(seconds, *((at_s, lambda act=act: act(made)) for at_s, act in acts))
        return made

    return in_virtual_time(run)


def counts_between(meter: FakeMeter, from_s: float, to_s: float) -> list[int]:
    """The counts of a stretch of time."""
    return [names for at_s, names in meter.counts if from_s <= at_s < to_s]


def test_a_count_comes_every_ten_seconds_and_follows_the_names() -> None:
    """None, then two, then none again, each a period at most after the sentinel knows it."""
    meter = FakeMeter()

    def heal(made: World) -> None:
        made.servers.broken.clear()

    counted(
        180.0,
        (60.0, lambda made: gone(made, 3, Finding.NODATA)),
        (60.0, lambda made: gone(made, 5, Finding.NXDOMAIN)),
        (120.0, heal),
        meter=meter,
    )
    assert counts_between(meter, 0.0, 60.0) == [0, 0, 0, 0]  # the first ones are not known yet
    assert counts_between(meter, 85.0, 120.0) == [2, 2, 2]
    assert counts_between(meter, 145.0, 180.0) == [0, 0, 0]


def test_where_nobody_is_heard_nothing_is_counted() -> None:
    """Zero would tell the alarm that all is well; silence makes it ring."""
    meter = FakeMeter()
    counted(
        120.0,
        (30.0, lambda made: made.servers.silent_hosts.update(one.host for one in SERVERS)),
        (90.0, lambda made: made.servers.silent_hosts.clear()),
        meter=meter,
    )
    assert len(counts_between(meter, 0.0, 30.0)) == 1
    assert counts_between(meter, 50.0, 90.0) == []
    assert counts_between(meter, 105.0, 120.0) == [0]


def test_a_meter_that_hangs_delays_no_page() -> None:
    """P12 needs no CloudWatch."""
    made = counted(
        60.0, (20.0, lambda made: gone(made, 3, Finding.NODATA)), meter=FakeMeter(hanging=True)
    )
    pages = [(at, one.page_id) for at, one in enumerate(made.notices)]
    assert pages == [(0, page_id(made.names[3].key))]
    assert made.notices[0].at_s < made.started_s + 20.0 + made.pace.found_within_s


def test_a_failure_is_said_once_until_it_is_over() -> None:
    """An hour of denials is one line in the log, and the next trouble another."""
    meter = FakeMeter(failure="AccessDenied")

    async def run() -> list[str]:
        counting = Counting(meter, lambda: 1)
        with capture_logs() as events:
            for failure in ("AccessDenied", "AccessDenied", "", "AccessDenied"):
                meter.failure = failure
                await counting.run_once()
        return [one["reason"] for one in events if one["event"] == "count_not_published"]

    assert in_virtual_time(run) == ["AccessDenied", "AccessDenied"]
