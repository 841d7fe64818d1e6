"""Steps of the daemons: who plans, enacts and cleans, who stands still, dies or loses a call."""

from collections.abc import Callable, Coroutine
from typing import Any

from dnsplan.vouch import UNCHECKED
from enactor.rules import adoption
from enactor.rules.outcomes import Applied, Held, Outcome
from enactor.settings import ZoneTask
from planner.passes import CleanupPass, PlanPass
from planner.rules.health import Sight
from tests.simulation.house import PACE
from tests.simulation.scenario import words
from tests.simulation.scenario.cast import cleanup_of, enactor_of, planner_of, table_of, wish_of
from tests.simulation.scenario.contents import units
from tests.simulation.scenario.language import Places, sentence
from tests.simulation.scenario.line import Ordered, Trouble
from tests.simulation.scenario.stage import Stage
from tests.simulation.workload import LIMITS

CONFIRM_PASSES_MAX = 400


@sentence("the zone holds {content}")
async def holds(stage: Stage, places: Places) -> None:
    """planner1 has planned it, az1 has applied it and waited until it was in sync; only what
    changed by it is told. Often the first step."""
    stage.wishes["planner1"] = units(places["content"], stage.zone)
    stage.line.quiet = True
    await stage.act("planner1", _plan(stage, "planner1"))
    await stage.act("az1", _enact(stage, "az1", audits=False))
    await stage.act("az1", _wait(stage, "az1"))
    stage.line.quiet = False
    stage.tell_news()


@sentence("{planner} plans {content}")
async def plans_content(stage: Stage, places: Places) -> None:
    """The config that this planner has read states these record sets; it makes one pass."""
    name = places["planner"]
    stage.wishes[name] = units(places["content"], stage.zone)
    await stage.act(name, _plan(stage, name))


@sentence("{planner} plans again")
async def plans_again(stage: Stage, places: Places) -> None:
    """One more pass of a planner, from the config that it had."""
    await stage.act(places["planner"], _plan(stage, places["planner"]))


@sentence("{planner} plans {n} times in a row")
async def plans_often(stage: Stage, places: Places) -> None:
    """As many plans, each with another address of `api`; what changed is told in the end."""
    name = places["planner"]
    stage.line.quiet = True
    for turn in range(int(places["n"])):
        stage.wishes[name] = units(f"api -> 198.51.100.{turn % 250 + 1}", stage.zone)
        await stage.act(name, _plan(stage, name))
        await stage.pause(PACE.interval_s)
    stage.line.quiet = False
    stage.tell_news()


@sentence("{az} enacts")
async def enacts(stage: Stage, places: Places) -> None:
    """One pass of an enactor, as its daemon makes it."""
    await stage.act(places["az"], _enact(stage, places["az"], audits=False))


@sentence("{az} audits")
async def audits(stage: Stage, places: Places) -> None:
    """One pass of an enactor that also looks the zone through for what others changed."""
    await stage.act(places["az"], _enact(stage, places["az"], audits=True))


@sentence("{az} waits until it is in sync")
async def confirms(stage: Stage, places: Places) -> None:
    """An enactor's passes, one each 2 s, until what it sent is known to be everywhere."""
    await stage.act(places["az"], _wait(stage, places["az"]))


@sentence("cleanup runs")
async def cleans(stage: Stage, _places: Places) -> None:
    """One pass of cleanup, which keeps one plan below head."""

    async def clean() -> str:
        cleaning = CleanupPass([(stage.zone.label, stage.zone.name)], cleanup_of(stage))
        (report,) = await cleaning.run_once()
        return words.cleaned(report.outcome)

    await stage.act("cleanup", clean)


@sentence("{who} will {trouble} it {does}")
async def ordered(stage: Stage, places: Places) -> None:
    """Trouble at the next such call of a process. Dead and stopped processes do nothing more until
    they start again or go on; a request that is delayed is still on its way."""
    _order(stage, places, nth=1)


@sentence("{who} will {trouble} it {does} for time {nth}")
async def ordered_later(stage: Stage, places: Places) -> None:
    """The same at the second such call from now, or the third."""
    _order(stage, places, nth=int(places["nth"]))


@sentence("{who} goes on")
async def goes_on(stage: Stage, places: Places) -> None:
    """A process that stands still goes on where it stood."""
    await stage.go_on(places["who"])


@sentence("{who} starts again")
async def starts_again(stage: Stage, places: Places) -> None:
    """A process begins a new life and remembers nothing."""
    stage.start_again(places["who"])


@sentence("the late request of {who} arrives")
async def arrives(stage: Stage, places: Places) -> None:
    """What a process sent long ago takes effect now."""
    stage.line.arrive(places["who"])


def _order(stage: Stage, places: Places, *, nth: int) -> None:
    trouble = Ordered(Trouble(places["trouble"]), places["does"], nth)
    stage.line.ordered.setdefault(places["who"], []).append(trouble)


def _plan(stage: Stage, name: str) -> Callable[[], Coroutine[Any, Any, str]]:
    async def plan() -> str:
        cycle, now_s = planner_of(stage, name), stage.loop.time()
        planning = PlanPass([wish_of(stage, name)], table=table_of(stage, name), cycle=cycle)
        (report,) = await planning.run_once(Sight({}, 0.0, now_s), may_write=True)
        return words.planned(report.outcome)

    return plan


def _enact(stage: Stage, name: str, *, audits: bool) -> Callable[[], Coroutine[Any, Any, str]]:
    async def enact() -> str:
        return words.enacted(await _pass(stage, name, audits=audits))

    return enact


def _wait(stage: Stage, name: str) -> Callable[[], Coroutine[Any, Any, str]]:
    async def wait() -> str:
        for _ in range(CONFIRM_PASSES_MAX):
            await stage.actor(name).process.wait(PACE.interval_s)
            outcome = await _pass(stage, name, audits=False)
            if not isinstance(outcome, Applied) or outcome.confirmed:
                return words.enacted(outcome)
        return f"still waits after {CONFIRM_PASSES_MAX} passes"

    return wait


async def _pass(stage: Stage, name: str, *, audits: bool) -> Outcome:
    """What the daemon does when it is this AZ's turn."""
    cycle, table = enactor_of(stage, name), table_of(stage, name)
    item = (await table.read([stage.zone.label])).get(stage.zone.label)
    incarnation = await table.incarnation()
    adopted = adoption.before_fence(item, stage.zone, incarnation=incarnation, keyring=UNCHECKED)
    if isinstance(adopted, Held):
        return adopted
    outcome = await cycle.confirm(adopted.item)
    if outcome is not None:
        return outcome
    task = ZoneTask(stage.zone, observe=False, repair_drift=True, limits=LIMITS)
    return await cycle.run_once(task, adopted.item, incarnation=incarnation, audits=audits)
