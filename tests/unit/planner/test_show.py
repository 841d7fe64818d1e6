"""What a person and a script read of a pass: every change with its reason."""

import io
import json
from dataclasses import replace

import pytest
from msgspec import structs
from rich.console import Console

from dnsplan.guardrails import FLOOR
from dnsplan.names import parse_name
from dnsplan.plan import Digest, Generation, PlanId, Retirement
from dnsplan.records import AliasTarget, OtherPolicy, RecordSet, Weighted
from dnsplan.violation import Violation
from planner.cycle import ZoneReport
from planner.rules.candidate import build
from planner.rules.health import Sight
from planner.rules.notes import Fate, Why
from planner.rules.outcomes import (
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
from planner.rules.pools import Policy, PoolUnit
from planner.rules.standing import NOTHING, Standing
from planner.show.facts import plan_facts
from planner.show.plain import plan_lines
from planner.show.tables import ROWS_MAX, plan_table
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

PENDING = Pending(Generation(8))
HELD = Held(HoldRule.AHEAD, "the table lost history", "dns-runbook reconcile shop")
REFUSED = Refused((Violation(FLOOR, "shop", "www.example.com.", "1 of 3 targets answer", "2"),))
PUBLISHED = Published(PlanId("shop", Generation(8), Digest("ab" * 32)))

END_OLD = "dns-runbook retire shop old.example.com. --type A"


def report(
    *driven: PoolUnit,
    before: Standing = NOTHING,
    view: Sight,
    outcome: PlanOutcome = PENDING,
    records: tuple[RecordSet, ...] = (),
) -> ZoneReport:
    """A report as the cycle makes it."""
    zone = wish(*driven, records=records)
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


def test_what_is_set_beside_the_answer_is_shown() -> None:
    """A health check, target health, another zone's id, a policy only Route 53 knows: no change
    that would be published shows nothing."""
    name = parse_name("set.example.com")

    def alias(zone_id: str, *, evaluates: bool) -> RecordSet:
        return RecordSet(name, "A", None, (), alias=AliasTarget(zone_id, name, evaluates))

    checked = structs.replace(a("chk.example.com.", "192.0.2.1"), health_check_id="one")
    near = structs.replace(
        a("geo.example.com.", "192.0.2.1"), set_id="eu", routing=OtherPolicy('{"Bias":1}')
    )
    records = (
        structs.replace(checked, health_check_id="two"),
        structs.replace(near, routing=OtherPolicy('{"Bias":2}')),
        alias("Z2", evaluates=True),
    )
    before = standing(checked, near, alias("Z1", evaluates=False))
    assert lines(report(before=before, view=sight(), records=records)) == [
        "~ chk.example.com. A health check one -> health check two: stated in the config",
        '~ geo.example.com. A eu, {"Bias":1} -> eu, {"Bias":2}: stated in the config',
        "~ set.example.com. A alias in zone Z1 -> Z2: stated in the config",
        "~ set.example.com. A no target health -> target health: stated in the config",
    ]


def test_every_other_fate_is_shown() -> None:
    """Unlisted, retired, panic and a first look each say what they are."""
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
    )
    assert lines(made) == [
        "- ended.example.com. A 192.0.2.2: ends: an operator retired it",
        "= new.example.com. A: waits for its first probe round",
        f"= old.example.com. A: {Fate.UNLISTED.value}: {END_OLD}",
        "! www.example.com. A panic: health is ignored: too few look healthy",
        f"= www.example.com. A 192.0.2.98 (a): {Why.PANIC.value}: refused, 3 in a row",
    ]


def test_a_target_whose_sickness_is_doubted_says_why_it_stays() -> None:
    """It looks dead and answers on: whoever reads the plan must see the reason."""
    view = replace(sight(a=sick(), b=healthy()), doubtful=frozenset({("web", "a")}))
    made = report(pool("a", "b"), before=standing(*multivalue("a", "b")), view=view)
    assert lines(made) == [
        f"= www.example.com. A 192.0.2.98 (a): {Why.DOUBTED.value}: refused, 3 in a row"
    ]


def test_a_panic_shows_each_sick_one_once() -> None:
    """Who comes by it has a line already; who stays gets one with what the probes saw."""
    ill = sight(a=sick(), b=sick())
    words = f"{Why.PANIC.value}: refused, 3 in a row"
    panic = "! www.example.com. A panic: health is ignored: too few look healthy"
    first = report(pool("a", "b"), view=ill)
    assert [line for line in lines(first) if not line.startswith("~")] == [
        f"+ www.example.com. A 192.0.2.98 (a): {words}",
        f"+ www.example.com. A 192.0.2.99 (b): {words}",
        panic,
    ]
    later = report(pool("a", "b"), before=standing(*multivalue("a", "b")), view=ill)
    assert lines(later) == [
        panic,
        f"= www.example.com. A 192.0.2.98 (a): {words}",
        f"= www.example.com. A 192.0.2.99 (b): {words}",
    ]


def test_each_guardrail_has_a_verdict() -> None:
    """A judged plan shows all six, refused or not; one that was not judged claims nothing."""
    view = sight(a=seen(True))
    judged = report(pool("a"), view=view, outcome=REFUSED)
    shown = [line for line in plan_lines(judged) if line.startswith("shop guardrail")]
    assert shown == [
        "shop guardrail never_empty: ok",
        "shop guardrail hands_off: ok",
        "shop guardrail floor: floor: www.example.com. in shop: 1 of 3 targets answer; limit: 2",
        "shop guardrail velocity: ok",
        "shop guardrail names_changed: ok",
        "shop guardrail ttl: ok",
    ]
    unjudged = report(pool("a"), view=view, outcome=Unchanged(Generation(7)))
    assert not [line for line in plan_lines(unjudged) if "guardrail" in line]


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


def printed(table: object) -> str:
    """What a wide terminal shows."""
    console = Console(file=io.StringIO(), width=400, force_terminal=True, color_system=None)
    console.print(table)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_stated_members_are_told_apart_by_identifier_and_policy() -> None:
    """Two members with one answer, one that is new, and one whose weight alone is another."""
    before = standing(
        RecordSet(NAME, "A", 60, ("192.0.2.1",), "a", Weighted(9)),
    )
    records = (
        RecordSet(NAME, "A", 60, ("192.0.2.1",), "a", Weighted(1)),
        RecordSet(NAME, "A", 60, ("192.0.2.1",), "b", Weighted(2)),
        RecordSet(NAME, "A", 60, ("192.0.2.2",), "c", Weighted(3)),
    )
    assert lines(report(before=before, view=sight(), records=records)) == [
        "+ www.example.com. A 192.0.2.2 [c, weight 3]: stated in the config",
        "~ www.example.com. A b, weight 2 is new: stated in the config",
        "~ www.example.com. A weight of a 9 -> 1: stated in the config",
    ]
