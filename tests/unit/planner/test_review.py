"""What Route 53 would refuse is held back name by name, and never holds back the rest."""

import pytest

from dnsplan.names import parse_name
from dnsplan.plan import NO_GENERATION, Retirement
from dnsplan.records import AliasTarget, RecordSet, Weighted
from planner.rules.candidate import Candidate, ZoneWish, build
from planner.rules.notes import Fate
from planner.rules.review import Findings, reviewed
from planner.rules.standing import NOTHING, Standing
from tests.unit.planner.cases import (
    NOW_S,
    ZONE,
    a,
    cname,
    healthy,
    multivalue,
    pool,
    sight,
    standing,
    wish,
)

BAD = RecordSet(parse_name("bad.example.com."), "A", 60, ("not-an-address",))
NS = RecordSet(parse_name("sub.example.com."), "NS", 60, ("ns.example.net.",))
FINE = a("fine.example.com.", "192.0.2.7")


def review(zone: ZoneWish, before: Standing = NOTHING) -> Candidate:
    """A reviewed candidate with all targets healthy."""
    view = sight(a=healthy(), b=healthy())
    built = build(zone, before, view, now_s=NOW_S, applied=NO_GENERATION)
    return reviewed(built, before, ZONE, Findings())


def test_a_new_bad_name_is_left_out() -> None:
    """A malformed new name is reported with its problem, and the others are published."""
    candidate = review(wish(records=(BAD, FINE)))
    assert candidate.content() == (FINE,)
    (note,) = candidate.notes
    assert (Fate.MALFORMED, (BAD.name, "A")) == (note.fate, note.unit)
    assert "not-an-address" in note.detail


def test_a_bad_name_stays_as_in_the_newest_plan() -> None:
    """A name that turned bad keeps all its record sets, and its ledger, of the newest plan."""
    good = a("bad.example.com.", "192.0.2.8")
    before = standing(good, FINE)
    candidate = review(wish(records=(BAD, FINE)), before)
    assert candidate.is_same_as(before)


def test_a_bad_record_holds_back_its_whole_name() -> None:
    """A name is never half new."""
    bad = RecordSet(parse_name("www.example.com."), "TXT", 60, ("no quotes",))
    before = standing(*multivalue("a"))
    candidate = review(wish(pool("a", "b"), records=(bad,)), before)
    assert candidate.is_same_as(before)


def test_a_cname_beside_others_is_held_back() -> None:
    """What is wrong between record sets counts as well."""
    both = (cname("x.example.com.", "y.example.net."), a("x.example.com.", "192.0.2.1"))
    assert review(wish(records=(*both, FINE))).content() == (FINE,)


def test_a_weight_out_of_range_is_held_back() -> None:
    """A weight that Route 53 would refuse never reaches a plan."""
    name = parse_name("w.example.com.")
    bad = RecordSet(name, "A", 60, ("192.0.2.1",), "one", Weighted(256))
    assert review(wish(records=(bad, FINE))).content() == (FINE,)


def test_what_stands_already_is_not_judged_again() -> None:
    """An old record that today's rules would refuse blocks nobody."""
    before = standing(BAD, FINE)
    candidate = review(wish(records=(BAD, FINE)), before)
    assert candidate.is_same_as(before)
    assert candidate.notes == ()


def test_findings_are_kept_for_the_last_candidate_only() -> None:
    """Memory is bounded by one candidate, and a second look gives the same answer."""
    findings = Findings()
    view = sight()
    first = build(wish(records=(BAD,)), NOTHING, view, now_s=NOW_S, applied=NO_GENERATION)
    assert reviewed(first, NOTHING, ZONE, findings) == reviewed(first, NOTHING, ZONE, findings)
    second = build(wish(records=(FINE,)), NOTHING, view, now_s=NOW_S, applied=NO_GENERATION)
    reviewed(second, NOTHING, ZONE, findings)
    assert findings.known == {FINE: ()}


def test_a_name_that_would_lead_to_a_retired_one_is_held_back() -> None:
    """It would answer nothing; the rest of the zone goes on, and the note says what to change."""
    gone = parse_name("gone.example.com.")
    before = standing(FINE, retired=(Retirement(gone, "A", 1, "ops"),))
    records = (cname("x.example.com.", "gone.example.com."), FINE, a("y.example.com.", "192.0.2.8"))
    candidate = review(wish(records=records), before)
    assert candidate.content() == records[1:]
    notes = [note for note in candidate.notes if note.fate is Fate.MALFORMED]
    assert [note.unit for note in notes] == [(records[0].name, "CNAME")]
    assert "gone.example.com." in notes[0].detail
    stated = (*records, a("gone.example.com.", "192.0.2.9"))
    assert set(review(wish(records=stated), before).content()) == set(stated)


def test_a_loop_keeps_what_its_names_had() -> None:
    """Names that would lead back to themselves stay as they are; a new one is left out."""
    one, other = a("v.example.com.", "192.0.2.1"), a("w.example.com.", "192.0.2.2")
    before = standing(one, other)
    round_trip = (cname("v.example.com.", "w.example.com."), cname("w.example.com.", one.name))
    new = cname("x.example.com.", "x.example.com.")
    candidate = review(wish(records=(*round_trip, new, FINE)), before)
    assert candidate.content() == (FINE, one, other)
    notes = {note.unit[0]: note.detail for note in candidate.notes if note.fate is Fate.MALFORMED}
    assert {name: "lead back to itself" in text for name, text in notes.items()} == dict.fromkeys(
        (one.name, other.name, new.name), True
    )


def many(name: str, block: int) -> tuple[RecordSet, ...]:
    """Two weighted sets of 300 addresses each."""
    return tuple(
        RecordSet(
            parse_name(name),
            "A",
            60,
            tuple(
                sorted(
                    f"10.{block}.{part}.{n}" if n < 256 else f"10.{block}.{part + 2}.{n - 256}"
                    for n in range(300)
                )
            ),
            f"s{part}",
            Weighted(1),
        )
        for part in range(2)
    )


def test_a_change_too_big_for_one_batch_is_said_with_both_numbers() -> None:
    """What goes counts like what comes: 600 values for 600 others can never land at once, and half
    of them can."""
    old, new = many("big.example.com.", 1), many("big.example.com.", 2)
    before = standing(*old)
    candidate = review(wish(records=(*new, FINE)), before)
    assert candidate.content() == (*old, FINE)
    (note,) = [note for note in candidate.notes if note.fate is Fate.MALFORMED]
    assert note.detail == (
        "600 values would give way to 600 others, 1200 in one change; at most 998 fit in a change"
        " batch: change a part of it first, and the rest when that is applied"
    )
    half = (new[0], old[1])
    assert review(wish(records=half), before).content() == half


def test_a_change_of_too_many_characters_is_said() -> None:
    """The same for characters: 18,000 of them give way to 18,000 others."""

    def texts(mark: str) -> RecordSet:
        values = tuple(f'"{mark}{n:03d}{"x" * 240}"' for n in range(74))
        return RecordSet(parse_name("t.example.com."), "TXT", 60, values)

    before = standing(texts("a"))
    candidate = review(wish(records=(texts("b"),)), before)
    assert candidate.is_same_as(before)
    (note,) = candidate.notes
    assert "18204 characters of values would give way to 18204 others, 36408 in" in note.detail


@pytest.mark.parametrize(
    ("to", "others", "said"),
    [
        ("gone.example.com.", (), "gone.example.com."),
        ("gone.example.com.", (a("gone.example.com.", "192.0.2.3"),), None),
        ("a.gone.example.com.", (a("\\052.gone.example.com.", "192.0.2.3"),), None),
        ("a.gone.example.com.", (a("\\052.example.com.", "192.0.2.3"),), None),
        ("a.sub.example.com.", (NS,), None),
        ("gone.example.net.", (), None),
    ],
    ids=["missing", "stated", "wildcard", "higher wildcard", "delegation", "elsewhere"],
)
def test_a_target_that_the_plan_does_not_state_is_said(
    to: str, others: tuple[RecordSet, ...], said: str | None
) -> None:
    """It may stand in the zone unmanaged, so the name is planned all the same, with a note."""
    leading = cname("v.example.com.", to)
    candidate = review(wish(records=(leading, *others)), standing(a("v.example.com.", "192.0.2.1")))
    assert leading in candidate.content()
    notes = [one.detail for one in candidate.notes if one.fate is Fate.UNSTATED_TARGET]
    assert notes == ([said] if said else [])


def test_an_alias_whose_target_has_another_type_is_said() -> None:
    """An alias answers by its own type alone."""
    to = AliasTarget("Z1", FINE.name, evaluate_target_health=False)
    six = RecordSet(parse_name("v.example.com."), "AAAA", None, (), alias=to)
    candidate = review(wish(records=(six, FINE)))
    assert [one.detail for one in candidate.notes] == ["fine.example.com. AAAA"]
