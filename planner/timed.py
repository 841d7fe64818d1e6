"""A prober that measures how long its probes take, and changes nothing of what they say."""

from typing import assert_never

from prometheus_client import CollectorRegistry, Histogram

from dnsplan.ports import Clock
from planner.ports import Prober
from planner.rules.probing import Bad, Good, NotAsked, Probe, ProbeResult

SECONDS = (0.001, 0.005, 0.02, 0.1, 0.5, 2, 10)


class TimedProber:
    """ports.Prober around another one."""

    def __init__(self, prober: Prober, clock: Clock, registry: CollectorRegistry) -> None:
        """Nothing is asked yet."""
        self._prober = prober
        self._clock = clock
        self._seconds = Histogram(
            "dnsplan_probe_duration_seconds",
            "How long probes took, by whether the target was well; not_asked: none could be made.",
            ["result"],
            registry=registry,
            buckets=SECONDS,
        )

    async def probe(self, probe: Probe) -> ProbeResult:
        """Ask, and note the time."""
        began_s = self._clock.elapsed_s()
        result = await self._prober.probe(probe)
        took_s = self._clock.elapsed_s() - began_s
        self._seconds.labels(_word(result)).observe(took_s)
        return result


def _word(result: ProbeResult) -> str:
    match result:
        case Good():
            return "good"
        case Bad():
            return "bad"
        case NotAsked():
            return "not_asked"
        case _:
            assert_never(result)
