"""The sentinel in the pretended world: it asks the zone's name servers and shares nothing else.

Its pages are held against what clients heard: a name that says nothing for the promised time must
be paged by then, and no name is paged that answered all along (P12).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from dnsplan.names import Name
from dnsplan.notices import Change, Notice
from dnsplan.ports import Zone
from dnsplan.runtime.periodic import Stop, keep_doing
from sandbox.dns.answering import Question as Asked
from sandbox.dns.answering import answer
from sentinel.cycle import Means, SentinelCycle
from sentinel.daemon import SentinelDaemon
from sentinel.looking import Looker
from sentinel.ports import NameServer, Question
from sentinel.recall import Recall
from sentinel.rules.findings import Heard, Reply, Row
from sentinel.rules.judging import Transport
from sentinel.rules.pace import pace_for
from sentinel.rules.watched import Expected, WatchedName, scope
from sentinel.second_opinion import SecondOpinion, SlowRound
from sentinel.servers import ServerBook
from tests.simulation.checkers import Checkers
from tests.simulation.oracle import Resolver
from tests.simulation.processes import Process, ProcessClock, ProcessJitter
from tests.simulation.record import BrokenPromise
from tests.unit.sentinel.world import SERVERS, FakeMemory

PAGE_WITHIN_S = 30.0
LOOK_EVERY_S = 0.5

# Names that keep one type whatever the config says, so that their silence is no switch.
WATCHED = ("h0", "h3", "h4", "api", "alias")


@dataclass(slots=True)
class Lookout:
    """One sentinel, its pages, and who was silent since when."""

    process: Process
    judge: Checkers
    zone: Zone
    notices: list[Notice] = field(default_factory=list)
    silent_since_s: dict[Name, float] = field(default_factory=dict)
    was_silent_s: dict[Name, float] = field(default_factory=dict)

    async def run(self) -> None:
        """The sentinel's works, and beside them the look at what it makes of them."""
        clock = ProcessClock(self.process)
        label, pace = self.zone.label, pace_for(PAGE_WITHIN_S)
        names = [
            WatchedName(label, self.zone.name, Name(f"{one}.{self.zone.name}"), ADDRESSES)
            for one in WATCHED
        ]
        taken = scope(names, unjudged=[], names_max=100)
        book = ServerBook([label], _Finder(), clock, interval_s=pace.interval_s)
        recall, second = Recall([label], FakeMemory(), clock), SecondOpinion(None, clock, ask_s=1.0)
        looker = Looker(_Servers(self.process, self.judge, label), clock, ask_s=pace.ask_s)
        means = Means(looker, book, recall, second, clock, self._told)
        cycle = SentinelCycle(taken, means, pace, names_max=100)
        slow = SlowRound(taken.names, second, is_well=cycle.is_well, doubt=cycle.doubt)
        daemon = SentinelDaemon(cycle, book, recall, slow, pace)
        for work in daemon.works():
            jitter = ProcessJitter(self.process)
            self.process.start(keep_doing(work, clock=clock, jitter=jitter, stop=Stop()))
        while True:
            await self.process.wait(LOOK_EVERY_S)
            self._judge()

    def _told(self, notice: Notice) -> None:
        self.notices.append(notice)
        if notice.change is not Change.PAGE:
            return
        now_s = self.process.loop.time()
        heard = self._names_in(notice)
        recently = {one for one, at_s in self.was_silent_s.items() if now_s - at_s < PAGE_WITHIN_S}
        if heard and not heard & (recently | self.silent_since_s.keys()):
            raise BrokenPromise("P12", f"at {now_s:.3f} s: {notice.title}, and all of them answer")

    def _judge(self) -> None:
        """Who is silent now, and was it said in time?"""
        now_s = self.process.loop.time()
        for one in WATCHED:
            name = Name(f"{one}.{self.zone.name}")
            if not self.judge.has_answered(self.zone.label, name, "A"):
                self.was_silent_s[name] = (
                    now_s  # it may be missed, and need not be: it is yet to come
                )
                continue
            if self.judge.is_answering(self.zone.label, name, "A"):
                if self.silent_since_s.pop(name, None) is not None:
                    self.was_silent_s[name] = now_s
                continue
            since_s = self.silent_since_s.setdefault(name, now_s)
            if now_s - since_s > PAGE_WITHIN_S and not self._is_paged(name):
                raise BrokenPromise("P12", f"at {now_s:.3f} s: {name} is silent and was not paged")

    def _is_paged(self, name: Name) -> bool:
        """Whether a page stands for it: its own, or one about several."""
        open_pages: dict[str, Notice] = {}
        for notice in self.notices:
            if notice.change in (Change.RECOVERY, Change.FOLDED):
                open_pages.pop(notice.page_id, None)
            else:
                open_pages[notice.page_id] = notice
        return any(name in self._names_in(one) for one in open_pages.values())

    def _names_in(self, notice: Notice) -> set[Name]:
        names = notice.facts["names"]
        assert isinstance(names, list)
        covered = {Name(one["name"]) for one in names}
        own = notice.facts["name"]
        if isinstance(own, str):
            covered.add(Name(own))
        everything = {Name(f"{one}.{self.zone.name}") for one in WATCHED}
        return covered or everything  # a page about the whole zone


ADDRESSES = (Expected("A", ("A",), through=True),)


@dataclass(frozen=True, slots=True)
class _Servers:
    """`sentinel.ports.Asker`: every server says what the zone holds."""

    process: Process
    judge: Checkers
    label: str

    async def ask(
        self, _server: NameServer, question: Question, _transport: Transport, *, timeout_s: float
    ) -> Heard:
        """A reply after some milliseconds."""
        await self.process.wait(min(timeout_s, self.process.chance.uniform(0.002, 0.05)))
        around = Resolver([self.judge.hosted(self.label)]).around
        found = answer(Asked(question.name, question.type), around)
        rows = [
            Row(Name(one.owner), one.kind, one.ttl_s, value)
            for one in found.answer
            for value in one.values
        ]
        return Reply(found.rcode.name, authoritative=found.authoritative, rows=tuple(rows))


class _Finder:
    """`sentinel.ports.ServerFinder`: the same four for ever."""

    async def find(self, _label: str) -> Sequence[NameServer]:
        """The servers."""
        return SERVERS
