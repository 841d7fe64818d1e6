"""The world of a scenario: the processes that a script moves, one at a time, over the shared cloud.

A process runs until its pass is over or it stands still by order. Their code is the product's own
cycles; the judge of the simulation watches every effect.
"""

from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Any

from dnsplan.codec import Envelope
from dnsplan.errors import DnsplanError, ReadFailed
from dnsplan.generation import GenerationItem
from dnsplan.plan import PlanId
from dnsplan.ports import GenerationTable, PlanRow, Zone
from dnsplan.records import RecordSet, Unit
from enactor.cycle import EnactCycle
from enactor.ports import Outside as EnactorOutside
from planner.cleanup import CleanupCycle
from planner.cleanup import Outside as CleanupOutside
from planner.cycle import PlanCycle
from planner.rules.candidate import ZoneWish
from runbooks.controls.outside import Outside as ControlsOutside
from sandbox.route53.account import Route53Settings
from tests.fakes.zone_records import FakeRoute53
from tests.simulation.checkers import Checkers
from tests.simulation.cloud import FakeCloud
from tests.simulation.doors import port_doors
from tests.simulation.house import PACE, RETENTION, House
from tests.simulation.loop import SimLoop
from tests.simulation.processes import Process, ProcessClock, ProcessJitter
from tests.simulation.reach import Reach
from tests.simulation.scenario.facts import facts_of, news
from tests.simulation.scenario.line import Line
from tests.simulation.scenario.words import Tokens
from tests.simulation.workload import LIMITS, Intent

IN_SYNC_AFTER_S = 4.0

# A script plans as often as it says.
PLANS_PER_MIN_MAX = 1_000


class Mistaken(Exception):
    """The script asks for what cannot be done."""


@dataclass(slots=True, eq=False)
class Actor:
    """One process that the script moves. `tool` is its cycle, made anew when it starts again."""

    process: Process
    tool: Any = None
    task: Any = None
    rest: Any = None


@dataclass(slots=True)
class Backup:
    """What a backup of the table holds."""

    items: dict[str, GenerationItem]
    bodies: dict[PlanId, Envelope]
    kept: dict[PlanId, PlanRow]


@dataclass(slots=True)
class Stage:
    """One zone, `shop.example`, and everybody around it."""

    said: list[str] = field(default_factory=list)
    actors: dict[str, Actor] = field(default_factory=dict)
    wishes: dict[str, dict[Unit, tuple[RecordSet, ...]]] = field(default_factory=dict)
    freezes: list[str] = field(default_factory=list)
    backup: Backup | None = None
    house: House | None = None
    intent: Intent | None = None
    loop: SimLoop = field(init=False)
    cloud: FakeCloud = field(init=False)
    judge: Checkers = field(init=False)
    line: Line = field(init=False)
    reach: Reach = field(init=False)
    zone: Zone = field(init=False)
    _tokens: Tokens = field(default_factory=Tokens)
    _seen: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """An empty zone, an empty table, nobody at work."""
        self.loop = SimLoop(Random("scenario"))
        route53 = FakeRoute53(self.loop.time, Route53Settings(insync_after_s=IN_SYNC_AFTER_S))
        self.cloud = FakeCloud(route53)
        self.judge = Checkers(self.loop, self.cloud)
        self.line = Line(
            self.loop,
            Random("scenario"),
            {},
            lambda _process: None,
            calm_at_s=0.0,
            tell=self.tell,
            changed=self._changed,
            rested=self._rested,
        )
        self.reach = port_doors(self.line, self.cloud, self.judge)
        self.zone = route53.make_zone("shop", "shop.example.")
        self.judge.watch(self.zone)
        self._seen = facts_of(self.cloud, self.zone)

    # What is said.

    def tell(self, who: str, what: str) -> None:
        """A line of the narration."""
        self.said.append(self._tokens.named(f"{who}: {what}" if who else what))

    def tell_news(self) -> None:
        """What changed since it was last told, if anything did."""
        if changed := self.news():
            self.tell("", changed)

    def news(self) -> str:
        """What changed since it was last told."""
        before, self._seen = self._seen, facts_of(self.cloud, self.zone)
        return news(before, self._seen)

    def _changed(self) -> str:
        changed = self.news()
        return f" | {changed}" if changed else ""

    # Who acts.

    def actor(self, name: str) -> Actor:
        """A process, started when it is first spoken of."""
        if name not in self.actors:
            self.actors[name] = Actor(Process(name, self.loop, Random(f"{name} 1")))
        return self.actors[name]

    def start_again(self, name: str) -> None:
        """A new life, with nothing in its memory."""
        old = self.actor(name).process
        old.kill()
        life = old.life + 1
        self.line.gates.pop(name, None)
        self.actors[name] = Actor(Process(name, self.loop, Random(f"{name} {life}"), life))

    async def act(self, name: str, work: Callable[[], Coroutine[Any, Any, str]]) -> None:
        """Let a process work until it is done or stands still. Its last word is told."""
        actor = self.actor(name)
        if not actor.process.alive:
            raise Mistaken(f"{name} is dead; let it start again first")
        if actor.task is not None and not actor.task.done():
            raise Mistaken(f"{name} stands still; let it go on first")
        actor.task = self.loop.create_task(self._told(name, work))
        actor.task.add_done_callback(lambda _task: self._rested(actor.process))
        await self._until_rest(actor)

    async def go_on(self, name: str) -> None:
        """Let a process go on from where it stands still."""
        if name not in self.line.gates:
            raise Mistaken(f"{name} does not stand still")
        self.line.go_on(name)
        await self._until_rest(self.actor(name))

    async def pause(self, seconds: float) -> None:
        """Let time pass for everybody."""
        waiting = self.loop.create_future()
        self.loop.call_later(seconds, waiting.set_result, None)
        await waiting

    async def _told(self, name: str, work: Callable[[], Coroutine[Any, Any, str]]) -> None:
        try:
            word = await work()
        except ReadFailed as error:
            word = f"ends its pass: {error}"
        except DnsplanError as error:
            word = f"is refused: {error}"
        if word and not self.line.quiet:
            self.tell(name, f"{word}{self._changed()}")

    async def _until_rest(self, actor: Actor) -> None:
        actor.rest = self.loop.create_future()
        await actor.rest
        if actor.task.done():
            actor.task.result()

    def _rested(self, process: Process) -> None:
        actor = self.actors.get(process.name)
        if actor is None or actor.process is not process:
            return
        if actor.rest is not None and not actor.rest.done():
            actor.rest.set_result(None)

    # What they work with.

    def enactor(self, name: str) -> EnactCycle:
        """An enactor's cycle."""
        actor = self.actor(name)
        if actor.tool is None:
            reached = self.reach(actor.process)
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

    def planner(self, name: str) -> PlanCycle:
        """A planner's cycle."""
        actor = self.actor(name)
        if actor.tool is None:
            reached = self.reach(actor.process)
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

    def cleanup(self) -> CleanupCycle:
        """Cleanup's cycle: it keeps one plan below head, however young."""
        process = self.actor("cleanup").process
        reached = self.reach(process)
        outside = CleanupOutside(
            table=reached.table,
            archive=reached.archive,
            fences=reached.fences,
            clock=ProcessClock(process),
            jitter=ProcessJitter(process),
        )
        return CleanupCycle(outside, retention=RETENTION, by="cleanup")

    def controls(self, name: str) -> ControlsOutside:
        """What an operator's command reaches."""
        actor = self.actor(name)
        if actor.tool is None:
            reached = self.reach(actor.process)
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

    def table(self, name: str) -> GenerationTable:
        """The table as a process reaches it."""
        return self.reach(self.actor(name).process).table

    def wish(self, name: str) -> ZoneWish:
        """What a planner's config states."""
        return ZoneWish(
            label=self.zone.label,
            zone=self.zone.name,
            stated=self.wishes.get(name, {}),
            driven=(),
            blocked=(),
            limits=LIMITS,
        )

    def close(self) -> None:
        """Let everything go."""
        self.loop.drop_everything()
