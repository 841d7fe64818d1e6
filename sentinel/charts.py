"""What is known about each watched name, and which names are asked next.

Names are spread evenly over the interval and keep their places in it, so that the load is constant.
Rounds cost many questions; so a pass takes a bounded number of them, the oldest suspicion first.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from sentinel.rules.course import Course, Ill, Suspected, Well, pause_s, wants_round
from sentinel.rules.judging import Look
from sentinel.rules.opinion import Opinion
from sentinel.rules.pace import Pace
from sentinel.rules.watched import NameKey, WatchedName

# Questions under way at a time. Two thousand are two thousand futures; the servers' answers to one
# pass come in a few milliseconds each.
LOOKS_MAX = 2_000
# Some ten questions each, half of them over TCP.
ROUNDS_MAX = 64


@dataclass(slots=True)
class Chart:
    """One name: its course, when it is asked next, and what the last round showed.

    `silent_rounds`: how many rounds in a row nobody said anything in.
    """

    watched: WatchedName
    course: Course
    due_s: float
    turn: int
    silent_rounds: int = 0
    looks: tuple[Look, ...] = ()
    opinions: Mapping[str, Opinion] = field(default_factory=dict)

    def move(self, course: Course, pace: Pace, *, now_s: float) -> None:
        """Take a course, and the time of the next question that it asks for."""
        was_calm = isinstance(self.course, Well)
        self.course = course
        pause = pause_s(course, pace)
        keeps_place = was_calm and isinstance(course, Well) and now_s - self.due_s < pause
        self.due_s = (self.due_s if keeps_place else now_s) + pause


@dataclass(frozen=True, slots=True)
class Due:
    """What a pass asks. `late_s`: how long the latest of them has been due."""

    looks: Sequence[Chart]
    rounds: Sequence[Chart]
    late_s: float


def open_charts(names: Sequence[WatchedName], pace: Pace, *, now_s: float) -> dict[NameKey, Chart]:
    """A chart for each name; the first looks fill one interval."""
    step_s = pace.interval_s / max(1, len(names))
    return {
        watched.key: Chart(watched, Well(before=False), now_s + at * step_s, turn=at)
        for at, watched in enumerate(names)
    }


def due(charts: Iterable[Chart], *, now_s: float) -> Due:
    """Take what is due."""
    waiting = [chart for chart in charts if chart.due_s <= now_s]
    looks = [chart for chart in waiting if not wants_round(chart.course)]
    rounds = [chart for chart in waiting if wants_round(chart.course)]
    looks.sort(key=lambda chart: chart.due_s)
    rounds.sort(key=_urgency)
    late_s = now_s - looks[0].due_s if looks else 0.0
    return Due(looks[:LOOKS_MAX], rounds[:ROUNDS_MAX], late_s)


def _urgency(chart: Chart) -> tuple[int, float]:
    """New suspicions before the end of old illnesses, older before newer ones."""
    match chart.course:
        case Suspected(_, since_s):
            return (0, since_s)
        case Ill() | Well():
            return (1, chart.due_s)
