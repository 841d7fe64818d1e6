"""One event a zone a cycle, and only when it is news."""

from collections.abc import Iterator
from typing import Any

import pytest
import structlog
from structlog.testing import capture_logs
from structlog.typing import EventDict

from dnsplan.guardrails import FLOOR
from dnsplan.plan import Digest, Generation, PlanId
from dnsplan.violation import Violation
from planner.cleanup import CleanReport
from planner.cycle import ZoneReport
from planner.reporting import NAMED_MAX, SAID_AGAIN_S, PlanLog, log_clean
from planner.rules.candidate import Candidate
from planner.rules.notes import Fate, Place, TargetNote, UnitNote, Why
from planner.rules.outcomes import (
    Cleaned,
    Held,
    HoldRule,
    Overtaken,
    Pending,
    PlanOutcome,
    Published,
    Refused,
    Unchanged,
    Unsettled,
    Waiting,
)
from planner.rules.standing import NOTHING
from tests.fakes.clock import FakeClock
from tests.unit.planner.cases import NAME, wish

SAME = Unchanged(Generation(3))
HELD = Held(HoldRule.READ_FAILED, "throttled", "dns-runbook status shop")
PANIC = UnitNote((NAME, "A"), Fate.DRIVEN, is_panic=True)


@pytest.fixture
def events() -> Iterator[list[EventDict]]:
    """Every event of a test, debug ones left out."""
    with capture_logs() as captured:
        yield captured


def news(events: list[EventDict]) -> list[str]:
    """The names of the events that a person sees."""
    return [str(one["event"]) for one in events if one["log_level"] != "debug"]


def report(outcome: PlanOutcome, *notes: UnitNote) -> ZoneReport:
    """A zone's report."""
    candidate = Candidate(units={}, ledger={}, retired=(), notes=notes, changed=())
    return ZoneReport(wish(), outcome, NOTHING, candidate)


def test_a_quiet_zone_says_nothing(events: list[EventDict]) -> None:
    """Unchanged with nothing amiss is no news, only a debug summary."""
    log = PlanLog(FakeClock())
    log.tell([report(SAME)])
    log.tell([report(SAME)])
    assert news(events) == []
    assert [one["event"] for one in events] == ["pass_ended", "pass_ended"]


def test_a_hold_is_said_once_a_minute(events: list[EventDict]) -> None:
    """A lasting hold shows in the log without filling it."""
    clock = FakeClock()
    log = PlanLog(clock)
    for _ in range(5):
        log.tell([report(HELD)])
        clock.advance(SAID_AGAIN_S / 3)
    assert news(events) == ["zone_held", "zone_held"]
    (first, *_) = [one for one in events if one["event"] == "zone_held"]
    assert (first["rule"], first["command"]) == ("read_failed", "dns-runbook status shop")


def test_a_hold_that_ends_is_said(events: list[EventDict]) -> None:
    """The log shows when a zone is planned again."""
    log = PlanLog(FakeClock())
    for outcome in (HELD, SAME, SAME):
        log.tell([report(outcome)])
    assert news(events) == ["zone_held", "zone_planned"]


def test_a_refusal_is_said_every_cycle(events: list[EventDict]) -> None:
    """Rule, number, limit, name and the command to look further, once a cycle."""
    violation = Violation(FLOOR, "shop", "www.example.com.", "1 of 3 targets answer", "2")
    log = PlanLog(FakeClock())
    log.tell([report(Refused((violation,)))])
    log.tell([report(Refused((violation,)))])
    assert news(events) == ["plan_refused", "plan_refused"]
    first: dict[str, Any] = dict(events[0])
    assert first["violations"] == [str(violation)]
    assert first["command"] == "dns-runbook explain www.example.com."


def test_panic_is_said_when_it_comes_and_when_it_goes(events: list[EventDict]) -> None:
    """A change of panic is news, its lasting is not."""
    log = PlanLog(FakeClock())
    for notes in ((), (PANIC,), (PANIC,), ()):
        log.tell([report(SAME, *notes)])
    assert news(events) == ["zone_planned", "zone_planned"]
    shown = [one.get("panic") for one in events if one["event"] == "zone_planned"]
    assert shown == [["www.example.com. A"], None]


def test_a_withheld_target_is_named(events: list[EventDict]) -> None:
    """What should go and may not is in the log with its answer."""
    note = TargetNote("b", "192.0.2.2", Place.WITHHELD, Why.UNHEALTHY, None)
    log = PlanLog(FakeClock())
    log.tell([report(SAME, UnitNote((NAME, "A"), Fate.DRIVEN, targets=(note,)))])
    assert events[0]["withheld"] == ["www.example.com. A 192.0.2.2"]


def test_lists_are_bounded_and_counted(events: list[EventDict]) -> None:
    """Ten thousand unlisted names are one short event."""
    notes = [UnitNote((NAME, f"TYPE{n}"), Fate.UNLISTED) for n in range(10_000)]
    PlanLog(FakeClock()).tell([report(SAME, *notes)])
    assert len(events[0]["unlisted"]) == NAMED_MAX + 1
    assert events[0]["unlisted"][-1] == "and 9990 more"


def test_a_malformed_name_is_a_warning(events: list[EventDict]) -> None:
    """Config that cannot be published is said loudly, with the reason."""
    note = UnitNote((NAME, "A"), Fate.MALFORMED, "'x' is no A value")
    PlanLog(FakeClock()).tell([report(SAME, note)])
    assert events[0]["log_level"] == "warning"
    assert events[0]["malformed"] == ["www.example.com. A: 'x' is no A value"]


def test_lost_races_and_lost_answers_are_said_each_time(events: list[EventDict]) -> None:
    """They are rare, and each is a fact of its own."""
    log = PlanLog(FakeClock())
    for outcome in (Overtaken("x"), Overtaken("x"), Unsettled("x"), Unsettled("x")):
        log.tell([report(outcome)])
    assert news(events) == ["plan_overtaken"] * 2 + ["plan_unsettled"] * 2


def test_a_cleanup_that_did_nothing_says_nothing(events: list[EventDict]) -> None:
    """Deleting is news, finding nothing to delete is not."""
    log = structlog.get_logger("cleanup")
    log_clean(log, CleanReport("shop", Cleaned(Generation(8), 0, 0)))
    log_clean(log, CleanReport("shop", Cleaned(Generation(8), 2, 0)))
    log_clean(log, CleanReport("shop", HELD))
    log_clean(log, CleanReport("shop", Overtaken("pin")))
    log_clean(log, CleanReport("shop", Unsettled("timed out")))
    assert news(events) == [
        "plans_cleaned",
        "cleanup_held",
        "cleanup_overtaken",
        "cleanup_unsettled",
    ]


def test_a_wait_and_a_pending_plan_are_news_once(events: list[EventDict]) -> None:
    """What waits is said when it begins to wait."""
    log = PlanLog(FakeClock())
    for outcome in (Waiting("first round"), Waiting("first round"), Pending(Generation(4))):
        log.tell([report(outcome)])
    assert news(events) == ["plan_waiting", "plan_pending"]


def test_a_publication_is_said_with_its_digest(events: list[EventDict]) -> None:
    """Generation and digest name a plan in every log."""
    plan_id = PlanId("shop", Generation(4), Digest("ab" * 32))
    PlanLog(FakeClock()).tell([report(Published(plan_id))])
    assert (events[0]["generation"], events[0]["digest"]) == (4, "ab" * 32)
