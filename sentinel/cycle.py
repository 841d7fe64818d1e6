"""One pass of the sentinel: ask the names that are due, judge, and say what has changed.

It never waits for a sink, a disk or the control API longer than for a question, and needs nothing
but name servers. A pass ends when all that it asked has been answered or timed out.
"""

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import structlog

from dnsplan.ports import Clock
from sentinel.charts import Chart, Due, due, open_charts
from sentinel.looking import Looker, was_heard
from sentinel.recall import Recall
from sentinel.rules.course import (
    Course,
    Ill,
    Suspected,
    Well,
    after_look,
    after_round,
    may_page_soon,
)
from sentinel.rules.dossier import Dossier, Evidence
from sentinel.rules.judging import Ailments, Look, judge
from sentinel.rules.notices import Notice, notice
from sentinel.rules.pace import ROUNDS_TO_CONFIRM, Pace
from sentinel.rules.paging import Page, Situation, Subject, Turn, name_subject, revise
from sentinel.rules.watched import NameKey, Scope
from sentinel.rules.wording import verdict
from sentinel.second_opinion import SecondOpinion
from sentinel.servers import ServerBook


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
        self._names_max = names_max
        self._started_s = means.clock.elapsed_s()
        self._charts = open_charts(scope.names, pace, now_s=self._started_s)
        self._labels = frozenset(label for label, _ in self._charts)
        self._beyond = scope.beyond
        self._heard_s = dict.fromkeys(self._labels, self._started_s)
        self._unseen: set[str] = set()
        self._is_behind = False
        self._pages: Mapping[Subject, Page] = {}
        self._log = structlog.get_logger("sentinel")

    def resume(self, ill: Mapping[NameKey, Ailments], pages: Sequence[Page]) -> None:
        """Go on from what a former process had confirmed and paged."""
        self._pages = {page.subject: page for page in pages}
        for key, chart in self._charts.items():
            before = bool(self._means.recall.last_good(key))
            chart.course = Ill(before, ill[key]) if key in ill else Well(before)

    def is_well(self, key: NameKey) -> bool:
        """Whether DNS answers a name, so far as is known."""
        return self._charts[key].course == Well(before=True)

    def doubt(self, key: NameKey) -> None:
        """Let rounds look at a name soon."""
        chart = self._charts[key]
        if isinstance(chart.course, Well):
            now_s = self._means.clock.elapsed_s()
            chart.move(Suspected(chart.course.before, now_s), self._pace, now_s=now_s)

    async def run_once(self) -> None:
        """Ask, judge, say."""
        missing = self._means.book.missing()
        asked = due(self._askable(missing), now_s=self._means.clock.elapsed_s())
        async with asyncio.TaskGroup() as group:
            for chart in asked.looks:
                group.create_task(self._look(chart))
            for chart in asked.rounds:
                group.create_task(self._round(chart))
        self._note_pace(asked)
        self._say(missing)

    def _askable(self, missing: Mapping[str, str]) -> Iterator[Chart]:
        """Names of zones whose servers are known; the others' are due when they are."""
        now_s = self._means.clock.elapsed_s()
        for chart in self._charts.values():
            if chart.watched.label in missing:
                chart.due_s = max(chart.due_s, now_s)
            else:
                yield chart

    async def _look(self, chart: Chart) -> None:
        watched = chart.watched
        server, transport = self._means.book.path(watched.label, chart.turn)
        chart.turn += 1
        looks = await self._means.looker.look(watched, server, transport)
        now_s = self._means.clock.elapsed_s()
        self._hear(watched.label, heard=was_heard(looks), now_s=now_s)
        self._means.recall.answered(watched.label, watched.name, looks)
        seen = {look.type: look.seen for look in looks}
        course = after_look(chart.course, seen, enforced=watched.enforced, now_s=now_s)
        if isinstance(course, Suspected) and isinstance(chart.course, Well):
            self._log.debug("name_suspected", **_named(chart), looks=_findings(looks))
        chart.move(course, self._pace, now_s=now_s)

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
        self._means.recall.answered(watched.label, watched.name, shown.looks)
        chart.silent_rounds = 0 if shown.heard else chart.silent_rounds + 1
        self._hear(watched.label, heard=shown.heard, now_s=now_s)
        if chart.silent_rounds >= ROUNDS_TO_CONFIRM and self._heard_s[watched.label] < begun_s:
            self._unseen.add(watched.label)
        found = judge(shown.looks) if shown.heard else None
        chart.move(
            after_round(before, found, pace=self._pace, now_s=now_s), self._pace, now_s=now_s
        )
        self._log_turn(chart, before)

    def _hear(self, label: str, *, heard: bool, now_s: float) -> None:
        if heard:
            self._heard_s[label] = now_s
            self._unseen.discard(label)

    def _note_pace(self, asked: Due) -> None:
        """Behind when a look is so late that a page might be, until looks are well in time."""
        limit_s = self._pace.late_s / 2 if self._is_behind else self._pace.late_s
        self._is_behind = asked.late_s > limit_s
        self._log.debug(
            "pass_ended",
            looks=len(asked.looks),
            rounds=len(asked.rounds),
            late_s=round(asked.late_s, 3),
            ill=sum(isinstance(one.course, Ill) for one in self._charts.values()),
            unseen=len(self._unseen),
        )

    def _say(self, missing: Mapping[str, str]) -> None:
        """Bring the open pages in line with what is known, and tell the difference."""
        elapsed_s = self._means.clock.elapsed_s() - self._started_s
        unfound = missing if elapsed_s >= self._pace.patience_s else {}
        ill = {
            key: chart.course.ailments
            for key, chart in self._charts.items()
            if isinstance(chart.course, Ill)
        }
        situation = Situation(
            labels=self._labels,
            ill=ill,
            unseen=frozenset((*self._unseen, *unfound)),
            beyond=self._beyond,
            is_behind=self._is_behind,
        )
        now_s = self._means.clock.now_s()
        self._pages, turns = revise(self._pages, situation, now_s=now_s)
        for turn in turns:
            self._means.tell(notice(turn, self._dossier(turn, unfound), now_s=now_s))
        self._means.recall.keep(ill, self._pages.values())

    def _dossier(self, turn: Turn, unfound: Mapping[str, str]) -> Dossier:
        subject = turn.page.subject
        about = {key for key in self._charts if name_subject(key) == subject}
        keys = about or {key for key in turn.page.covered if key in self._charts}
        return Dossier(
            page_within_s=self._pace.page_within_s,
            evidence={key: self._evidence(self._charts[key]) for key in keys},
            reasons=unfound,
            watched=len(self._charts),
            names_max=self._names_max,
        )

    def _evidence(self, chart: Chart) -> Evidence:
        last_good = self._means.recall.last_good(chart.watched.key)
        return Evidence(chart.looks, last_good, chart.opinions)

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
