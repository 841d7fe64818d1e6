"""Audit rows in memory."""

from dnsplan.errors import ReadFailed
from runbooks.controls.outside import AuditRow


class FakeAudit:
    """An append-only list."""

    def __init__(self) -> None:
        """Start empty."""
        self.rows: list[AuditRow] = []
        self.failure = ""

    async def append(self, row: AuditRow) -> None:
        """Add a row, unless it is to fail."""
        if self.failure:
            raise ReadFailed(self.failure)
        self.rows.append(row)
