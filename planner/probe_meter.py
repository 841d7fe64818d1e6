"""Says when targets ask for more probes than may be made: in the log, and as metrics. It decides
nothing."""

from collections.abc import Iterator

import structlog
from prometheus_client import CollectorRegistry
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from dnsplan.ports import Clock
from planner.reporting import SAID_AGAIN_S
from planner.rules.probe_rate import SETTING, ProbeRate


class ProbeMeter(Collector):
    """One planner's probes: how many are asked for, how many are allowed."""

    def __init__(self, registry: CollectorRegistry, clock: Clock) -> None:
        """Nothing is asked for yet."""
        self._log = structlog.get_logger("planner")
        self._clock = clock
        self._rate: ProbeRate | None = None
        self._said_s: float | None = None
        registry.register(self)

    def note(self, rate: ProbeRate) -> None:
        """Take one pass in; what lasts is said again each minute, and once when it is over."""
        self._rate, now_s = rate, self._clock.elapsed_s()
        if rate.is_enough:
            if self._said_s is not None:
                self._log.info("probes_in_time", targets=rate.targets)
            self._said_s = None
        elif self._said_s is None or now_s - self._said_s >= SAID_AGAIN_S:
            self._said_s = now_s
            self._log.warning(
                "probes_late", reason=str(rate), setting=SETTING, should_be=rate.should_be
            )

    def collect(self) -> Iterator[Metric]:
        """Both numbers, once a pass was made."""
        wanted = GaugeMetricFamily(
            "dnsplan_probes_wanted_per_second", "Probes a second that all targets ask for."
        )
        allowed = GaugeMetricFamily(
            "dnsplan_probes_allowed_per_second", "Probes a second that may be made."
        )
        if self._rate is not None:
            wanted.add_metric([], self._rate.wanted_per_s)
            allowed.add_metric([], self._rate.allowed_per_s)
        yield from (wanted, allowed)
