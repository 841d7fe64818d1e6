"""Exit codes of a pass, and what a person and a script read of a cleanup."""

import io
import json

import pytest
from rich.console import Console

from dnsplan.guardrails import FLOOR
from dnsplan.plan import Digest, Generation, PlanId
from dnsplan.violation import Violation
from planner.cleanup import CleanReport
from planner.rules.outcomes import (
    Cleaned,
    CleanOutcome,
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
from planner.rules.retention import Keep, Verdict
from planner.show.facts import clean_facts
from planner.show.plain import clean_lines
from planner.show.tables import clean_table
from planner.show.words import clean_exit_code, plan_exit_code
from tests.unit.planner.test_retention import row

PENDING = Pending(Generation(8))
HELD = Held(HoldRule.AHEAD, "the table lost history", "dns-runbook reconcile shop")
FAILED = Held(HoldRule.READ_FAILED, "throttled", "dns-runbook status shop")
REFUSED = Refused((Violation(FLOOR, "shop", "www.example.com.", "1 of 3 targets answer", "2"),))
PUBLISHED = Published(PlanId("shop", Generation(8), Digest("ab" * 32)))


@pytest.mark.parametrize(
    ("outcomes", "code"),
    [
        ([], 0),
        ([Unchanged(Generation(1)), PUBLISHED], 0),
        ([Unchanged(Generation(1)), PENDING], 4),
        ([PENDING, Waiting("first round")], 4),
        ([PENDING, REFUSED], 3),
        ([PENDING, HELD], 3),
        ([HELD, Unsettled("timeout")], 1),
        ([Overtaken("head moved")], 1),
        ([FAILED], 1),
    ],
)
def test_the_worst_zone_decides_the_exit_code(outcomes: list[PlanOutcome], code: int) -> None:
    """Failed before refused before pending before fine."""
    assert plan_exit_code(outcomes) == code


@pytest.mark.parametrize(
    ("outcomes", "code"),
    [
        ([Cleaned(Generation(8), 2, 0)], 0),
        ([Held(HoldRule.NO_ITEM, "no plan yet", "x")], 0),
        ([Cleaned(Generation(8), 2, 0), HELD], 3),
        ([HELD, FAILED], 1),
        ([Overtaken("pin")], 1),
        ([Unsettled("timeout")], 1),
    ],
)
def test_cleanup_exit_codes(outcomes: list[CleanOutcome], code: int) -> None:
    """A zone without a plan is fine; a hold is a refusal."""
    assert clean_exit_code(outcomes) == code


def test_cleanup_says_of_each_plan_why_it_stays_or_goes() -> None:
    """One line a plan: kept with reasons, deleted, or deleted before."""
    verdicts = (
        Verdict(row(1, deleted=True), ()),
        Verdict(row(2), ()),
        Verdict(row(9), (Keep.LIVE, Keep.APPLIED)),
    )
    made = CleanReport("shop", Cleaned(Generation(8), 1, 2), verdicts)
    assert list(clean_lines(made)) == [
        "shop floor 8, 1 plans deleted, 2 stray chunks swept",
        "shop plan 1 dddddddddddd deleted before by cleanup",
        "shop plan 2 dddddddddddd deleted",
        (
            "shop plan 9 dddddddddddd kept: live: the zone's fence says so; applied: the newest"
            " confirmed"
        ),
    ]
    assert "deleted before by cleanup" in printed(clean_table(made))
    facts = json.loads(json.dumps(clean_facts(made)))
    assert [one["kept_because"] for one in facts["plans"]] == [[], [], ["live", "applied"]]


def test_a_held_cleanup_deleted_nothing() -> None:
    """Without a raised floor a plan is at most deletable."""
    made = CleanReport("shop", HELD, (Verdict(row(2), ()),))
    assert list(clean_lines(made))[1].endswith("deletable")
    assert "dns-runbook reconcile shop" in printed(clean_table(made))
    assert clean_facts(made)["floor"] is None


def printed(table: object) -> str:
    """What a wide terminal shows."""
    console = Console(file=io.StringIO(), width=400, force_terminal=True, color_system=None)
    console.print(table)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()
