"""One run: a world made from a seed, faults for some minutes, then calm until all zones are right.

`run` is the whole of it. Its result says what happened, in figures and as a digest of every event,
so that two runs of one seed can be compared on any machine.
"""

import logging
import math
from collections import Counter
from collections.abc import Callable, Mapping, MutableMapping
from dataclasses import dataclass, field
from random import Random
from typing import Any

import structlog

from dnsplan.ports import Zone
from sandbox.route53.account import Route53Settings
from sandbox.route53.model import StoredRecordSet
from sandbox.route53.switches import Switches
from tests.fakes.zone_records import FakeRoute53
from tests.simulation.acts import Act, Scene
from tests.simulation.break_glass import is_in_doubt
from tests.simulation.checkers import Checkers
from tests.simulation.cloud import Cloud, FakeCloud
from tests.simulation.doors import port_doors
from tests.simulation.house import PACE, PLANNERS, House
from tests.simulation.lookout import Lookout
from tests.simulation.loop import Deadlock, SimLoop, TooLong
from tests.simulation.operators import calm
from tests.simulation.processes import RUNNING, Process
from tests.simulation.profiles import EVERYTHING, FAULTS_S, Profile
from tests.simulation.reach import Doors
from tests.simulation.record import BrokenPromise
from tests.simulation.releases import two_releases
from tests.simulation.seen import Mark, mark_of
from tests.simulation.small_batches import small_batches
from tests.simulation.wire import Wire
from tests.simulation.workload import first_intent

# Velocity lets one of four targets go in a window of 40 s; a lost change is given up after 120 s.
CALM_S = 900.0
LOOK_EVERY_S = 1.0

# What a zone may cost once it is calm, and in how many enactor passes it is right.
REQUESTS_MAX = 150


@dataclass(slots=True, kw_only=True)
class Report:
    """What one run was."""

    seed: int
    stack: bool = False
    steps: int = 0
    seconds: float = 0.0
    generations: int = 0
    batches_max: int = 0
    landed: Counter[str] = field(default_factory=Counter)
    calm_s: float = 0.0
    calm_requests: int = 0
    trace: str = ""
    broken: str = ""
    promise: str = ""

    @property
    def calm_passes(self) -> int:
        """How often each enactor looked until all was right."""
        return math.ceil(self.calm_s / PACE.interval_s)


Say = Callable[[float, str, str], None]


def run(
    seed: int, *, profile: Profile = EVERYTHING, stack: bool = False, say: Say | None = None
) -> Report:
    """Play one seed to its end. A broken promise is in the report, not raised.

    With `stack` the daemons work by the product's adapters and AWS's SDK, else by fakes of ports.
    """
    chance = Random(seed)
    loop = SimLoop(Random(f"order {seed}"))
    report = Report(seed=seed, stack=stack)
    with small_batches(), two_releases():
        world = _World(loop, chance, report, profile, say)
        try:
            loop.run(world.main())
        except BrokenPromise as broken:
            report.broken, report.promise = str(broken), broken.promise
        except (Deadlock, TooLong) as stuck:
            report.broken, report.promise = f"P10: {type(stuck).__name__}: {stuck}", "P10"
        finally:
            world.close()
    return report


def _relay_logs(judge: Checkers, say: Say | None) -> None:
    """The judge hears every hold, and whoever watches hears all that the daemons log."""

    def relay(_: object, method: str, event: MutableMapping[str, Any]) -> str:
        process = RUNNING.get(None)
        if say is not None and process is not None:
            facts = " ".join(f"{key}={value}" for key, value in event.items() if key != "event")
            say(process.loop.time(), process.name, f"{method}: {event['event']} {facts}")
        if event["event"] == "zone_held":
            judge.held(event)
        raise structlog.DropEvent

    level = logging.INFO if say is not None else logging.WARNING
    structlog.configure(
        processors=[relay], wrapper_class=structlog.make_filtering_bound_logger(level)
    )


class _World:
    """What `run` runs."""

    def __init__(
        self, loop: SimLoop, chance: Random, report: Report, profile: Profile, say: Say | None
    ) -> None:
        self._loop, self._chance, self._report = loop, chance, report
        self._profile = profile
        self._cloud, doors = _ground(loop, _settings(chance), report.seed, stack=report.stack)
        self._judge = Checkers(loop, self._cloud)
        _relay_logs(self._judge, say)
        self._wire = Wire(
            loop,
            Random(f"wire {report.seed}"),
            profile.rates(chance),
            lambda process: self._house.revive(process),
            calm_at_s=FAULTS_S,
        )
        if say is not None:
            self._wire.say = lambda who, what: say(loop.time(), who, what)
        self._zones = {"shop": self._cloud.route53.make_zone("shop", "shop.example.")}
        self._house = House(
            loop=loop,
            wire=self._wire,
            cloud=self._cloud,
            judge=self._judge,
            reach=doors(self._wire, self._judge),
            chance=Random(f"house {report.seed}"),
            zones=self._zones,
            repair_drift=profile.repair_drift,
            signs=profile.signs,
        )
        for zone in self._zones.values():
            self._found(zone)

    def _found(self, zone: Zone) -> None:
        """A zone as people left it: with records of their own, which must stay."""
        theirs = [
            StoredRecordSet(f"legacy{at}.{zone.name}", "A", ttl=300, values=(f"203.0.113.{at}",))
            for at in (1, 2, 3)
        ]
        self._cloud.route53.account.load(zone.zone_id, theirs)
        self._judge.watch(zone)
        intent = first_intent(str(zone.name), zone.zone_id, self._chance)
        for name in PLANNERS:
            self._house.intents[name] = {**self._house.intents.get(name, {}), zone.label: intent}

    async def main(self) -> None:
        """Faults, then calm."""
        self._house.start_all()
        zone = self._zones["shop"]
        self._look_out(zone)
        scene = Scene(self._house, Random(f"scene {self._report.seed}"), zone)
        acts = self._profile.befalls(self._chance)
        begun = [
            self._loop.create_task(
                self._at(self._chance.uniform(*self._profile.begin_s), act, scene)
            )
            for act in acts
        ]
        await self._until(FAULTS_S)
        for task in begun:
            await task
        self._settle_targets()
        self._wake_all()
        await calm(scene)
        await self._converge(zone, scene)
        self._count(zone)

    def _look_out(self, zone: Zone) -> None:
        """In some runs a sentinel watches."""
        chance = Random(f"sentinel {self._report.seed}")
        if chance.random() < self._profile.sentinel_share:
            process = Process("sentinel", self._loop, chance)
            self._house.everybody.append(process)
            process.start(Lookout(process, self._judge, zone).run())

    async def _at(self, at_s: float, act: Act, scene: Scene) -> None:
        await self._until(at_s)
        await act(scene)

    async def _until(self, at_s: float) -> None:
        waiting = self._loop.create_future()
        self._loop.call_at(max(at_s, self._loop.time()), waiting.set_result, None)
        await waiting

    def _settle_targets(self) -> None:
        """Both planners want the same from here on."""
        house = self._house
        for label in self._zones:
            newest = max((house.intents[one][label] for one in PLANNERS), key=lambda i: i.version)
            for name in PLANNERS:
                if house.intents[name][label] != newest:
                    house.intents[name] = {**house.intents[name], label: newest}
                    house.restart(name)

    def _wake_all(self) -> None:
        """Nobody stands still any more, and whoever died lives."""
        for name, process in list(self._house.processes.items()):
            if name.startswith("operator"):
                continue
            if not process.alive or process.paused_until_s > self._loop.time():
                self._house.restart(name)

    async def _converge(self, zone: Zone, scene: Scene) -> None:
        """P10: the zone becomes right within a bounded time and number of requests."""
        began_s, requests = self._loop.time(), self._requests()
        settled_s = 0.0
        while settled_s < 3 * LOOK_EVERY_S:
            await self._until(self._loop.time() + LOOK_EVERY_S)
            settled_s = settled_s + LOOK_EVERY_S if self._is_right(zone) else 0.0
            item = self._cloud.table.items.get(zone.label)
            late = item is not None and (item.frozen is not None or item.pin is not None)
            mark = mark_of(self._judge.hosted(zone.label))
            late = late or (mark is not None and mark.frozen is not None)
            if late or is_in_doubt(scene):
                await calm(scene)  # a freeze or a pin that came late, or a doubt noticed by now
            self._report.calm_s = self._loop.time() - began_s
            self._report.calm_requests = self._requests() - requests
            if self._report.calm_s > CALM_S:
                raise BrokenPromise(
                    "P10", f"not right after {CALM_S:.0f} quiet s: {self._why(zone)}"
                )
            if self._report.calm_requests > REQUESTS_MAX:
                raise BrokenPromise("P10", f"more than {REQUESTS_MAX} requests: {self._why(zone)}")

    def _is_right(self, zone: Zone) -> bool:
        item = self._cloud.table.items.get(zone.label)
        mark = mark_of(self._judge.hosted(zone.label))
        if item is None or mark is None or item.head == 0:
            return False
        book = self._judge.books[zone.label]
        held = self._held(zone, mark)
        return (
            mark.step == mark.steps
            and len(held) == mark.held
            # What people made of a name before any plan of it was known to stand stays theirs.
            and held.keys() <= book.ever_edited
            and (mark.generation, mark.digest) == (item.head, item.head_digest)
            and item.applied == item.head
            and self._judge.otherwise(book, mark) - held.keys() <= book.tampered
        )

    def _held(self, zone: Zone, mark: Mark) -> Mapping[str, str]:
        """Names that the fence holds back, with the reason."""
        return {
            str(one.name): one.reason
            for (label, _, nonce), row in self._cloud.exceptions.rows.items()
            for one in row.names
            if label == zone.label and nonce == mark.note
        }

    def _why(self, zone: Zone) -> str:
        """What is not as it should be, in one line."""
        item = self._cloud.table.items.get(zone.label)
        book = self._judge.books[zone.label]
        mark = mark_of(self._judge.hosted(zone.label))
        if item is None or mark is None:
            return f"item {item}, fence {mark}"
        wrong = self._judge.otherwise(book, mark) - book.tampered if mark.generation else set()
        facts = {
            "head": item.head,
            "claimed": item.claimed,
            "applied": item.applied,
            "frozen": item.frozen,
            "pin": item.pin,
            "ahead": item.ahead,
            "fence": f"{mark.generation} {mark.step}/{mark.steps} held {mark.held} {mark.frozen}",
            "wrong": sorted(wrong),
            "held": self._held(zone, mark),
        }
        return " ".join(f"{name}={value}" for name, value in facts.items() if value)

    def _requests(self) -> int:
        counted = ("submit", "read fence", "list page", "list name", "poll change")
        return sum(self._wire.calls[name] for name in counted)

    def _count(self, zone: Zone) -> None:
        book, report = self._judge.books[zone.label], self._report
        report.generations = len(book.generations)
        report.batches_max = book.steps_max

    def close(self) -> None:
        """Note the figures and let everything go."""
        report = self._report
        report.steps, report.seconds = self._loop.steps, self._loop.time()
        report.landed, report.trace = self._wire.landed, self._wire.trace
        failures = [one for one in self._loop.failures if one.get("exception") is not None]
        if failures and not report.broken:
            report.broken, report.promise = f"a task failed: {failures[0]}", "P10"
        self._loop.drop_everything()
        self._cloud.close()


def _ground(
    loop: SimLoop, settings: Route53Settings, seed: int, *, stack: bool
) -> tuple[Cloud, Doors]:
    """What all stand on, and the way from there to each process's doors."""
    if stack:
        # moto and the SDK take seconds to import, which the many runs over fakes do without.
        from tests.simulation.stack.ground import stack_ground

        return stack_ground(loop, settings, seed)
    cloud = FakeCloud(FakeRoute53(loop.time, settings))
    return cloud, lambda wire, judge: port_doors(wire, cloud, judge)


def _settings(chance: Random) -> Route53Settings:
    """How this run's Route 53 behaves, each unverified rule under one of its answers."""
    return Route53Settings(
        insync_after_s=chance.choice((0.5, 4.0, 30.0)),
        change_duration_s=chance.choice((0.0, 0.0, 1.5)),
        switches=Switches(
            throttled_batch_may_land=chance.random() < 0.5,
            forgotten_change_unknown=chance.random() < 0.5,
            identical_delete_create_accepted=chance.random() < 0.5,
            delete_compares_routing_fields=chance.random() < 0.5,
        ),
    )
