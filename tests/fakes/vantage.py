"""What planners find, in memory, with failures on demand."""

from collections.abc import Sequence

from dnsplan.errors import ReadFailed
from planner.rules.vantage import Report


class FakeVantageBoard:
    """One board for all planners of a test."""

    def __init__(self) -> None:
        """Start empty and reachable."""
        self.reports: dict[str, Report] = {}
        self.fails = False

    async def announce(self, report: Report) -> None:
        """Replace an AZ's report."""
        if self.fails:
            raise ReadFailed("the board cannot be written")
        self.reports[report.az] = report

    async def everyone(self) -> Sequence[Report]:
        """All reports by AZ."""
        if self.fails:
            raise ReadFailed("the board cannot be read")
        return [self.reports[az] for az in sorted(self.reports)]
