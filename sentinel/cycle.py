"""The sentinel's cycle: see what came of the questions, ask the names that are due, say the news.

A pass waits for nothing: questions are under way beside it, each name's by itself, so that a name
which is slow to ask delays no other. It needs nothing but name servers.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import structlog

from dnsplan.notices import Notice
from dnsplan.ports import Clock
from sentinel.charts import Chart, due, open_charts
from sentinel.looking import Looker, was_heard
from sentinel.recall import Recall
from sentinel.reporting import Limits, Reporter
from sentinel.rules.course import (
    Course,
    Ill,
    Suspected,
    Well,
    after_look,
    after_round,
    calmed,
    may_page_soon,
)
from sentinel.rules.judging import Ailments, Look, judge
from sentinel.rules.pace import Pace
from sentinel.rules.paging import Page
from sentinel.rules.watched import NameKey, Scope
from sentinel.rules.wording import verdict
from sentinel.second_opinion import SecondOpinion
from sentinel.servers import ServerBook
from sentinel.vantage import Vantage

Ask: TypeAlias = Callable[[Chart], Awaitable[None]]

# So many questions at once are no burst for any server, and spare a timer each.
BURST_MAX = 16


@dataclass(frozen=True, slots=True)
class Means:
    """What a cycle works with. `tell` takes every notice at once."""

    looker: Looker
    book: ServerBook
    recall: Recall
    second: SecondOpinion
    clock: Clock
    tell: Callable[[Notice], None]


class SentinelCycle:
    """Watches the names of a scope."""

    def __init__(self, scope: Scope, means: Means, pace: Pace, *, names_max: int) -> None:
        """Every name well and never seen, until `resume` or a look says more."""
        self._means = means
        self._pace = pace
        self._started_s = means.clock.elapsed_s()
        self._charts = open_charts(scope.names, pace, now_s=self._started_s)
        self._vantage = Vantage({label for label, _ in self._charts}, means.clock, pace)
        limits = Limits(pace, names_max, scope.beyond)
        self._reporter = Reporter(self._charts, means.recall, means.clock, limits, means.tell)
        self._tasks: set[asyncio.Task[None]] = set()
        self._log = structlog.get_logger("sentinel")

    def go_on(self, charts: Mapping[NameKey, Chart]) -> None:
        """What the same process knew by another config: since when names have answered."""
        for key in charts.keys() & self._charts.keys():
            self._charts[key].steady_s = charts[key].steady_s

    def resume(self, ill: Mapping[NameKey, Ailments], pages: Sequence[Page]) -> None:
        """Go on from what a former process had confirmed and paged."""
        self._reporter.resume(pages)
        for key, chart in self._charts.items():
            before = bool(self._means.recall.last_good(key))
            chart.course = Ill(before, ill[key]) if key in ill else Well(before)

    @property
    def charts(self) -> Mapping[NameKey, Chart]:
        """What is known of each name, for people to look at."""
        return self._charts

    @property
    def reporter(self) -> Reporter:
        """What is paged and what is not seen, for people to look at."""
        return self._reporter

    def is_well(self, key: NameKey) -> bool:
        """Whether DNS answers a name, so far as is known."""
        return self._charts[key].course == Well(before=True)

    def steady_s(self, key: NameKey) -> float:
        """For how long the zone's servers have answered a name without denying it."""
        since_s = self._charts[key].steady_s
        return 0.0 if since_s is None else self._means.clock.elapsed_s() - since_s

    def without_answers(self) -> int | None:
        """How many names are ill; None while that cannot be said of all of them."""
        if self._means.clock.elapsed_s() - self._started_s < self._pace.found_within_s:
            return None
        return self._reporter.without_answers

    def doubt(self, key: NameKey) -> None:
        """Let rounds look at a name soon."""
        chart = self._charts[key]
        if isinstance(chart.course, Well) and not chart.asking:
            now_s = self._means.clock.elapsed_s()
            chart.move(Suspected(chart.course.before, now_s), self._pace, now_s=now_s)

    async def run_once(self) -> None:
        """One pass. What broke a question of a former pass is raised here and ends the process."""
        for task in [one for one in self._tasks if one.done()]:
            self._tasks.discard(task)
            task.result()
        missing = self._means.book.missing()
        asked = due(self._askable(missing), now_s=self._means.clock.elapsed_s())
        self._start([(one, self._look) for one in asked.looks])
        self._start([(one, self._round) for one in asked.rounds])
        elapsed_s = self._means.clock.elapsed_s() - self._started_s
        unfound = missing if elapsed_s >= self._pace.patience_s else {}
        self._reporter.report(asked, self._vantage.sight(unfound), unfound)

    async def close(self) -> None:
        """Drop the questions that are under way."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._tasks.clear()
        for chart in self._charts.values():
            chart.asking = False

    def _start(self, asked: Sequence[tuple[Chart, Ask]]) -> None:
        """Ask these, spread over the time until the next pass: a burst would lose packets."""
        for at, (chart, ask) in enumerate(asked):
            chart.asking = True
            after_s = self._pace.tick_s * at / len(asked) if len(asked) > BURST_MAX else 0.0
            self._tasks.add(asyncio.create_task(self._ask(chart, ask, after_s)))

    async def _ask(self, chart: Chart, ask: Ask, after_s: float) -> None:
        if after_s > 0.0:
            await self._means.clock.sleep(after_s)
        try:
            await ask(chart)
        finally:
            if chart.asking:  # it failed; the name must be asked again all the same
                chart.asking = False
                chart.move(chart.course, self._pace, now_s=self._means.clock.elapsed_s())

    def _askable(self, missing: Mapping[str, str]) -> Sequence[Chart]:
        """Names of zones whose servers are known; the others' are due when they are."""
        if not missing:
            return list(self._charts.values())
        now_s = self._means.clock.elapsed_s()
        askable = []
        for chart in self._charts.values():
            if chart.watched.label in missing:
                chart.due_s = max(chart.due_s, now_s)
            else:
                askable.append(chart)
        return askable

    async def _look(self, chart: Chart) -> None:
        watched = chart.watched
        server, transport = self._means.book.path(watched.label, chart.turn)
        chart.turn += 1
        looks = await self._means.looker.look(watched, server, transport)
        now_s = self._means.clock.elapsed_s()
        if was_heard(looks):
            self._vantage.hear(watched.label)
        self._means.recall.answered(watched, looks)
        course = chart.course
        if not self._vantage.is_silent(watched.label):
            seen = {look.type: look.seen for look in looks}
            course = after_look(course, seen, enforced=watched.enforced, now_s=now_s)
        if isinstance(course, Suspected):
            self._log.debug("name_suspected", **_named(chart), looks=_findings(looks))
        self._settle(chart, course, looks, now_s=now_s)

    async def _round(self, chart: Chart) -> None:
        watched, before = chart.watched, chart.course
        begun_s = self._means.clock.elapsed_s()
        async with asyncio.TaskGroup() as group:
            servers = self._means.book.servers(watched.label)
            looking = group.create_task(self._means.looker.round(watched, servers))
            asking = (
                group.create_task(self._means.second.about(watched))
                if may_page_soon(before)
                else None
            )
        shown = looking.result()
        now_s = self._means.clock.elapsed_s()
        chart.looks = shown.looks
        if asking is not None:
            chart.opinions = asking.result()
        self._means.book.blame(watched.label, shown.looks)
        self._means.recall.answered(watched, shown.looks)
        found = judge(shown.looks) if shown.heard else None
        course = after_round(before, found, pace=self._pace, now_s=now_s)
        if shown.heard:
            self._vantage.hear(watched.label)
        else:
            self._miss(watched.label, begun_s=begun_s)
        if self._vantage.is_silent(watched.label):
            course = calmed(course)
        self._settle(chart, course, shown.looks, now_s=now_s)
        self._log_turn(chart, before)

    def _miss(self, label: str, *, begun_s: float) -> None:
        """Rounds in which nobody speaks are about a zone; its names need no rounds of their own."""
        was_silent = self._vantage.is_silent(label)
        if not self._vantage.miss(label, begun_s=begun_s) or was_silent:
            return
        now_s = self._means.clock.elapsed_s()
        for one in self._charts.values():
            calm = calmed(one.course)
            if one.watched.label == label and not one.asking and calm != one.course:
                one.move(calm, self._pace, now_s=now_s)

    def _settle(self, chart: Chart, course: Course, looks: Sequence[Look], *, now_s: float) -> None:
        chart.asking = False
        chart.answered = isinstance(course, Well) and course.before
        chart.move(course, self._pace, now_s=now_s)
        chart.note(looks, silent=self._vantage.is_silent(chart.watched.label), now_s=now_s)

    def _log_turn(self, chart: Chart, before: Course) -> None:
        after = chart.course
        if isinstance(after, Ill) and after != before:
            is_news = not isinstance(before, Ill) or before.ailments != after.ailments
            if is_news:
                self._log.warning("name_ill", **_named(chart), verdict=verdict(after.ailments))
        if isinstance(after, Well) and isinstance(before, Ill):
            self._log.info("name_well", **_named(chart))


def _named(chart: Chart) -> Mapping[str, str]:
    return {"zone": chart.watched.label, "name": chart.watched.name}


def _findings(looks: Sequence[Look]) -> list[str]:
    return [f"{look.type} {look.seen.finding} at {look.server} {look.transport}" for look in looks]
