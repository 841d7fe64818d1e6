"""Steps of several zones that take up a changed config in waves, while all daemons run.

The sentinel is a page that the script writes; enactors show what befalls a zone by themselves.
"""

from collections.abc import Sequence
from random import Random

from dnsplan.ports import Zone
from planner.rules.outcomes import Held
from planner.rules.waves import OpenPage, Waves
from tests.simulation.house import PLANNERS, House
from tests.simulation.processes import START_S
from tests.simulation.scenario.contents import record_sets
from tests.simulation.scenario.language import Places, sentence
from tests.simulation.scenario.stage import Mistaken, Stage
from tests.simulation.workload import Intent, Stated

WINDOW_S = 60.0


@sentence("there is also the zone {name}")
async def also(stage: Stage, places: Places) -> None:
    """Beside shop, and as empty. What is told of it begins with its label."""
    stage.add(places["name"])


@sentence("a changed config goes to shop first and bakes for {n} seconds; {m} zones a minute")
async def goes_in_waves(stage: Stage, places: Places) -> None:
    """The section `waves` of the config; a sentinel is asked too."""
    stage.waves = Waves(
        canaries=(stage.zone.label,),
        bake_s=float(places["n"]),
        zones_per_window=int(places["m"]),
        window_s=WINDOW_S,
        sentinel="http://127.0.0.1:8055",
    )


@sentence("the config of all zones states {content}")
async def states_everywhere(stage: Stage, places: Places) -> None:
    """Planners take it up by starting again; who does not run yet starts with it."""
    every = [stage.zone, *stage.beside]
    version = 1 if stage.intent is None else stage.intent.version + 1
    intents = {zone.label: _intent(zone, places["content"], version) for zone in every}
    stage.intent = intents[stage.zone.label]
    if stage.house is None:
        stage.house = _house(stage, every)
    for name in PLANNERS:
        stage.house.intents[name] = intents
        if stage.house.processes:
            stage.house.restart(name)


@sentence("the sentinel pages that {name} of shop is empty")
async def pages(stage: Stage, places: Places) -> None:
    """The page is open until the script ends it."""
    text = f"{places['name']}.{stage.zone.name} answers with no records"
    stage.pages.append(OpenPage(stage.zone.label, text, START_S + stage.loop.time()))


@sentence("the sentinel's page is over")
async def recovers(stage: Stage, _places: Places) -> None:
    """The name answers again."""
    stage.pages.clear()


@sentence("who waits, and for what?")
async def who_waits(stage: Stage, _places: Places) -> None:
    """By the last pass of planner1: what it logs, pages and shows; the rule where it is a stop."""
    if stage.house is None:
        raise Mistaken("nobody runs by themselves yet")
    waiting = [one for one in stage.house.reports[PLANNERS[0]] if one.waits]
    for one in waiting:
        match one.outcome:
            case Held(rule, _, command):
                stage.tell(one.wish.label, f"holds ({rule}): {one.waits}; next: {command}")
            case _:
                stage.tell(one.wish.label, f"waits: {one.waits}")
    if not waiting:
        stage.tell("", "nobody waits")


class _Page:
    """`planner.ports.SentinelPage` of the script."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage

    async def pages(self, _url: str) -> Sequence[OpenPage]:
        """What is open."""
        return list(self._stage.pages)


def _intent(zone: Zone, content: str, version: int) -> Intent:
    stated = {
        one.name.removesuffix(f".{zone.name}"): Stated(one.values, one.type, one.ttl_s or 0)
        for one in record_sets(content, zone)
    }
    return Intent(zone.name, zone.zone_id, version, stated, {}, {})


def _house(stage: Stage, every: Sequence[Zone]) -> House:
    return House(
        loop=stage.loop,
        wire=stage.line,
        cloud=stage.cloud,
        judge=stage.judge,
        reach=stage.reach,
        chance=Random("house"),
        zones={zone.label: zone for zone in every},
        waves=None if stage.waves is None else (stage.waves, _Page(stage)),
    )
