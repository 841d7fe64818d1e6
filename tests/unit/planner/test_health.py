"""Health turns by evidence in a row, never by time or by silence."""

from hypothesis import given
from hypothesis import strategies as st

from planner.rules.health import NEVER_SEEN, Hysteresis, Observation, Phase, TargetHealth, observed
from tests.unit.planner.cases import healthy, member, seen, sick, sight

RULE = Hysteresis(rise=2, fall=3, gap_s=25.0)


def after(*results: bool, rule: Hysteresis = RULE, step_s: float = 5.0) -> TargetHealth:
    """The state after probes at a steady pace."""
    state = NEVER_SEEN
    for turn, good in enumerate(results):
        state = observed(state, Observation(turn * step_s, good, ""), rule)
    return state


def test_two_good_probes_prove_health() -> None:
    """Rise good observations in a row turn unknown to healthy, one fewer does not."""
    assert after(True).phase is Phase.UNKNOWN
    assert after(True, True).phase is Phase.HEALTHY


def test_three_bad_probes_prove_sickness() -> None:
    """Fall bad observations in a row turn healthy to unhealthy, one fewer does not."""
    assert after(True, True, False, False).phase is Phase.HEALTHY
    assert after(True, True, False, False, False).phase is Phase.UNHEALTHY


def test_a_good_probe_breaks_a_bad_row() -> None:
    """Bad observations count only in a row."""
    assert after(True, True, False, False, True, False, False).phase is Phase.HEALTHY


def test_the_turn_is_dated_by_the_probe_that_turned_it() -> None:
    """`since_s` is when the row was complete, and stays until the next turn."""
    assert after(False, False, False, False, False).since_s == 10.0


def test_probes_far_apart_are_no_row() -> None:
    """Observations with a gap of many intervals between them do not add up."""
    assert after(False, False, False, step_s=26.0).phase is Phase.UNKNOWN
    assert after(False, False, False, step_s=25.0).phase is Phase.UNHEALTHY


@given(st.lists(st.booleans(), max_size=40), st.integers(1, 5), st.integers(1, 5))
def test_a_phase_always_has_its_row_behind_it(results: list[bool], rise: int, fall: int) -> None:
    """A target is in a phase only if rise or fall equal observations in a row once showed it, and
    no complete row of the other kind came after."""
    state = after(*results, rule=Hysteresis(rise, fall, gap_s=25.0))
    newest = Phase.UNKNOWN
    for end in range(1, len(results) + 1):
        if results[max(0, end - rise) : end] == [True] * rise:
            newest = Phase.HEALTHY
        if results[max(0, end - fall) : end] == [False] * fall:
            newest = Phase.UNHEALTHY
    assert newest is state.phase


def test_time_alone_changes_nothing() -> None:
    """A target that was seen long ago is what it was."""
    view = sight(now_s=1e9, a=healthy(), b=sick())
    assert Phase.HEALTHY is view.of(member("a")).phase
    assert Phase.UNHEALTHY is view.of(member("b")).phase


def test_a_first_look_ends_by_seeing_or_by_its_time() -> None:
    """Nobody waits for a target that was seen, is not probed, or had its time."""
    assert sight(now_s=5.0, a=seen(False)).has_looked(member("a"), 10.0)
    assert sight(now_s=5.0).has_looked(member("a", probed=False), 10.0)
    assert not sight(now_s=9.9).has_looked(member("a"), 10.0)
    assert sight(now_s=10.0).has_looked(member("a"), 10.0)
