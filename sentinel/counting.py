"""Counts names without answers for an alarm elsewhere, which also rings when the count stops.

Silence is what tells that alarm that nobody is looking; so where this sentinel cannot see, it
counts nothing rather than zero. No page waits for a count, whatever becomes of it.
"""

from collections.abc import Callable
from typing import assert_never

import structlog

from dnsplan.runtime.paging.ports import Delivered, Undelivered
from sentinel.ports import Meter


class Counting:
    """Publishes a count at each pass. `count`: None where nothing can be said now."""

    def __init__(self, meter: Meter, count: Callable[[], int | None]) -> None:
        """Nothing is published yet."""
        self._meter = meter
        self._count = count
        self._reason = ""
        self._log = structlog.get_logger("sentinel").bind(meter=meter.name)

    async def run_once(self) -> None:
        """One try; the next pass has a newer count, so none is repeated."""
        names = self._count()
        if names is None:
            return
        outcome = await self._meter.publish(names)
        match outcome:
            case Delivered():
                if self._reason:
                    self._log.info("count_published_again", names=names)
                self._reason = ""
            case Undelivered(reason):
                if reason != self._reason:
                    self._log.error("count_not_published", names=names, reason=reason)
                self._reason = reason
            case _:
                assert_never(outcome)
