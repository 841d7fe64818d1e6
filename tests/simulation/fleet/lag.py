"""How long it takes from a change that a planner has seen until the zone holds it, when nothing is
wrong: three enactors, the account's limit, and changes of single records that come by chance.

Route 53's own propagation is left out, since it is the same for everybody. What is looked at by
the clock goes on meanwhile, and takes its share of the requests.
"""

from collections import Counter
from dataclasses import dataclass, field
from random import Random

from msgspec import Struct

from dnsplan.plan import next_generation
from dnsplan.ports import Zone
from dnsplan.runtime.config.schema import Settings
from tests.simulation.fleet.network import TRAVEL_S
from tests.simulation.fleet.world import AZS, Fleet, Size
from tests.simulation.processes import Process

# Passes start an interval apart, more or less this part of it.
POLL_SPREAD = 0.1
# A table in the same Region, each way.
TABLE_TRAVEL_S = (0.002, 0.01)
# Fence, batch, poll, and one page that is read back.
REQUESTS_A_CHANGE = 4
# Enactors find their zones, and learn how long changes take.
CALM_S = 300.0
LOOK_EVERY_S = 0.05
GIVEN_UP_AFTER_S = 3_600.0


class Lags(Struct, frozen=True):
    """Seconds from the moment at which a planner begins to publish. `landed`: until Route 53 has
    accepted all of it; `known`: until it is known to be in sync, propagation left out. `lost`:
    requests by AZs other than the one whose batch landed, of `requests` for plans."""

    zones: int
    load: float
    bound_s: float
    requests: int
    lost: int
    landed: tuple[float, ...]
    known: tuple[float, ...]

    @property
    def lost_share(self) -> float:
        """What the losing AZs cost."""
        return self.lost / self.requests if self.requests else 0.0


def percentile(seconds: tuple[float, ...], share: float) -> float:
    """The least of them, in order, that this share does not exceed."""
    return seconds[min(len(seconds) - 1, int(share * len(seconds)))]


def bound_s(settings: Settings) -> float:
    """One poll interval, as far as it spreads, and two requests: each has its turn in the AZ's
    share of the account's limit, and travels."""
    a_request_s = len(settings.azs) / settings.account_requests_per_s
    spread_s = settings.enactor.interval_s * (1.0 + POLL_SPREAD)
    return spread_s + 2 * (a_request_s + 2 * TRAVEL_S[1])


def measure(size: Size, *, load: float, changes: int, seed: int = 1) -> Lags:
    """Play it. `load`: what the changes ask of the account's limit. The same seed is the same run.

    A zone changes again only when it stands: of plans that overtake one another only the last
    would be measured.
    """
    fleet = Fleet(size, seed=seed)
    fleet.table_network.travel_s = TABLE_TRAVEL_S
    play = _Play(fleet, load, changes, Random(f"lag {seed}"))
    fleet.play(play.main())
    return Lags(
        zones=size.zones,
        load=load,
        bound_s=bound_s(fleet.settings),
        requests=play.requests,
        lost=play.lost,
        landed=tuple(sorted(play.landed)),
        known=tuple(sorted(play.known)),
    )


@dataclass(slots=True)
class _Play:
    """`_asked`: requests for the plan that a zone is on its way to, by AZ."""

    fleet: Fleet
    load: float
    changes: int
    chance: Random
    landed: list[float] = field(default_factory=list)
    known: list[float] = field(default_factory=list)
    requests: int = 0
    lost: int = 0
    _asked: dict[str, Counter[str]] = field(default_factory=dict)

    async def main(self) -> None:
        """Calm, then changes, then until all of them stand."""
        fleet = self.fleet
        publish = fleet.planner()
        fleet.counts.heard = self._heard
        for az in AZS:
            fleet.start(az)
        await fleet.wait(CALM_S)
        between_s = REQUESTS_A_CHANGE / (fleet.size.account_per_s * self.load)
        while len(self.known) + len(self._asked) < self.changes:
            await fleet.wait(self.chance.expovariate(1.0 / between_s))
            still = [one for one in fleet.zones.values() if one.zone_id not in self._asked]
            if still:
                zone = self.chance.choice(still)
                self._asked[zone.zone_id] = Counter()
                fleet.change(zone.label)
                publish(zone.label)
                fleet.loop.create_task(self._follow(zone, fleet.loop.time()))
        until_s = fleet.loop.time() + GIVEN_UP_AFTER_S
        while self._asked and fleet.loop.time() < until_s:
            await fleet.wait(1.0)

    def _heard(self, process: Process, zone_id: str) -> None:
        if zone_id in self._asked:
            self._asked[zone_id][process.name] += 1

    async def _follow(self, zone: Zone, began_s: float) -> None:
        fleet, items = self.fleet, self.fleet.cloud.table.items
        goal = next_generation(items[zone.label].head)
        while fleet.behind[zone.label].landed < goal:
            await fleet.wait(LOOK_EVERY_S)
        self.landed.append(fleet.loop.time() - began_s)
        while items[zone.label].applied < goal:
            await fleet.wait(LOOK_EVERY_S)
        took_s = fleet.loop.time() - began_s
        self.known.append(took_s - fleet.size.insync_after_s)
        asked = self._asked.pop(zone.zone_id)
        self.requests += asked.total()
        self.lost += asked.total() - max(asked.values())
