"""A long outage of table and Route 53, during which everything was to change; then both are back.

All that is wanted meets in one moment, five requests a second are allowed, and a tenth of the
answers are lost. What is measured begins with that moment and ends when all of it is known to
stand. Under a flood plans go on changing for a while, faster than requests could ever carry them.
"""

import statistics
from collections import Counter
from dataclasses import dataclass

from msgspec import Struct

from tests.simulation.fleet.counting import Minute
from tests.simulation.fleet.network import End
from tests.simulation.fleet.world import AZS, Fleet, Size

CALM_S = 60.0
LOOK_EVERY_S = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Trouble:
    """What happens. `flood_s`: for so long each zone is to change again each `again_s`."""

    outage_s: float = 7_200.0
    lost_share: float = 0.1
    restarted: bool = False
    flood_s: float = 0.0
    again_s: float = 60.0
    given_up_after_s: float = 3 * 3_600.0


class Point(Struct, frozen=True):
    """One minute of it. `behind`: zones, at its end; `lag_s`: the oldest change that waits then."""

    sent: int
    useful: int
    lost: int
    throttled: int
    apart: int
    wasted: dict[str, int]
    behind: int
    lag_s: float


class Recovery(Struct, frozen=True):
    """How it went. Shares are of all requests but those whose answer was lost and the looks that
    come by the clock; `sent_share` is of what the account may send, `worst` of one whole minute."""

    zones: int
    records: int
    is_over: bool
    took_s: float
    useful_share: float
    sent_share: float
    useful_share_worst: float
    sent_share_worst: float
    overtaken: int
    went_back: int
    lag_s_median: float
    lag_s_worst: float
    minutes: tuple[Point, ...]


def recover(size: Size, trouble: Trouble, *, seed: int = 1) -> Recovery:
    """Play it. The same seed is the same run."""
    fleet = Fleet(size, seed=seed)
    play = _Play(fleet, trouble)
    fleet.play(play.main())
    return play.figures()


class _Play:
    def __init__(self, fleet: Fleet, trouble: Trouble) -> None:
        self._fleet, self._trouble = fleet, trouble
        self._began_s = 0.0
        self._behind: list[tuple[int, float]] = []

    async def main(self) -> None:
        """All of it."""
        fleet, trouble = self._fleet, self._trouble
        await fleet.planners()
        for az in AZS:
            fleet.start(az)
        await fleet.wait(CALM_S)
        fleet.outage(is_on=True)
        await fleet.wait(trouble.outage_s / 2)
        for label in fleet.zones:
            fleet.change(label)
        await fleet.wait(trouble.outage_s / 2)
        if trouble.restarted:
            for az in AZS:
                fleet.start(az)
        self._began_s = fleet.loop.time()
        fleet.counts.begin()
        fleet.lose(trouble.lost_share)
        fleet.outage(is_on=False)
        if trouble.flood_s:
            fleet.loop.create_task(self._flood())
        await self._until_it_is_over()

    async def _until_it_is_over(self) -> None:
        fleet, trouble = self._fleet, self._trouble
        while (spent_s := fleet.loop.time() - self._began_s) < trouble.given_up_after_s:
            await fleet.wait(LOOK_EVERY_S)
            if (spent_s + LOOK_EVERY_S) % 60.0 < LOOK_EVERY_S:
                waiting = fleet.waiting_s()
                self._behind.append((len(waiting), max(waiting, default=0.0)))
            if spent_s > trouble.flood_s and fleet.is_confirmed():
                return

    async def _flood(self) -> None:
        """One zone after another, all of them each `again_s`."""
        fleet, trouble = self._fleet, self._trouble
        labels = list(fleet.zones)
        between_s = trouble.again_s / len(labels)
        for at in range(int(trouble.flood_s / between_s)):
            await fleet.wait(between_s)
            fleet.change(labels[at % len(labels)])

    def figures(self) -> Recovery:
        """What was seen."""
        fleet, counts = self._fleet, self._fleet.counts
        took_s = fleet.loop.time() - self._began_s
        minutes = [one for _, one in sorted(counts.minutes.items())]
        whole = minutes[: int(took_s // 60)] or minutes
        limit = fleet.size.account_per_s
        behind = [*self._behind, (len(fleet.waiting_s()), 0.0)]
        lags = fleet.lags or [0.0]
        return Recovery(
            zones=fleet.size.zones,
            records=fleet.size.records,
            is_over=fleet.is_confirmed(),
            took_s=took_s,
            useful_share=useful_share(minutes),
            sent_share=sum(one.sent for one in minutes) / (limit * took_s),
            useful_share_worst=min(useful_share([one]) for one in whole),
            sent_share_worst=min(one.sent for one in whole) / (limit * 60.0),
            overtaken=counts.overtaken,
            went_back=len(counts.went_back),
            lag_s_median=statistics.median(lags),
            lag_s_worst=max(lags),
            minutes=tuple(_point(one, *at) for one, at in zip(minutes, behind, strict=False)),
        )


def useful_share(minutes: list[Minute]) -> float:
    """What was useful of what was sent, lost answers and looks by the clock left out."""
    useful = sum(one.useful for one in minutes)
    counted = sum(one.sent - one.ends[End.LOST] - one.apart for one in minutes)
    return min(1.0, useful / counted) if counted else 1.0


def wasted(recovery: Recovery) -> Counter[str]:
    """What the rest was, over the whole run."""
    return sum((Counter(one.wasted) for one in recovery.minutes), Counter())


def _point(minute: Minute, behind: int, lag_s: float) -> Point:
    return Point(
        sent=minute.sent,
        useful=minute.useful,
        lost=minute.ends[End.LOST],
        throttled=minute.ends[End.THROTTLED],
        apart=minute.apart,
        wasted=dict(minute.wasted),
        behind=behind,
        lag_s=round(lag_s, 1),
    )
