"""What runs for long does not grow: neither the table nor the daemons."""

from planner.rules.retention import Retention
from tests.simulation.weeks import DAY_S, Weeks

HOUR_S = 3_600
RETENTION = Retention(keep=3, min_age_s=HOUR_S, history=10)
# In two passes of cleanup and an hour at this pace.
YOUNG_MAX = 24


async def test_table_and_daemons_are_as_big_after_twelve_hours_as_after_six() -> None:
    """All daemons that write the table, on fakes: a plan comes each few minutes."""
    weeks = Weeks(RETENTION, falls_every_s=600.0)
    await weeks.pass_time(DAY_S / 4)
    before = weeks.seen()
    await weeks.pass_time(DAY_S / 4)
    after = weeks.seen()
    assert after.plans > before.plans + 3 * RETENTION.history
    assert before.bodies <= RETENTION.keep + YOUNG_MAX
    assert after.rows <= RETENTION.keep + RETENTION.history + 2 * YOUNG_MAX, after
    assert after.other_items == before.other_items
    assert after.objects <= before.objects * 1.01, (before, after)
