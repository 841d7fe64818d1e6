"""How long a change takes from a planner's pass until Route 53 has it, with nothing wrong."""

from tests.simulation.fleet.lag import measure, percentile
from tests.simulation.fleet.world import Size

ZONES = Size(40, 1)


def test_a_change_lands_within_a_poll_and_two_requests_and_losers_ask_nearly_nothing() -> None:
    """A tenth of the account's limit is asked for, beside all that comes by the clock."""
    found = measure(ZONES, load=0.1, changes=80)
    assert len(found.landed) == len(found.known) == 80
    assert percentile(found.landed, 0.5) <= found.bound_s / 2, found
    assert percentile(found.landed, 0.95) <= found.bound_s, found
    assert found.lost_share < 0.05, found


def test_what_can_wait_lets_plans_pass() -> None:
    """At four fifths of the limit confirmations and checks fill what plans leave; where they stand
    in one line with plans, a tenth of those waits longer than this."""
    found = measure(ZONES, load=0.8, changes=80)
    assert percentile(found.landed, 0.9) <= found.bound_s, found
    assert found.lost_share < 0.05, found
