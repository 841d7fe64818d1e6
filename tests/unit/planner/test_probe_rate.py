"""Whether all targets can be asked as often as their intervals say, and who hears where not."""

from prometheus_client import CollectorRegistry
from structlog.testing import capture_logs

from planner.probe_meter import ProbeMeter
from planner.rules.health import Hysteresis
from planner.rules.probe_rate import ProbeRate, probe_rate
from planner.rules.probing import Probe, TcpCheck, Watched
from tests.fakes.clock import FakeClock


def watched(count: int, interval_s: float, *, gaps: int = 5) -> tuple[Watched, ...]:
    """So many targets of one pool."""
    rule = Hysteresis(2, 3, gap_s=gaps * interval_s + 2.0)
    probe = Probe("192.0.2.1", TcpCheck(80), 2.0)
    return tuple(Watched(("api", f"t{at}"), probe, interval_s, rule, 0.5) for at in range(count))


def test_two_thousand_targets_each_five_seconds_fit_into_the_default() -> None:
    """What asks for as much as there is has enough."""
    assert probe_rate(watched(2_000, 5.0), allowed_per_s=500.0) == ProbeRate(
        targets=2_000, wanted_per_s=400.0, allowed_per_s=500.0, rows=2_000
    )
    assert probe_rate(watched(10, 5.0), allowed_per_s=2.0).is_enough
    assert not probe_rate(watched(11, 5.0), allowed_per_s=2.0).is_enough
    assert probe_rate((), allowed_per_s=1.0).is_enough


def test_what_is_missing_is_told_with_the_number_that_it_should_be() -> None:
    """Pools of several intervals count together."""
    rate = probe_rate((*watched(1_000, 5.0), *watched(100, 1.0)), allowed_per_s=100.0)
    assert str(rate) == (
        "1100 targets ask for 300 probes a second; limit: planner.max_probes_per_s 100; each is"
        " asked 3.0 times less often than its interval_s says; it should be 375 at least"
    )


def test_looks_that_are_too_far_apart_are_no_row_and_that_is_said() -> None:
    """Such targets would never fall sick, whatever befell them."""
    rate = probe_rate(watched(1_000, 5.0), allowed_per_s=20.0)
    assert rate.rows == 0
    assert "; of 1000 of them no row of looks is whole, so they never turn;" in str(rate)


def test_it_is_logged_at_once_each_minute_and_when_it_is_over() -> None:
    """And shown as metrics."""
    clock, registry = FakeClock(), CollectorRegistry()
    meter = ProbeMeter(registry, clock)
    late, fine = (probe_rate(watched(one, 5.0), allowed_per_s=2.0) for one in (20, 10))
    with capture_logs() as logs:
        for rate in (fine, late, late, fine, fine):
            meter.note(rate)
            clock.advance(31.0)
        for _ in range(3):
            meter.note(late)
            clock.advance(31.0)
    assert [(one["event"], one["log_level"]) for one in logs] == [
        ("probes_late", "warning"),
        ("probes_in_time", "info"),
        ("probes_late", "warning"),
        ("probes_late", "warning"),
    ]
    assert (logs[0]["setting"], logs[0]["should_be"]) == ("planner.max_probes_per_s", 5)
    assert registry.get_sample_value("dnsplan_probes_wanted_per_second") == 4.0
    assert registry.get_sample_value("dnsplan_probes_allowed_per_second") == 2.0
