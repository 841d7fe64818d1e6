"""Metrics of how much a process may still ask Route 53, and of how often it was throttled."""

from collections.abc import Iterator

from prometheus_client import CollectorRegistry
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from dnsplan.runtime.bucket import TokenBucket
from dnsplan.runtime.retry import RetryBudget


class RequestMeters(Collector):
    """One process's share of the account's request rate."""

    def __init__(
        self, bucket: TokenBucket, budget: RetryBudget, registry: CollectorRegistry
    ) -> None:
        """Stand in the registry."""
        self._bucket = bucket
        self._budget = budget
        registry.register(self)

    def collect(self) -> Iterator[Metric]:
        """As it is now."""
        bucket = self._bucket
        yield CounterMetricFamily(
            "dnsplan_route53_requests", "Requests to Route 53 that took a place.", bucket.taken
        )
        yield CounterMetricFamily(
            "dnsplan_route53_throttles", "Requests that Route 53 throttled.", bucket.throttles
        )
        yield GaugeMetricFamily(
            "dnsplan_route53_requests_per_second",
            "Requests to Route 53 that this process allows itself now.",
            bucket.per_s,
        )
        yield GaugeMetricFamily(
            "dnsplan_route53_wait_seconds",
            "How long a request to Route 53 would wait for its place now.",
            bucket.wait_s(),
        )
        yield GaugeMetricFamily(
            "dnsplan_retries_left", "Retries to AWS that may be made now.", self._budget.left
        )
