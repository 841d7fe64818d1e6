"""What was done holds without a row that tells of it; that there is none is said."""

from runbooks.controls.audit_log import SaidAuditLog
from runbooks.controls.outside import AuditRow
from tests.fakes.audit import FakeAudit

ROW = AuditRow("shop", 1, "pin", "ann", "bad deploy", {"generation": 3})


async def test_a_row_that_cannot_be_added_is_told_and_fails_nothing() -> None:
    """Else a pin that is set, or a name that is retired, would end as if it had failed."""
    inner, told = FakeAudit(), list[str]()
    log = SaidAuditLog(inner, told.append)
    await log.append(ROW)
    inner.failure = "the table is away"
    await log.append(ROW)
    assert inner.rows == [ROW]
    assert told == ["shop: no audit row of this pin, which holds: the table is away"]
