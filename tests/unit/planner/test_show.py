"""What a person and a script read of a pass: every change with its reason, and true exit codes."""

import io
import json

import pytest
from rich.console import Console

from dnsplan.guardrails import FLOOR, Violation
from dnsplan.plan import Digest, Generation, PlanId, Retirement
from dnsplan.records import RecordSet, Weighted
from planner.cleanup import CleanReport
from planner.cycle import ZoneReport
from planner.rules.candidate import build
from planner.rules.health import Sight
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
from planner.rules.pools import BlockedUnit, Policy, PoolUnit
from planner.rules.retention import Keep, Verdict
from planner.rules.standing import NOTHING, Standing
from planner.show.facts import clean_facts, plan_facts
from planner.show.plain import clean_lines, plan_lines
from planner.show.tables import ROWS_MAX, clean_table, plan_table
from planner.show.words import clean_exit_code, plan_exit_code
from tests.unit.planner.cases import (
    NAME,
    NOW_S,
    a,
    healthy,
    member,
    multivalue,
    pool,
    seen,
    sick,
    sight,
    standing,
    wish,
)
from tests.unit.planner.test_retention import row

PENDING = Pending(Generation(8))
HELD = Held(HoldRule.AHEAD, "the table lost history", "dns-runbook reconcile shop")
FAILED = Held(HoldRule.READ_FAILED, "throttled", "dns-runbook status shop")
REFUSED = Refused((Violation(FLOOR, "shop", "www.example.com.", "1 of 3 targets answer", "2"),))
PUBLISHED = Published(PlanId("shop", Generation(8), Digest("ab" * 32)))


def report(
    *driven: PoolUnit,
    before: Standing = NOTHING,
    view: Sight,
    outcome: PlanOutcome = PENDING,
    records: tuple[RecordSet, ...] = (),
    blocked: tuple[BlockedUnit, ...] = (),
) -> ZoneReport:
    """A report as the cycle makes it."""
    zone = wish(*driven, records=records, blocked=blocked)
    candidate = build(zone, before, view, now_s=NOW_S, applied=Generation(0))
    return ZoneReport(zone, outcome, before, candidate)


def lines(made: ZoneReport) -> list[str]:
    """The plain lines without the heading and the guardrails."""
    return [
        line.removeprefix("shop ")
        for line in list(plan_lines(made))[1:]
        if not line.startswith("shop guardrail")
    ]


def test_a_target_that_goes_is_shown_with_what_the_probes_saw() -> None:
    """Name, answer, target, reason and the row of probes behind it."""
    made = report(
        pool("a", "b"),
        before=standing(*multivalue("a", "b")),
        view=sight(a=healthy(), b=sick()),
    )
    assert lines(made) == ["- www.example.com. A 192.0.2.99 (b): unhealthy: refused, 3 in a row"]


def test_a_withheld_target_is_shown_though_nothing_changes_for_it() -> None:
    """What should go and may not is never silent."""
    made = report(
        pool("a", "b", "c", "d"),
        before=standing(*multivalue("a", "b", "c", "d")),
        view=sight(a=healthy(), b=healthy(), c=sick(1.0), d=sick(2.0)),
    )
    assert [line.split(":")[:2] for line in lines(made)] == [
        ["- www.example.com. A 192.0.2.100 (c)", " unhealthy"],
        ["! www.example.com. A 192.0.2.101 (d)", " withheld"],
    ]


def test_settings_are_shown_as_before_and_after() -> None:
    """A TTL, a policy or a weight that changes is named with both values."""
    unit = pool(member("a", capacity=50), "b", policy=Policy.WEIGHTED)
    before = standing(
        *(
            RecordSet(NAME, "A", 60, one.values, one.set_id, Weighted(9))
            for one in multivalue("a", "b")
        )
    )
    made = report(unit, before=before, view=sight(a=healthy(), b=healthy()))
    assert lines(made) == [
        "~ www.example.com. A ttl 60 -> 30: stated in the config",
        "~ www.example.com. A weight of a 9 -> 128: stated in the config",
        "~ www.example.com. A weight of b 9 -> 255: stated in the config",
    ]
    policy = report(
        pool("a", policy=Policy.SIMPLE), before=standing(*multivalue("a")), view=sight(a=healthy())
    )
    assert lines(policy) == [
        "~ www.example.com. A routing multivalue -> simple: stated in the config"
    ]


def test_every_other_fate_is_shown() -> None:
    """Unlisted, retired, blocked, panic and a first look each say what they are."""
    before = standing(
        a("old.example.com.", "192.0.2.1"),
        a("ended.example.com.", "192.0.2.2"),
        *multivalue("a"),
        retired=(Retirement(a("ended.example.com.", "192.0.2.2").name, None, 7, "eva"),),
    )
    new = pool("b", name=a("new.example.com.", "192.0.2.3").name)
    made = report(
        pool("a"),
        new,
        before=before,
        view=sight(now_s=1.0, a=sick()),
        blocked=(BlockedUnit(a("lb.example.com.", "192.0.2.4").name, "A", "no source"),),
    )
    assert lines(made) == [
        "- ended.example.com. A 192.0.2.2: ends: an operator retired it",
        "= lb.example.com. A: keeps what it has: no source",
        "= new.example.com. A: waits for its first probe round",
        "= old.example.com. A: no longer in the config; carried forward unchanged (retire ends it)",
        "! www.example.com. A panic: health is ignored: too few look healthy",
    ]


def test_each_guardrail_has_a_verdict() -> None:
    """A judged plan shows all four, refused or not; one that was not judged claims nothing."""
    view = sight(a=seen(True))
    judged = report(pool("a"), view=view, outcome=REFUSED)
    shown = [line for line in plan_lines(judged) if line.startswith("shop guardrail")]
    assert shown == [
        "shop guardrail never_empty: ok",
        "shop guardrail hands_off: ok",
        "shop guardrail floor: floor: www.example.com. in shop: 1 of 3 targets answer; limit: 2",
        "shop guardrail velocity: ok",
    ]
    unjudged = report(pool("a"), view=view, outcome=Unchanged(Generation(7)))
    assert not [line for line in plan_lines(unjudged) if "guardrail" in line]


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


@pytest.mark.parametrize(
    "outcome",
    [
        Unchanged(Generation(7)),
        Waiting("first round"),
        PENDING,
        PUBLISHED,
        REFUSED,
        HELD,
        Overtaken("head moved"),
        Unsettled("timeout"),
    ],
)
def test_every_outcome_has_words_a_table_and_json(outcome: PlanOutcome) -> None:
    """No outcome is without a face, and what is held names a command."""
    made = report(pool("a"), view=sight(a=seen(True)), outcome=outcome)
    first = next(plan_lines(made))
    facts = json.loads(json.dumps(plan_facts(made)))
    assert first == f"shop example.com. {facts['words']}"
    assert facts["outcome"] == type(outcome).__name__.lower()
    assert facts["words"] in printed(plan_table(made))
    if isinstance(outcome, Held):
        assert facts["held"]["command"] in first


def test_json_states_changes_as_data() -> None:
    """Numbers are numbers, absent is null, names end with a dot."""
    made = report(
        pool("a", "b"),
        before=standing(*multivalue("a", "b")),
        view=sight(a=healthy(), b=sick()),
    )
    facts = plan_facts(made)
    assert (facts["head"], facts["next"], facts["held"]) == (7, 8, None)
    assert facts["changes"] == [
        {
            "sign": "-",
            "name": "www.example.com.",
            "type": "A",
            "answer": "192.0.2.99",
            "target": "b",
            "why": "unhealthy: refused, 3 in a row",
        }
    ]


def test_a_long_table_is_cut_and_counted() -> None:
    """A terminal shows the first rows and how many more there are; a pipe shows all."""
    records = tuple(a(f"h{n:04d}.example.com.", "192.0.2.1") for n in range(ROWS_MAX + 50))
    made = report(view=sight(), records=records)
    assert "and 50 more" in printed(plan_table(made))
    assert len(lines(made)) == ROWS_MAX + 50


def test_markup_in_names_is_shown_as_it_is() -> None:
    """What looks like a style is text: nothing in a config can hide a row."""
    text = RecordSet(NAME, "TXT", 60, ('"[red]x[/red]"',))
    made = report(view=sight(), records=(text,))
    assert '"[red]x[/red]"' in printed(plan_table(made))


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
