"""What each process works with: the product's own cycles, over what the stage lets it reach.

A cycle is made when its process first acts, and anew when it starts again.
"""

from dnsplan.ports import GenerationTable
from enactor.cycle import EnactCycle
from enactor.ports import Outside as EnactorOutside
from planner.cleanup import CleanupCycle
from planner.cleanup import Outside as CleanupOutside
from planner.cycle import PlanCycle
from planner.rules.candidate import ZoneWish
from runbooks.controls.outside import Outside as ControlsOutside
from tests.simulation.house import PACE, RETENTION
from tests.simulation.processes import ProcessClock, ProcessJitter
from tests.simulation.scenario.stage import Stage
from tests.simulation.workload import LIMITS

# A script plans as often as it says.
PLANS_PER_MIN_MAX = 1_000


def enactor_of(stage: Stage, name: str) -> EnactCycle:
    """An enactor's cycle."""
    actor = stage.actor(name)
    if actor.tool is None:
        reached = stage.reach(actor.process)
        outside = EnactorOutside(
            table=reached.table,
            archive=reached.archive,
            records=reached.records,
            exceptions=reached.exceptions,
            clock=ProcessClock(actor.process),
            jitter=ProcessJitter(actor.process),
        )
        actor.tool = EnactCycle(outside, az=name, pace=PACE)
    cycle: EnactCycle = actor.tool
    return cycle


def planner_of(stage: Stage, name: str) -> PlanCycle:
    """A planner's cycle."""
    actor = stage.actor(name)
    if actor.tool is None:
        reached = stage.reach(actor.process)
        actor.tool = PlanCycle(
            table=reached.table,
            archive=reached.archive,
            clock=ProcessClock(actor.process),
            jitter=ProcessJitter(actor.process),
            author=name,
            plans_per_min_max=PLANS_PER_MIN_MAX,
        )
    cycle: PlanCycle = actor.tool
    return cycle


def cleanup_of(stage: Stage) -> CleanupCycle:
    """Cleanup's cycle: it keeps one plan below head, however young."""
    process = stage.actor("cleanup").process
    reached = stage.reach(process)
    outside = CleanupOutside(
        table=reached.table,
        archive=reached.archive,
        fences=reached.fences,
        clock=ProcessClock(process),
        jitter=ProcessJitter(process),
    )
    return CleanupCycle(outside, retention=RETENTION, by="cleanup")


def controls_of(stage: Stage, name: str) -> ControlsOutside:
    """What an operator's command reaches."""
    actor = stage.actor(name)
    if actor.tool is None:
        reached = stage.reach(actor.process)
        actor.tool = ControlsOutside(
            table=reached.table,
            archive=reached.archive,
            records=reached.records,
            audit=reached.audit,
            clock=ProcessClock(actor.process),
            jitter=ProcessJitter(actor.process),
        )
    outside: ControlsOutside = actor.tool
    return outside


def table_of(stage: Stage, name: str) -> GenerationTable:
    """The table as a process reaches it."""
    return stage.reach(stage.actor(name).process).table


def wish_of(stage: Stage, name: str) -> ZoneWish:
    """What a planner's config states."""
    return ZoneWish(
        label=stage.zone.label,
        zone=stage.zone.name,
        stated=stage.wishes.get(name, {}),
        driven=(),
        limits=LIMITS,
    )
