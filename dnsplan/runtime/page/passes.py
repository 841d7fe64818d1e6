"""How each of a daemon's works is getting on: for its metrics, and for whether it is ready.

It stands around a pass and lets through whatever the pass ends in; it decides nothing.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

from dnsplan.ports import Clock
from dnsplan.runtime.periodic import Periodic

# A pass that is late by this many intervals, and by a minute at least, is not merely slow.
LATE_INTERVALS = 5
LATE_S_MIN = 60.0
DURATIONS_S = (0.01, 0.1, 0.5, 1, 5, 30)


@dataclass(slots=True)
class _Course:
    """One work. `failure` is what its last pass failed of."""

    interval_s: float
    succeeded_s: float | None = None
    failure: str = ""


class PassBook:
    """The passes of one process."""

    def __init__(self, registry: CollectorRegistry, clock: Clock) -> None:
        """Nothing has run yet."""
        self._clock = clock
        self._works: dict[str, _Course] = {}
        self._troubles: list[Callable[[], str]] = []
        labels = ["work"]
        self._seconds = Histogram(
            "dnsplan_pass_duration_seconds",
            "How long one pass of a work took.",
            labels,
            registry=registry,
            buckets=DURATIONS_S,
        )
        self._failed = Counter(
            "dnsplan_passes_failed", "Passes that ended in trouble.", labels, registry=registry
        )
        self._succeeded = Gauge(
            "dnsplan_pass_last_success_timestamp_seconds",
            "When a pass of a work last ended well.",
            labels,
            registry=registry,
        )
        Gauge(
            "dnsplan_ready",
            "1 when every work has passed well of late, as /readyz says.",
            registry=registry,
        ).set_function(lambda: float(not self.not_ready()))

    def watched(self, works: Iterable[Periodic]) -> Sequence[Periodic]:
        """The same works, each pass noted here."""
        return [self._watched(work) for work in works]

    def mind(self, trouble: Callable[[], str]) -> None:
        """Ask this too: a work that holds ends its passes well, and says here why it does not get
        on; "" when it does."""
        self._troubles.append(trouble)

    def not_ready(self) -> tuple[str, ...]:
        """Why this process is not ready, a line a work; nothing when it is."""
        if not self._works:
            return ("nothing runs yet",)
        now_s = self._clock.elapsed_s()
        found = (_trouble(name, work, now_s) for name, work in self._works.items())
        told = (trouble() for trouble in self._troubles)
        return tuple(one for one in (*found, *told) if one)

    def _watched(self, work: Periodic) -> Periodic:
        course = _Course(work.interval_s)
        self._works[work.name] = course
        self._failed.labels(work.name)

        async def run_once() -> None:
            began_s = self._clock.elapsed_s()
            try:
                await work.run_once()
            except Exception as error:
                course.failure = f"{type(error).__name__}: {error}"
                self._failed.labels(work.name).inc()
                raise
            else:
                course.failure, course.succeeded_s = "", self._clock.elapsed_s()
                self._succeeded.labels(work.name).set(self._clock.now_s())
            finally:
                self._seconds.labels(work.name).observe(self._clock.elapsed_s() - began_s)

        return replace(work, run_once=run_once)


def _trouble(name: str, course: _Course, now_s: float) -> str | None:
    if course.failure:
        return f"{name}: the last pass failed: {course.failure}"
    if course.succeeded_s is None:
        return f"{name}: the first pass has not ended yet"
    limit_s = max(LATE_S_MIN, LATE_INTERVALS * course.interval_s)
    if now_s - course.succeeded_s > limit_s:
        return f"{name}: no pass has ended for more than {limit_s:.0f} s"
    return None
