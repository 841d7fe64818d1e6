"""Takes up another config while a daemon runs; one with mistakes changes nothing, loudly.

It looks at the files at each pass of its own, in a thread: reading a large config takes a while,
and the daemon's work goes on meanwhile. What is wrong is logged again and again, and stands on the
page and in the metrics until it is mended.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import assert_never

import structlog
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from dnsplan.ports import Clock
from dnsplan.runtime.config.changing import needs_restart, zones_gone
from dnsplan.runtime.config.rereading import Broken, ConfigFiles, Reread
from dnsplan.runtime.config.schema import Settings
from dnsplan.runtime.own_thread import begun

# What is wrong is said again, and looked at again, after this time.
SAID_AGAIN_S = 60.0
PROBLEMS_SAID_MAX = 10


@dataclass(frozen=True, slots=True)
class Whose:
    """Whose config it is: the daemon's name, the keys that it is started with, why it cannot take
    one up instead of another (None: it can), and the command that shows all mistakes."""

    component: str
    at_start: Sequence[str]
    why_not: Callable[[Settings, Settings], str | None]
    command: str


class Reloading(Collector):
    """One running daemon's config."""

    def __init__(self, files: ConfigFiles, *, clock: Clock, whose: Whose) -> None:
        """The daemon was made of what was read from these files."""
        self._settings = files.settings
        self._files = files
        self._clock = clock
        self._whose = whose
        self._asked = False
        self._broken_s: float | None = None
        self._taken_s = clock.now_s()
        # Who goes by the config is told of another one, in this order.
        self.takers: list[Callable[[Settings], object]] = []
        # Why what stands in the files is not what the daemon goes by; empty when it is.
        self.problems: tuple[str, ...] = ()
        self._log = structlog.get_logger(whose.component)

    def ask(self) -> None:
        """Read the files at the next pass, changed or not: what SIGHUP wants."""
        self._asked = True

    async def run_once(self) -> None:
        """Look once."""
        now_s = self._clock.elapsed_s()
        is_due = self._broken_s is not None and now_s - self._broken_s >= SAID_AGAIN_S
        news = await begun(partial(self._files.look, anew=is_due or self._asked))
        match news:
            case None:
                return
            case Broken(error):
                self._refuse([str(one) for one in error.problems], now_s)
            case Reread(loaded):
                self._take(loaded.settings, now_s)
            case _:
                assert_never(news)
        self._asked = False

    def collect(self) -> Iterator[Metric]:
        """Whether the files are refused, and when they were taken up last."""
        refused = GaugeMetricFamily(
            "dnsplan_config_refused",
            "1 while the config's files are not what this daemon goes by.",
        )
        refused.add_metric([], float(bool(self.problems)))
        taken = GaugeMetricFamily(
            "dnsplan_config_taken_timestamp_seconds", "When this daemon took up its config."
        )
        taken.add_metric([], self._taken_s)
        yield from (refused, taken)

    def _take(self, settings: Settings, now_s: float) -> None:
        before, whose = self._settings, self._whose
        if (why := whose.why_not(before, settings)) is not None:
            self._refuse([why], now_s)
            return
        was_broken, self._broken_s, self.problems = self._broken_s is not None, None, ()
        if settings == before:
            if was_broken or self._asked:
                event = "config_mended" if was_broken else "config_unchanged"
                self._log.info(event, zones=len(settings.zones))
            return
        for take in self.takers:
            take(settings)
        self._settings, self._taken_s = settings, self._clock.now_s()
        self._log.info(
            "config_reloaded",
            zones=len(settings.zones),
            zones_gone=zones_gone(before, settings),
            needs_restart=needs_restart(before, settings, whose.at_start),
        )

    def _refuse(self, problems: list[str], now_s: float) -> None:
        self._broken_s = now_s
        self.problems = tuple(problems[:PROBLEMS_SAID_MAX])
        self._log.error(
            "config_refused",
            problems=list(self.problems),
            count=len(problems),
            still="the config that was read before",
            command=self._whose.command,
        )
