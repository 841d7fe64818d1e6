"""The sentinel's page and metrics: what each watched name answers, what is in doubt, what is paged.

It reads what the cycle knows and changes none of it. No table, plan or other daemon is in it: what
stands here was heard from name servers.
"""

from collections import Counter
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from contextlib import asynccontextmanager
from typing import Protocol

from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from dnsplan.names import display
from dnsplan.records import Unit
from dnsplan.runtime.config.listen_address import Listen
from dnsplan.runtime.page.daemon_page import DaemonPage
from dnsplan.runtime.page.model import Hold, NameView, Source, ZoneView
from dnsplan.runtime.paging.book import MANY, OpenPage
from dnsplan.runtime.paging.pager import Pager
from sentinel.charts import Chart
from sentinel.cycle import SentinelCycle
from sentinel.recall import Recall
from sentinel.rules.course import Ill, Suspected, Well
from sentinel.rules.paging import Kind, Page
from sentinel.rules.remembering import LastGood
from sentinel.rules.resolving import Made, Words, in_short
from sentinel.rules.wording import commands, verdict
from sentinel.rules.zone_faults import ZONE_KINDS
from sentinel.settings import Watching

ZONES_MAX = 100
NAMES_MAX = 100
# Values of a weighted name come one at a time; these are looks enough to hear the usual ones.
HEARD_TOGETHER_S = 30.0

ANSWERS, DOUBT, NONE, UNSEEN, NEW = "answers", "in doubt", "no answers", "unseen", "not seen yet"
# The first one that some name of a zone is in stands for the zone.
WORST_FIRST = (NONE, UNSEEN, DOUBT, NEW, ANSWERS)


class Resolving(Protocol):
    """What resolvers said last."""

    def words(self) -> Mapping[str, Mapping[Unit, Words]]:
        """By zone, for each name and type that they were asked for."""
        ...


class SentinelPage(Collector):
    """What one sentinel shows."""

    def __init__(
        self,
        page: DaemonPage,
        watching: Watching,
        cycle: SentinelCycle,
        recall: Recall,
        pager: Pager,
        resolving: Resolving,
    ) -> None:
        """Nobody listens yet. `pager`: keeps the pages about zones as a whole."""
        self._pager = pager
        self._resolving = resolving
        self._watching = watching
        self._cycle = cycle
        self._recall = recall
        self._page = page
        page.registry.register(self)

    @asynccontextmanager
    async def open(self, listen: Listen | None) -> AsyncIterator[None]:
        """Serve as long as the block lasts, where an address is stated. CannotListen."""
        async with self._page.open(listen, zones=self.zones, source=self.source):
            yield

    def source(self) -> Source:
        """Name servers answer at all times; what of them is not heard is said by zone."""
        blind = "no name server is heard from here" if self._cycle.reporter.sight.is_blind else None
        return Source("what name servers answer", None, blind, None)

    def zones(self) -> tuple[tuple[ZoneView, ...], int]:
        """Zones in the config's order, or the worst ones where there are too many; and the rest."""
        charts: dict[str, list[Chart]] = {label: [] for label in self._watching.zones}
        for chart in self._cycle.charts.values():
            charts[chart.watched.label].append(chart)
        views = [self._zone(label, charts[label]) for label in self._watching.zones]
        if len(views) > ZONES_MAX:
            views.sort(key=lambda view: WORST_FIRST.index(view.standing))
        return tuple(views[:ZONES_MAX]), max(0, len(views) - ZONES_MAX)

    def collect(self) -> Iterator[Metric]:
        """Names by state, open pages by kind, and names that nobody here watches."""
        names = GaugeMetricFamily(
            "dnsplan_sentinel_names", "Watched names by what is known of them.", labels=["state"]
        )
        states = [self._state(chart) for chart in self._cycle.charts.values()]
        for state in WORST_FIRST:
            names.add_metric([state.replace(" ", "_")], states.count(state))
        kinds = [
            *(str(page.subject.kind) for page in self._cycle.reporter.pages),
            *(page.cause.kind for page in self._pager.pages),
        ]
        pages = GaugeMetricFamily(
            "dnsplan_sentinel_pages_open", "Pages that are open now, by kind.", labels=["kind"]
        )
        for kind in (*map(str, Kind), *ZONE_KINDS, *(f"{MANY}{one}" for one in ZONE_KINDS)):
            pages.add_metric([kind], kinds.count(kind))
        beyond = GaugeMetricFamily(
            "dnsplan_sentinel_unwatched_names", "Names beyond names_max, which nobody here watches."
        )
        beyond.add_metric([], len(self._watching.scope.beyond))
        yield from (names, pages, beyond, self._resolvers())

    def _resolvers(self) -> Metric:
        """What each resolver made of the names that it was last asked for."""
        metric = GaugeMetricFamily(
            "dnsplan_sentinel_resolver_names",
            "Names and types by what a resolver last made of them.",
            labels=["resolver", "made"],
        )
        by_zone = self._resolving.words()
        said = [one for units in by_zone.values() for words in units.values() for one in words]
        counts = Counter((one.resolver, one.made) for one in said)
        for resolver in sorted({one.resolver for one in said}):
            for made in Made:
                metric.add_metric([resolver, str(made)], counts[resolver, made])
        return metric

    def _zone(self, label: str, charts: list[Chart]) -> ZoneView:
        states = {self._state(chart) for chart in charts}
        if not charts or self._cycle.reporter.sight.hides(label):
            states = {UNSEEN}
        entry = self._watching.zones[label]
        names = [view for chart in sorted(charts, key=_worst_first) for view in self._names(chart)]
        return ZoneView(
            label=label,
            zone=display(charts[0].watched.zone) if charts else entry.name,
            mode=entry.mode,
            standing=next(one for one in WORST_FIRST if one in states),
            reasons=(),
            holds=(
                *(_paged(page) for page in self._cycle.reporter.pages if _is_of(page, label)),
                *(_told(page) for page in self._pager.pages if page.cause.label in (label, "")),
            ),
            names=tuple(names[:NAMES_MAX]),
            more_names=max(0, len(names) - NAMES_MAX),
        )

    def _names(self, chart: Chart) -> Iterable[NameView]:
        """One line a type that should be answered."""
        course, good = chart.course, self._recall.last_good(chart.watched.key)
        ailments = course.ailments if isinstance(course, Ill) else ()
        for expected in chart.watched.expected:
            ill = tuple(one for one in ailments if one.type == expected.type)
            heard = good.get(expected.type)
            said = f"{verdict(ill)}{_last_good(heard)}" if ill else self._state(chart)
            said += self._elsewhere(chart, expected.type)
            yield NameView(
                name=display(chart.watched.name),
                type=expected.type,
                ttl_s=None if heard is None else heard.ttl_s,
                answers=() if ill else _together(heard),
                state=said,
                is_ill=bool(ill),
            )

    def _elsewhere(self, chart: Chart, kind: str) -> str:
        """What resolvers said of it, where any were asked."""
        watched = chart.watched
        of_zone = self._resolving.words().get(watched.label, {})
        words = of_zone.get((watched.name, kind))
        return f"; {in_short(words)}" if words else ""

    def _state(self, chart: Chart) -> str:
        if self._cycle.reporter.sight.hides(chart.watched.label):
            return UNSEEN
        match chart.course:
            case Ill():
                return NONE
            case Suspected():
                return DOUBT
            case Well(before):
                return ANSWERS if before else NEW


def _worst_first(chart: Chart) -> tuple[bool, str]:
    return (not isinstance(chart.course, Ill), chart.watched.name)


def _is_of(page: Page, label: str) -> bool:
    """A page about many zones is each one's."""
    return page.subject.label in (label, "")


def _paged(page: Page) -> Hold:
    what = " ".join(filter(None, (page.subject.name, verdict(page.ailments)))) or page.subject.kind
    run, *_ = commands(page.subject)
    return Hold("paged", page.subject.kind, what, run, page.opened_s)


def _told(page: OpenPage) -> Hold:
    cause = page.cause
    run = next(iter(cause.commands), "")
    return Hold("paged", cause.kind, f"{cause.title}; {'; '.join(cause.lines)}", run, page.opened_s)


def _together(heard: LastGood | None) -> tuple[str, ...]:
    """What was heard of late, so that a weighted name does not flicker."""
    if heard is None:
        return ()
    since_s = heard.seen_s - HEARD_TOGETHER_S
    recent = {value for value, at_s in heard.recent if at_s >= since_s}
    return tuple(sorted(recent | set(heard.values)))


def _last_good(heard: LastGood | None) -> str:
    if heard is None:
        return ""
    return f"; last good: {', '.join(sorted({*heard.values, *heard.earlier}))}"
