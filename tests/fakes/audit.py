"""Audit rows in memory."""

from runbooks.controls.outside import AuditRow


class FakeAudit:
    """An append-only list."""

    def __init__(self) -> None:
        """Start empty."""
        self.rows: list[AuditRow] = []

    async def append(self, row: AuditRow) -> None:
        """Add a row."""
        self.rows.append(row)
