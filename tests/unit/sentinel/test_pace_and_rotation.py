"""The times add up to the promise, and looks come round to every server and transport."""

from hypothesis import given
from hypothesis import strategies as st

from sentinel.rules.pace import TCP_LOOK_EACH, pace_for
from sentinel.rules.rotation import (
    FAILURES_TO_DOUBT,
    TRUSTED,
    Trust,
    after_round,
    after_trial,
    choose_path,
)
from sentinel.servers import SERVERS_MAX
from tests.unit.sentinel.cases import LAWS


@LAWS
@given(st.floats(1.0, 3_600.0))
def test_finding_and_two_tries_of_a_sink_fit_into_the_promise(page_within_s: float) -> None:
    """Whatever an operator asks for, the parts do not exceed the whole."""
    pace = pace_for(page_within_s)
    assert pace.found_within_s + 2 * pace.sink_s <= page_within_s
    assert pace.late_s > 0


def test_the_times_of_half_a_minute() -> None:
    """The figures that the documents give."""
    pace = pace_for(30.0)
    assert (pace.interval_s, pace.ask_s, pace.pause_s) == (5.0, 2.0, 1.0)
    assert (pace.patience_s, pace.newcomer_patience_s) == (10.0, 20.0)
    assert round(pace.found_within_s, 1) == 12.9


@LAWS
@given(st.integers(1, SERVERS_MAX), st.integers(0, 1_000))
def test_every_server_is_looked_at_over_both_transports(count: int, start: int) -> None:
    """From any turn on, as many turns as servers times the share of TCP go over every path."""
    servers = [f"s{at}" for at in range(count)]
    turns = range(start, start + SERVERS_MAX * TCP_LOOK_EACH)
    paths = {choose_path(servers, {}, turn=turn, now_s=0.0) for turn in turns}
    assert {(server, transport) for server in servers for transport in ("udp", "tcp")} == paths


def test_a_server_is_doubted_after_several_failures_and_trusted_after_one_success() -> None:
    """One lost packet is no reason to look elsewhere."""
    trust = TRUSTED
    for _ in range(FAILURES_TO_DOUBT):
        assert not trust.is_doubted
        trust = after_round(trust, failed=True, trial_s=5.0)
    assert trust.is_doubted
    assert after_round(trust, failed=False, trial_s=9.0) == TRUSTED


def test_a_doubted_server_is_passed_over_until_its_trial() -> None:
    """One look an interval finds out whether it is back; the others spare it."""
    doubted = Trust(FAILURES_TO_DOUBT, trial_s=10.0)
    trusts = {"s1": doubted}
    early = {choose_path(["s1", "s2"], trusts, turn=turn, now_s=9.9)[0] for turn in range(10)}
    trial = {choose_path(["s1", "s2"], trusts, turn=turn, now_s=10.0)[0] for turn in range(10)}
    assert ({"s2"}, {"s1", "s2"}) == (early, trial)
    assert after_trial(doubted, trial_s=15.0) == Trust(FAILURES_TO_DOUBT, trial_s=15.0)


def test_when_all_are_doubted_all_are_asked() -> None:
    """Doubt chooses between servers; it never leaves a name unseen."""
    trusts = dict.fromkeys(["s1", "s2"], Trust(FAILURES_TO_DOUBT, trial_s=100.0))
    chosen = {choose_path(["s1", "s2"], trusts, turn=turn, now_s=0.0)[0] for turn in range(4)}
    assert {"s1", "s2"} == chosen
