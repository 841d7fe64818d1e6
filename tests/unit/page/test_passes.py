"""Ready means that every work has passed well of late; each failure is said with its reason."""

import pytest
from prometheus_client import CollectorRegistry

from dnsplan.errors import ReadFailed
from dnsplan.runtime.page.passes import LATE_S_MIN, PassBook
from dnsplan.runtime.periodic import Periodic
from tests.fakes.clock import FakeClock


class Work:
    """A pass that ends as it is told."""

    def __init__(self) -> None:
        """It ends well."""
        self.clock = FakeClock()
        self.registry = CollectorRegistry()
        self.book = PassBook(self.registry, self.clock)
        self.error: Exception | None = None
        (self.watched,) = self.book.watched([Periodic("enact", 2.0, self._pass)])

    async def _pass(self) -> None:
        self.clock.advance(0.25)
        if self.error is not None:
            raise self.error

    async def run(self) -> None:
        """One pass, whatever it ends in."""
        if self.error is None:
            await self.watched.run_once()
            return
        with pytest.raises(type(self.error)) as caught:
            await self.watched.run_once()
        assert caught.value is self.error

    def sample(self, name: str) -> float | None:
        """One sample of this work."""
        return self.registry.get_sample_value(name, {"work": "enact"})


def test_nothing_is_ready_before_it_runs() -> None:
    """A process without works, and one whose first pass has not ended."""
    book = PassBook(CollectorRegistry(), FakeClock())
    assert book.not_ready() == ("nothing runs yet",)
    assert Work().book.not_ready() == ("enact: the first pass has not ended yet",)


async def test_a_failed_pass_goes_on_to_whoever_runs_it() -> None:
    """It is counted and said, and let through as it is; the next good one clears it."""
    work = Work()
    work.error = ReadFailed("the table is gone")
    await work.run()
    assert work.book.not_ready() == ("enact: the last pass failed: ReadFailed: the table is gone",)
    assert work.registry.get_sample_value("dnsplan_ready") == 0
    work.error = None
    await work.run()
    assert work.book.not_ready() == ()
    assert work.registry.get_sample_value("dnsplan_ready") == 1
    assert work.sample("dnsplan_passes_failed_total") == 1
    assert work.sample("dnsplan_pass_duration_seconds_count") == 2
    assert work.sample("dnsplan_pass_duration_seconds_sum") == 0.5
    assert work.sample("dnsplan_pass_last_success_timestamp_seconds") == work.clock.now_s()


async def test_a_work_that_stands_still_is_not_ready() -> None:
    """No pass for a minute, at a pace of two seconds, is no slow pass."""
    work = Work()
    await work.run()
    work.clock.advance(LATE_S_MIN)
    assert work.book.not_ready() == ()
    work.clock.advance(0.5)
    assert work.book.not_ready() == ("enact: no pass has ended for more than 60 s",)


async def test_a_work_that_holds_is_not_ready() -> None:
    """Its passes end well, and it says itself that they come to nothing."""
    work = Work()
    said = ["plan: no zone can be read"]
    work.book.mind(lambda: said[0])
    await work.run()
    assert work.book.not_ready() == ("plan: no zone can be read",)
    assert work.registry.get_sample_value("dnsplan_ready") == 0
    said[0] = ""
    assert work.book.not_ready() == ()
    assert work.registry.get_sample_value("dnsplan_ready") == 1
