"""Metrics of what waits for each receiver of pages. Labels are receivers, so their number is the
config's; a receiver for which nothing waits has no oldest notice."""

from collections.abc import Iterator, Sequence

from prometheus_client import CollectorRegistry
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from dnsplan.runtime.paging.delivery import Delivery
from dnsplan.runtime.paging.strays import Strays

SINK = ["sink"]


class PagingMeters(Collector):
    """The lines before one daemon's receivers."""

    def __init__(
        self,
        lines: Sequence[Delivery],
        registry: CollectorRegistry,
        strays: Strays | None = None,
    ) -> None:
        """Stand in the registry. `strays` wait for nobody, so their age tells of no receiver."""
        self._strays = strays
        self._lines = tuple(lines)
        registry.register(self)

    def collect(self) -> Iterator[Metric]:
        """How many wait, since when the first of them, and how many never arrived."""
        waiting = GaugeMetricFamily(
            "dnsplan_notices_waiting", "Notices that a receiver has not taken yet.", labels=SINK
        )
        oldest = GaugeMetricFamily(
            "dnsplan_notices_oldest_timestamp_seconds",
            "When the oldest notice that waits for a receiver was made.",
            labels=SINK,
        )
        undelivered = CounterMetricFamily(
            "dnsplan_notices_undelivered",
            "Notices that their receiver never got: refused for good, a day old, or too many.",
            labels=SINK,
        )
        for line in self._lines:
            undelivered.add_metric([line.name], line.undelivered)
            made_s = line.waiting_since_s
            waiting.add_metric([line.name], len(made_s))
            if made_s:
                oldest.add_metric([line.name], min(made_s))
        if self._strays is not None:
            undelivered.add_metric([self._strays.name], self._strays.undelivered)
            waiting.add_metric([self._strays.name], self._strays.waiting)
        yield from (waiting, oldest, undelivered)
