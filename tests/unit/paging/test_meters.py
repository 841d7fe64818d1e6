"""Pages that a receiver does not take are counted while they wait, and no longer."""

from prometheus_client import CollectorRegistry

from dnsplan.runtime.paging.delivery import Delivery
from dnsplan.runtime.paging.meters import PagingMeters
from tests.unit.paging.test_delivery import PASSING, FakeSink, page
from tests.unit.sentinel.virtual import START_S, VirtualClock, in_virtual_time

WAITING, OLDEST = "dnsplan_notices_waiting", "dnsplan_notices_oldest_timestamp_seconds"


def test_what_waits_is_counted_with_its_age() -> None:
    """By receiver; one that took all has no oldest."""

    async def run() -> None:
        registry, sink = CollectorRegistry(), FakeSink({"a": [PASSING]})
        line = Delivery(sink, VirtualClock())
        PagingMeters([line], registry)
        label = {"sink": "fake"}
        assert registry.get_sample_value(WAITING, label) == 0
        line.put(page("a"))
        line.put(page("b"))
        assert registry.get_sample_value(WAITING, label) == 2
        assert registry.get_sample_value(OLDEST, label) == START_S
        await line.drain(within_s=10.0)
        assert registry.get_sample_value(WAITING, label) == 0
        assert registry.get_sample_value(OLDEST, label) is None

    in_virtual_time(run)
