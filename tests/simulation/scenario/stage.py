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
from dnsplan.ports import PlanRow, Zone
from dnsplan.records import RecordSet, Unit
from planner.rules.waves import OpenPage, Waves
from sandbox.route53.account import Route53Settings
from tests.fakes.zone_records import FakeRoute53
from tests.simulation.checkers import Checkers
from tests.simulation.cloud import FakeCloud
from tests.simulation.doors import port_doors
from tests.simulation.house import House
from tests.simulation.loop import SimLoop
from tests.simulation.processes import Process
from tests.simulation.reach import Doors, Reach
from tests.simulation.scenario.facts import facts_of, news
from tests.simulation.scenario.line import Line
from tests.simulation.scenario.words import Tokens
from tests.simulation.stack.ground import stack_ground
from tests.simulation.stack.there import StackCloud
from tests.simulation.workload import Intent

IN_SYNC_AFTER_S = 4.0


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
    """One zone, `shop.example`, others beside it where a script says so, and everybody around."""

    said: list[str] = field(default_factory=list)
    actors: dict[str, Actor] = field(default_factory=dict)
    wishes: dict[str, dict[Unit, tuple[RecordSet, ...]]] = field(default_factory=dict)
    freezes: list[str] = field(default_factory=list)
    backup: Backup | None = None
    house: House | None = None
    intent: Intent | None = None
    beside: list[Zone] = field(default_factory=list)
    waves: Waves | None = None
    pages: list[OpenPage] = field(default_factory=list)
    loop: SimLoop = field(init=False)
    cloud: FakeCloud | StackCloud = field(init=False)
    judge: Checkers = field(init=False)
    line: Line = field(init=False)
    reach: Reach = field(init=False)
    zone: Zone = field(init=False)
    _tokens: Tokens = field(default_factory=Tokens)
    _seen: Mapping[str, str] = field(default_factory=dict)
    _beside: dict[str, Mapping[str, str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """An empty zone, an empty table, nobody at work."""
        self.loop = SimLoop(Random("scenario"))
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
        fakes = FakeCloud(FakeRoute53(self.loop.time, _settings()))
        self._open(fakes, lambda wire, judge: port_doors(wire, fakes, judge))

    def use_the_stack(self) -> None:
        """Put the product's adapters, its retry layer, the SDK and the stand-in in the place of the
        fakes of the ports."""
        if self.actors or self.house is not None:
            raise Mistaken("say it before anybody does anything")
        cloud, doors = stack_ground(self.loop, _settings(), seed=0)
        self._open(cloud, doors)

    @property
    def fakes(self) -> FakeCloud:
        """The cloud where it is one of fakes, which can do what the stand-in cannot."""
        if not isinstance(self.cloud, FakeCloud):
            raise Mistaken("this can only be done at the ports")
        return self.cloud

    def _open(self, cloud: FakeCloud | StackCloud, doors: Doors) -> None:
        self.cloud = cloud
        self.judge = Checkers(self.loop, cloud)
        self.reach = doors(self.line, self.judge)
        self.zone = cloud.route53.make_zone("shop", "shop.example.")
        self.judge.watch(self.zone)
        self._seen = facts_of(cloud, self.zone)

    def add(self, label: str) -> None:
        """One more zone, empty."""
        zone = self.cloud.route53.make_zone(label, f"{label}.example.")
        self.judge.watch(zone)
        self.beside.append(zone)
        self._beside[label] = facts_of(self.cloud, zone)

    # What is said.

    def tell(self, who: str, what: str) -> None:
        """A line of the narration."""
        self.said.append(self._tokens.named(f"{who}: {what}" if who else what))

    def tell_news(self) -> None:
        """What changed since it was last told, if anything did; zone by zone."""
        if changed := self.news():
            self.tell("", changed)
        for zone in self.beside:
            now = facts_of(self.cloud, zone)
            if changed := news(self._beside[zone.label], now):
                self.tell(zone.label, changed)
            self._beside[zone.label] = now

    def news(self) -> str:
        """What changed in the first zone since it was last told."""
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

    def close(self) -> None:
        """Let everything go."""
        self.loop.drop_everything()
        self.cloud.close()


def _settings() -> Route53Settings:
    return Route53Settings(insync_after_s=IN_SYNC_AFTER_S)
