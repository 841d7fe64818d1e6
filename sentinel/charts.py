"""What is known about each watched name, and which names are asked next.

Names are spread evenly over the interval and keep their places in it, so that the load is constant
and comes in small pieces. Rounds cost many questions; so a bounded number of them is under way at a
time, the oldest suspicion first.
"""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from sentinel.rules.course import Course, Ill, Suspected, Well, pause_s, wants_round
from sentinel.rules.findings import Finding
from sentinel.rules.judging import Look
from sentinel.rules.opinion import Opinion
from sentinel.rules.pace import Pace
from sentinel.rules.resolving import is_denied
from sentinel.rules.watched import NameKey, WatchedName

# Names being looked at, at a time: all of a process's share when nobody answers for a question's
# whole time.
LOOKS_MAX = 4_000
# Names in a round, at a time. Each has some ten questions, half of them over TCP.
ROUNDS_MAX = 32


@dataclass(slots=True)
class Chart:
    """One name: its course, when it is asked next, and what the last round showed.

    `place_s`: one of the times, an interval apart, at which it is asked when there is no hurry.
    `answered`: so it was when it was asked last, by this process. `steady_s`: since when its zone's
    servers have answered without denying it; None while they have not.
    Invariant: a name is `asking` one look or one round at a time.
    """

    watched: WatchedName
    course: Course
    due_s: float
    place_s: float
    turn: int
    asking: bool = False
    answered: bool = False
    looks: tuple[Look, ...] = ()
    opinions: Mapping[str, Opinion] = field(default_factory=dict)
    steady_s: float | None = None

    def note(self, looks: Sequence[Look], *, silent: bool, now_s: float) -> None:
        """Whether its servers go on answering; `silent`: nobody of the zone is heard."""
        findings = [look.seen.finding for look in looks]
        if silent or isinstance(self.course, Ill) or is_denied(findings):
            self.steady_s = None
        elif self.steady_s is None and Finding.ANSWERED in findings:
            self.steady_s = now_s

    def move(self, course: Course, pace: Pace, *, now_s: float) -> None:
        """Take a course, and the time of the next question that it asks for."""
        self.course = course
        wait_s = pause_s(course, pace)
        self.due_s = now_s + wait_s
        if wait_s >= pace.interval_s:  # no hurry: the next of its places, so that all stay spread
            places = math.floor((now_s - self.place_s) / pace.interval_s) + 1
            self.due_s = self.place_s + places * pace.interval_s


@dataclass(frozen=True, slots=True)
class Due:
    """Whom to ask now, and who must wait since too many are under way."""

    looks: Sequence[Chart]
    rounds: Sequence[Chart]
    waiting: Sequence[Chart]


def open_charts(names: Sequence[WatchedName], pace: Pace, *, now_s: float) -> dict[NameKey, Chart]:
    """A chart for each name; the first looks fill one interval."""
    step_s = pace.interval_s / max(1, len(names))
    return {
        watched.key: _chart(watched, now_s + at * step_s, turn=at)
        for at, watched in enumerate(names)
    }


def _chart(watched: WatchedName, place_s: float, *, turn: int) -> Chart:
    return Chart(watched, Well(before=False), due_s=place_s, place_s=place_s, turn=turn)


def due(charts: Collection[Chart], *, now_s: float) -> Due:
    """Take what is due, as far as there is room beside what is under way."""
    asking = [chart for chart in charts if chart.asking]
    in_rounds = sum(wants_round(chart.course) for chart in asking)
    waiting = [chart for chart in charts if chart.due_s <= now_s and not chart.asking]
    looks = [chart for chart in waiting if not wants_round(chart.course)]
    rounds = [chart for chart in waiting if wants_round(chart.course)]
    looks.sort(key=lambda chart: chart.due_s)
    rounds.sort(key=_urgency)
    looks_free = max(0, LOOKS_MAX - len(asking) + in_rounds)
    rounds_free = max(0, ROUNDS_MAX - in_rounds)
    return Due(
        looks[:looks_free],
        rounds[:rounds_free],
        waiting=[*looks[looks_free:], *rounds[rounds_free:]],
    )


def late_s(asked: Due, explained: Collection[str], *, now_s: float) -> float:
    """How long the latest question has been due.

    `explained`: zones that are paged as a whole; whichever of their names wait, their page is out.
    """
    due_s = [
        chart.due_s
        for chart in (*asked.looks, *asked.rounds, *asked.waiting)
        if not isinstance(chart.course, Ill) and chart.watched.label not in explained
    ]
    return now_s - min(due_s) if due_s else 0.0


def _urgency(chart: Chart) -> tuple[int, float]:
    """New suspicions before the end of old illnesses, older before newer ones."""
    match chart.course:
        case Suspected(_, since_s):
            return (0, since_s)
        case Ill() | Well():
            return (1, chart.due_s)
