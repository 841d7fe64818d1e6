"""Steps in which all daemons run by themselves for a while: three enactors, two planners, cleanup.

What each of them does is chance, drawn from one seed; told is only what changed in the end. Laws
about the number of calls are steps of their own.
"""

from collections import Counter
from random import Random

from planner.rules.pools import Policy
from planner.rules.probing import Bad
from tests.simulation.doors import NETWORK, ROUTE53, TABLE
from tests.simulation.house import AZS, PLANNERS, House
from tests.simulation.scenario.language import Places, sentence
from tests.simulation.scenario.stage import Mistaken, Stage
from tests.simulation.workload import Intent, Pool, address_of

# What may be counted, as calls of the wire.
COUNTED = {
    "probes": NETWORK,
    "batches": "submit",
    "requests to route 53": ROUTE53,
    "requests to the table": TABLE,
}


@sentence("all goes through adapters, retries and the SDK")
async def whole_stack(stage: Stage, _places: Places) -> None:
    """Said first: the product's adapters over AWS's SDK and the stand-in, instead of fakes of the
    ports. A call that failed is repeated by the retry layer, within its budget."""
    stage.use_the_stack()


@sentence("the config states {name} with a pool of {n} targets")
async def states_pool(stage: Stage, places: Places) -> None:
    """Targets 192.0.2.1 and on, probed each 6 s; at most a quarter may be taken out in 40 s."""
    pool = Pool(Policy.MULTIVALUE, tuple(range(1, int(places["n"]) + 1)))
    zone = stage.zone
    stage.intent = Intent(zone.name, zone.zone_id, 1, {}, {places["name"]: pool}, {})


@sentence("everybody runs for {n} seconds")
async def everybody_runs(stage: Stage, places: Places) -> None:
    """All daemons run; they are started when it is first said."""
    stage.line.quiet = True
    if stage.house is None:
        stage.house = _house(stage)
    if not stage.house.processes:
        stage.house.start_all()
    before = Counter(stage.line.calls)
    await stage.pause(float(places["n"]))
    stage.line.quiet = False
    stage.line.landed = stage.line.calls - before
    stage.tell_news()


@sentence("all targets stop answering")
async def all_die(stage: Stage, _places: Places) -> None:
    """Every probe is refused."""
    stage.cloud.targets.sick = set(_addresses(stage))


@sentence("{n} targets stop answering")
async def some_die(stage: Stage, places: Places) -> None:
    """The first so many; the others answer."""
    stage.cloud.targets.sick = set(_addresses(stage)[: int(places["n"])])


@sentence("{planner} loses its network")
async def loses_network(stage: Stage, places: Places) -> None:
    """Every probe of this planner fails."""
    stage.cloud.targets.blind[places["planner"]] = Bad("no route")


@sentence("all targets answer again")
async def all_answer(stage: Stage, _places: Places) -> None:
    """Also to who had lost its network."""
    stage.cloud.targets.sick.clear()
    stage.cloud.targets.blind.clear()


@sentence("all enactors are killed")
async def enactors_die(stage: Stage, _places: Places) -> None:
    """All three at once."""
    for name in AZS:
        _running(stage).processes[name].kill()


@sentence("all enactors start again")
async def enactors_start(stage: Stage, _places: Places) -> None:
    """All three at once, with nothing in their memory."""
    for name in AZS:
        _running(stage).start(name)


@sentence("meanwhile there were between {n} and {m} {calls}")
async def counted(stage: Stage, places: Places) -> None:
    """Of the calls made while everybody ran last: a law, so the number itself is told only when it
    is broken."""
    name = COUNTED.get(places["calls"])
    if name is None:
        raise Mistaken(f"{places['calls']!r} is not counted; what is: {', '.join(COUNTED)}")
    found = stage.line.landed[name]
    low, high = int(places["n"]), int(places["m"])
    stage.tell("", "yes" if low <= found <= high else f"BROKEN: {found}")


def _house(stage: Stage) -> House:
    if stage.intent is None:
        raise Mistaken("say first what the config states")
    return House(
        loop=stage.loop,
        wire=stage.line,
        cloud=stage.cloud,
        judge=stage.judge,
        reach=stage.reach,
        chance=Random("house"),
        zones={stage.zone.label: stage.zone},
        intents={name: {stage.zone.label: stage.intent} for name in PLANNERS},
    )


def _running(stage: Stage) -> House:
    if stage.house is None:
        raise Mistaken("nobody runs by themselves yet")
    return stage.house


def _addresses(stage: Stage) -> list[str]:
    if stage.intent is None:
        raise Mistaken("the config states no pool")
    return [address_of(one) for pool in stage.intent.pools.values() for one in pool.targets]
