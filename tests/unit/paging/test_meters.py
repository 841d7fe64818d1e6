"""Pages that a receiver does not take are counted while they wait, and no longer."""

from prometheus_client import CollectorRegistry

from dnsplan.runtime.paging.delivery import WAITING_MAX, Delivery
from dnsplan.runtime.paging.meters import PagingMeters
from dnsplan.runtime.paging.ports import Undelivered
from tests.unit.paging.test_delivery import PASSING, FakeSink, page
from tests.unit.sentinel.virtual import START_S, VirtualClock, in_virtual_time

WAITING, OLDEST = "dnsplan_notices_waiting", "dnsplan_notices_oldest_timestamp_seconds"
UNDELIVERED = "dnsplan_notices_undelivered_total"


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


def test_what_a_receiver_never_gets_is_counted() -> None:
    """Refused for good, or crowded out; the count stands at zero before, so that a rise is seen."""

    async def run() -> list[float | None]:
        registry = CollectorRegistry()
        sink = FakeSink({"a": [Undelivered("status 422", for_good=True)]})
        line = Delivery(sink, VirtualClock())
        PagingMeters([line], registry)
        counts = [registry.get_sample_value(UNDELIVERED, {"sink": "fake"})]
        line.put(page("a"))
        await line.drain(within_s=10.0)
        counts.append(registry.get_sample_value(UNDELIVERED, {"sink": "fake"}))
        for at in range(WAITING_MAX + 1):
            line.put(page(f"p{at}"))
        return [*counts, registry.get_sample_value(UNDELIVERED, {"sink": "fake"})]

    assert in_virtual_time(run) == [0.0, 1.0, 2.0]
