"""A sentinel in a world of fakes: name servers that lose packets, a control API, a disk, pages.

The servers answer as authoritative ones do: they follow CNAMEs inside the zone, know what exists,
and may be broken by name, by server or altogether.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from random import Random

from dnsplan.errors import DnsplanError, ReadFailed
from dnsplan.names import Name
from dnsplan.notices import Change, Notice
from dnsplan.records import RecordSet
from dnsplan.runtime.periodic import Stop, keep_doing
from sentinel.counting import Counting
from sentinel.cycle import Means, SentinelCycle
from sentinel.daemon import SentinelDaemon
from sentinel.looking import Looker
from sentinel.ports import MemoryFailed, NameServer, Question, ZoneMemory
from sentinel.recall import Recall
from sentinel.rules.findings import Finding, Heard, NoReply, Reply, Row
from sentinel.rules.judging import Transport
from sentinel.rules.pace import Pace, pace_for
from sentinel.rules.watched import Expected, NameKey, WatchedName, scope
from sentinel.second_opinion import SecondOpinion, SlowRound
from sentinel.servers import ServerBook
from tests.fakes.clock import SeededJitter
from tests.unit.sentinel.virtual import VirtualClock

TTL_S = 60
SERVERS = tuple(NameServer(f"192.0.2.{at}", 53, f"ns{at}.example.net.") for at in range(1, 5))
_RCODES = {Finding.SERVFAIL: "SERVFAIL", Finding.LAME: "REFUSED"}

Records = dict[tuple[Name, str], tuple[str, ...]]


@dataclass
class FakeServers:
    """`sentinel.ports.Asker`: some servers that hold the same records, until told otherwise."""

    records: Records = field(default_factory=dict)
    chance: Random = field(default_factory=lambda: Random(1))
    lost_share: float = 0.0
    # Named faults: of a name at all servers, or at some; what they give instead of the truth.
    broken: dict[Name, Finding] = field(default_factory=dict)
    broken_at: dict[tuple[str, Name], Finding] = field(default_factory=dict)
    silent_hosts: set[str] = field(default_factory=set)
    losing: Callable[[NameServer, Question, Transport], bool] | None = None
    failing: int = 0
    asked: int = 0

    async def ask(
        self, server: NameServer, question: Question, transport: Transport, *, timeout_s: float
    ) -> Heard:
        """A reply after a few milliseconds, or nothing in the time that is given."""
        self.asked += 1
        if self.failing:
            self.failing -= 1
            raise ReadFailed("a failure of ours")
        fault = self.broken_at.get((server.host, question.name)) or self.broken.get(question.name)
        if self._is_lost(server, question, transport) or fault is Finding.TIMEOUT:
            await asyncio.sleep(timeout_s)
            return NoReply(f"no reply in {timeout_s:.1f} s")
        await asyncio.sleep(self.chance.uniform(0.001, 0.03) * (2 if transport == "tcp" else 1))
        return self._reply(question, fault)

    def _is_lost(self, server: NameServer, question: Question, transport: Transport) -> bool:
        if server.host in self.silent_hosts:
            return True
        if self.losing is not None and self.losing(server, question, transport):
            return True
        return self.lost_share > 0 and self.chance.random() < self.lost_share

    def _reply(self, question: Question, fault: Finding | None) -> Reply:
        match fault:
            case Finding.SERVFAIL | Finding.LAME:
                return Reply(_RCODES[fault], authoritative=False)
            case Finding.NODATA:
                return Reply("NOERROR", authoritative=True)
            case Finding.NXDOMAIN:
                return Reply("NXDOMAIN", authoritative=True)
            case _:
                return self._truth(question.name, question.type)

    def _truth(self, name: Name, kind: str) -> Reply:
        rows: list[Row] = []
        while (target := self.records.get((name, "CNAME"))) and kind != "CNAME":
            rows.append(Row(name, "CNAME", TTL_S, target[0]))
            name = Name(target[0])
        rows += [Row(name, kind, TTL_S, value) for value in self.records.get((name, kind), ())]
        exists = any(one == name for one, _ in self.records)
        rcode = "NOERROR" if exists or kind == "SOA" else "NXDOMAIN"
        return Reply(rcode, authoritative=True, rows=tuple(rows))


@dataclass
class FakeControl:
    """`sentinel.ports.ControlView`: lists what it is given, or fails."""

    sets: dict[Name, list[RecordSet]] = field(default_factory=dict)
    failure: str = ""
    error: type[DnsplanError] = ReadFailed
    hanging: bool = False
    asked: list[NameKey] = field(default_factory=list)

    async def zone_id(self, label: str) -> str:
        """A made-up id."""
        return f"Z{label.upper()}"

    async def listed(self, label: str, name: Name, *, timeout_s: float) -> Sequence[RecordSet]:
        """What the zone holds at a name."""
        self.asked.append((label, name))
        if self.hanging:
            await asyncio.sleep(timeout_s)
            raise ReadFailed(f"list {name}: no answer in {timeout_s:.1f} s")
        if self.failure:
            raise self.error(self.failure)
        return self.sets.get(name, [])


@dataclass
class FakeMemory:
    """`sentinel.ports.Memory` in a mapping."""

    kept: dict[str, ZoneMemory] = field(default_factory=dict)
    failing: bool = False
    stored: int = 0

    async def load(self, label: str) -> ZoneMemory:
        """What was stored."""
        if self.failing:
            raise MemoryFailed("disk: gone")
        return self.kept.get(label, ZoneMemory())

    async def store(self, label: str, memory: ZoneMemory) -> None:
        """Keep it."""
        if self.failing:
            raise MemoryFailed("disk: full")
        self.stored += 1
        self.kept[label] = memory


@dataclass
class FakeFinder:
    """`sentinel.ports.ServerFinder`: by label, or the same for all."""

    servers: Sequence[NameServer] = SERVERS
    by_label: Mapping[str, Sequence[NameServer]] = field(default_factory=dict)
    failure: str = ""

    async def find(self, label: str) -> Sequence[NameServer]:
        """The servers."""
        if self.failure:
            raise ReadFailed(self.failure)
        return self.by_label.get(label, self.servers)


@dataclass
class World:
    """One sentinel and all that it meets; to be made and run inside virtual time."""

    names: Sequence[WatchedName]
    servers: FakeServers = field(default_factory=FakeServers)
    finder: FakeFinder = field(default_factory=FakeFinder)
    control: FakeControl | None = None
    memory: FakeMemory = field(default_factory=FakeMemory)
    names_max: int = 5_000
    page_within_s: float = 30.0
    notices: list[Notice] = field(default_factory=list)
    counting: Counting | None = None
    pass_least_s: float = 0.0  # a long play leaves out passes in which nothing can happen

    def __post_init__(self) -> None:
        """Wire a cycle."""
        clock = self.clock = VirtualClock()
        self.started_s = clock.now_s()
        self.pace: Pace = pace_for(self.page_within_s)
        labels = sorted({one.label for one in self.names})
        self.book = ServerBook(labels, self.finder, clock, interval_s=self.pace.interval_s)
        self.recall = Recall(labels, self.memory, clock)
        self.second = SecondOpinion(self.control, clock, ask_s=self.pace.ask_s)
        self.looker = Looker(self.servers, clock, ask_s=self.pace.ask_s)
        means = Means(self.looker, self.book, self.recall, self.second, clock, self.notices.append)
        taken = scope(self.names, unjudged=[], names_max=self.names_max)
        self.cycle = SentinelCycle(taken, means, self.pace, names_max=self.names_max)
        slow = SlowRound(
            taken.names, self.second, is_well=self.cycle.is_well, doubt=self.cycle.doubt
        )
        self.daemon = SentinelDaemon(self.cycle, self.book, self.recall, slow, self.pace)

    async def run(
        self, seconds: float, *acts: tuple[float, Callable[[], object]], seed: int = 1
    ) -> None:
        """Let the daemon's works run for a time; each act happens at its moment from the start."""
        stop, jitter = Stop(), SeededJitter(seed)
        async with asyncio.TaskGroup() as group:
            for stated in self.daemon.works(self.counting):
                work = replace(stated, interval_s=max(stated.interval_s, self.pass_least_s))
                group.create_task(keep_doing(work, clock=self.clock, jitter=jitter, stop=stop))
            for at_s, act in acts:
                group.create_task(_at(at_s, act))
            await asyncio.sleep(seconds)
            stop.request()
        await self.cycle.close()

    def told(self) -> list[tuple[str, str]]:
        """Change and id of every notice, in order."""
        return [(str(one.change), one.page_id) for one in self.notices]

    def paged_at_s(self, page_id: str) -> float:
        """When a page was told, in seconds from the start."""
        times = [
            one.at_s for one in self.notices if (one.page_id, one.change) == (page_id, Change.PAGE)
        ]
        assert times, f"no page {page_id}; told: {self.told()}"
        return times[0] - self.clock.now_s() + self.clock.elapsed_s()


async def _at(at_s: float, act: Callable[[], object]) -> None:
    await asyncio.sleep(at_s)
    done = act()
    if isinstance(done, Awaitable):
        await done


A_ONLY = (Expected("A", ("A",)),)


def shop(count: int, label: str = "shop", **facts: bool) -> list[WatchedName]:
    """Names of a zone that each answer an address."""
    zone = Name(f"{label}.example.")
    return [
        WatchedName(label, zone, Name(f"n{at:04}.{zone}"), A_ONLY, **facts) for at in range(count)
    ]


def answering(names: Sequence[WatchedName]) -> Records:
    """One address for each A that is expected."""
    return {(one.name, "A"): (f"192.0.2.{at % 250 + 1}",) for at, one in enumerate(names)}


def page_id(key: NameKey) -> str:
    """The id of a name's page."""
    return f"empty-name/{key[0]}/{key[1]}"


def world(count: int = 12, **parts: object) -> World:
    """A zone in which all is well."""
    names = shop(count)
    servers = parts.pop("servers", None) or FakeServers(answering(names))
    return World(names, servers, **parts)  # type: ignore[arg-type]  # the parts of a World


def gone(made: World, at: int, finding: Finding) -> None:
    """Break a name at every server."""
    made.servers.broken[made.names[at].name] = finding
