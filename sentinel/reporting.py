"""What a pass has to say: pages that open, change and end, looks that are late, all being well.

Pages follow from what the charts hold now; each is told once, to whoever delivers it, and kept for
the next process. Nothing here asks anybody.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import structlog

from dnsplan.notices import Notice
from dnsplan.ports import Clock
from sentinel.charts import Chart, Due, late_s
from sentinel.recall import Recall
from sentinel.rules.course import Ill
from sentinel.rules.dossier import Dossier, Evidence
from sentinel.rules.findings import Finding
from sentinel.rules.judging import Ailments
from sentinel.rules.notices import notice
from sentinel.rules.pace import Pace
from sentinel.rules.paging import Kind, Page, Situation, Subject, Turn, name_subject, revise
from sentinel.rules.sight import Sight
from sentinel.rules.watched import NameKey


@dataclass(frozen=True, slots=True)
class Limits:
    """What is promised, and for how many names. `beyond` are those that nobody here watches."""

    pace: Pace
    names_max: int
    beyond: tuple[NameKey, ...]


class Reporter:
    """Says what has changed. `charts` are the cycle's, read and never written here."""

    def __init__(
        self,
        charts: Mapping[NameKey, Chart],
        recall: Recall,
        clock: Clock,
        limits: Limits,
        tell: Callable[[Notice], None],
    ) -> None:
        """Nothing is paged yet."""
        self._charts = charts
        self._recall = recall
        self._clock = clock
        self._limits = limits
        self._tell = tell
        self._pages: Mapping[Subject, Page] = {}
        self._is_behind = False
        self._all_answer = False
        self.without_answers: int | None = None  # none while some zone cannot be seen
        self.sight = Sight()  # of the last pass
        self._log = structlog.get_logger("sentinel")

    @property
    def pages(self) -> tuple[Page, ...]:
        """What is open now."""
        return tuple(self._pages.values())

    def resume(self, pages: Sequence[Page]) -> None:
        """Go on from what a former process had paged."""
        self._pages = {page.subject: page for page in pages}

    def report(self, asked: Due, sight: Sight, unfound: Mapping[str, str]) -> None:
        """Bring the open pages in line with what is known, and tell the difference."""
        self._note_pace(asked)
        self.sight = sight
        ill = {
            key: chart.course.ailments
            for key, chart in self._charts.items()
            if isinstance(chart.course, Ill)
        }
        situation = Situation(ill, sight, self._limits.beyond, self._is_behind)
        now_s = self._clock.now_s()
        self._pages, turns = revise(self._pages, situation, now_s=now_s)
        for turn in turns:
            self._tell(notice(turn, self._dossier(turn, unfound), now_s=now_s))
        self._recall.keep(ill, self._pages.values())
        self._note_all(sight, ill)
        self.without_answers = _empty(ill) if sight == Sight() else None

    def _note_pace(self, asked: Due) -> None:
        """Behind when a question is so late that a page might be, until all are well in time."""
        whole = {page.label for page in self._pages if page.kind is Kind.ZONE}
        if Subject(Kind.MANY) in self._pages:
            whole = {label for label, _ in self._charts}
        behind_s = late_s(asked, whole, now_s=self._clock.elapsed_s())
        limit_s = self._limits.pace.late_s
        self._is_behind = behind_s > (limit_s / 2 if self._is_behind else limit_s)
        self._log.debug(
            "pass_ended",
            looks=len(asked.looks),
            rounds=len(asked.rounds),
            waiting=len(asked.waiting),
            late_s=round(behind_s, 3),
        )

    def _note_all(self, sight: Sight, ill: Mapping[NameKey, Ailments]) -> None:
        """Say when every name answers; that one does not is said by its own event."""
        if ill or sight != Sight():
            self._all_answer = False
        elif not self._all_answer and all(one.answered for one in self._charts.values()):
            self._all_answer = True
            self._log.info("all_names_answer", names=len(self._charts))

    def _dossier(self, turn: Turn, unfound: Mapping[str, str]) -> Dossier:
        subject = turn.page.subject
        about = {key for key in self._charts if name_subject(key) == subject}
        keys = about or {key for key in turn.page.covered if key in self._charts}
        return Dossier(
            page_within_s=self._limits.pace.page_within_s,
            evidence={key: self._evidence(self._charts[key]) for key in keys},
            reasons=unfound,
            watched=len(self._charts),
            names_max=self._limits.names_max,
        )

    def _evidence(self, chart: Chart) -> Evidence:
        last_good = self._recall.last_good(chart.watched.key)
        return Evidence(chart.looks, last_good, chart.opinions)


def _empty(ill: Mapping[NameKey, Ailments]) -> int:
    """Those that answer with something are not among the names without answers."""
    return sum(any(one.finding is not Finding.FEW for one in found) for found in ill.values())
