"""The course of a name: no page and no recovery rests on one reply."""

from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sentinel.rules.course import (
    Course,
    Ill,
    Suspected,
    Well,
    after_look,
    after_round,
    calmed,
    may_page_soon,
    pause_s,
    wants_round,
)
from sentinel.rules.findings import Finding, Seen
from sentinel.rules.judging import Ailment, Ailments, is_whole
from sentinel.rules.pace import ROUNDS_TO_CONFIRM, pace_for
from tests.unit.sentinel.cases import LAWS

PACE = pace_for(30.0)
GONE = (Ailment("A", Finding.NXDOMAIN),)
EMPTY = (Ailment("A", Finding.NODATA),)
PARTLY = (Ailment("A", Finding.NODATA, partly=True),)
GOOD = {"A": Seen(Finding.ANSWERED, ("192.0.2.1",), 60)}
BAD = {"A": Seen(Finding.NODATA)}
SILENT = {"A": Seen(Finding.TIMEOUT)}


def looked(course: Course, seen: dict[str, Seen], now_s: float = 0.0) -> Course:
    """One look in a zone that the system writes."""
    return after_look(course, seen, enforced=True, now_s=now_s)


def rounded(course: Course, found: Ailments | None, now_s: float = 0.0) -> Course:
    """One round."""
    return after_round(course, found, pace=PACE, now_s=now_s)


def test_one_bad_look_and_then_good_rounds_is_no_illness() -> None:
    """A lost packet makes a suspicion, and one whole round ends it."""
    suspected = looked(Well(before=True), SILENT)
    assert Suspected(before=True, since_s=0.0) == suspected
    assert Well(before=True) == rounded(suspected, ())


def test_two_empty_rounds_are_an_illness() -> None:
    """The second path confirms, twice."""
    course = looked(Well(before=True), BAD)
    first = rounded(course, EMPTY, 0.1)
    assert Suspected(before=True, since_s=0.0, rounds=1, empty_rounds=1) == first
    assert Ill(before=True, ailments=EMPTY) == rounded(first, EMPTY, 1.2)


def test_what_some_servers_answer_is_watched_before_it_pages() -> None:
    """The servers of a zone take over a change one by one: patience, and then it is an illness."""
    course: Course = Suspected(before=True, since_s=0.0)
    for at_s in range(1, 10):
        course = rounded(course, PARTLY, float(at_s))
        assert isinstance(course, Suspected)
    assert Ill(before=True, ailments=PARTLY) == rounded(course, PARTLY, PACE.patience_s)


def test_a_name_never_seen_gets_longer() -> None:
    """A name that is only being made is missing after patience, not at the first two rounds."""
    course: Course = Suspected(before=False, since_s=0.0)
    for at_s in (0.0, 5.0, 10.0, 15.0):
        course = rounded(course, GONE, at_s)
        assert isinstance(course, Suspected)
    assert Ill(before=False, ailments=GONE) == rounded(course, GONE, 20.0)


def test_where_the_system_does_not_write_a_name_never_seen_is_not_missing() -> None:
    """An observed zone may lack what the config states; what was there once must stay."""
    never, seen = Well(before=False), Well(before=True)
    assert never == after_look(never, BAD, enforced=False, now_s=1.0)
    assert Suspected(before=True, since_s=1.0) == after_look(seen, BAD, enforced=False, now_s=1.0)


def test_a_round_in_which_nobody_speaks_judges_nothing() -> None:
    """Silence of all neither confirms a suspicion nor changes an illness, and starts time anew."""
    suspected = Suspected(before=True, since_s=0.0, rounds=1, empty_rounds=1)
    assert Suspected(before=True, since_s=50.0, rounds=2) == rounded(suspected, None, 50.0)
    doubted = Ill(before=True, ailments=EMPTY, other=EMPTY)
    assert Ill(before=True, ailments=EMPTY) == rounded(doubted, None, 50.0)


def test_where_nobody_is_heard_suspicion_and_doubt_are_put_off() -> None:
    """A name is what it was before; what was confirmed stays."""
    well = Well(before=True)
    doubted = Ill(before=True, ailments=GONE, other=EMPTY, rounds=1)
    assert [calmed(one) for one in (well, Suspected(before=True, since_s=1.0, rounds=3))] == [
        well,
        well,
    ]
    assert calmed(doubted) == Ill(before=True, ailments=GONE)


def test_a_round_of_a_name_that_nobody_suspects_is_taken_as_it_is() -> None:
    """Whoever asks for one: an empty round makes a suspicion, a good one none."""
    assert rounded(Well(before=False), ()) == Well(before=True)
    assert rounded(Well(before=True), EMPTY, 7.0) == Suspected(before=True, since_s=7.0)


def test_an_ill_name_that_looks_the_same_is_left_alone() -> None:
    """Names that stay empty cost one look an interval, not a round."""
    ill = Ill(before=True, ailments=EMPTY)
    assert ill == looked(ill, BAD)
    assert not wants_round(ill)
    assert wants_round(looked(ill, GOOD))


def test_an_illness_ends_by_a_round_that_is_wholly_well() -> None:
    """One good look is not enough, nor are some servers."""
    doubted = looked(Ill(before=True, ailments=GONE), GOOD)
    still = rounded(doubted, PARTLY)
    assert Ill(before=True, ailments=GONE) == still
    assert Well(before=True) == rounded(doubted, ())


def test_another_illness_needs_two_rounds_that_agree() -> None:
    """A page is repeated only for what stays."""
    doubted = looked(Ill(before=True, ailments=GONE), BAD)
    once = rounded(doubted, EMPTY)
    assert once == Ill(before=True, ailments=GONE, other=EMPTY, rounds=1)
    assert Ill(before=True, ailments=EMPTY) == rounded(once, EMPTY)
    assert Ill(before=True, ailments=GONE) == rounded(once, GONE)


def test_the_next_question_comes_at_once_when_something_is_new() -> None:
    """No pause before the first round, one between rounds, an interval when nothing is open."""
    pauses: list[tuple[Course, float]] = [
        (Well(before=True), PACE.interval_s),
        (Suspected(before=True, since_s=0.0), 0.0),
        (Suspected(before=True, since_s=0.0, rounds=1), PACE.pause_s),
        (Suspected(before=False, since_s=0.0, rounds=1), PACE.interval_s),
        (Ill(before=True, ailments=GONE), PACE.interval_s),
        (Ill(before=True, ailments=GONE, other=GONE), PACE.pause_s),
    ]
    assert [expected for _, expected in pauses] == [pause_s(course, PACE) for course, _ in pauses]


def test_a_second_opinion_is_asked_once_for_each_page() -> None:
    """At the first round of a suspicion, and before a page changes; not at every round."""
    asked = [
        may_page_soon(course)
        for course in (
            Well(before=True),
            Suspected(before=True, since_s=0.0),
            Suspected(before=True, since_s=0.0, rounds=1),
            Suspected(before=False, since_s=0.0),
            Suspected(before=False, since_s=0.0, rounds=2),
            Ill(before=True, ailments=GONE),
            Ill(before=True, ailments=GONE, other=GONE),
            Ill(before=True, ailments=GONE, other=EMPTY, rounds=1),
        )
    ]
    assert asked == [False, True, False, False, True, False, False, True]


@dataclass(frozen=True)
class Step:
    """A look or a round at some time after the one before."""

    after_s: float
    seen: dict[str, Seen]
    found: Ailments | None


steps = st.builds(
    Step,
    st.floats(0.0, 3.0),
    st.sampled_from([GOOD, BAD, SILENT, {"A": Seen(Finding.NXDOMAIN)}]),
    st.sampled_from([(), EMPTY, GONE, PARTLY, None]),
)
starts = st.sampled_from([Well(before=True), Well(before=False), Ill(before=True, ailments=GONE)])


@LAWS
@given(starts, st.lists(steps, max_size=30))
def test_illness_begins_and_ends_only_by_what_rounds_agree_on(
    start: Course, taken: list[Step]
) -> None:
    """Over any history: into illness only by two empty rounds in a row or by patience; out of it,
    or from one into another, only by a round; and never by a round in which nobody spoke."""
    course, now_s, empty_in_a_row, suspected_s = start, 0.0, 0, 0.0
    for step in taken:
        now_s += step.after_s
        before = course
        if not wants_round(course):
            course = looked(course, step.seen, now_s)
            assert isinstance(course, Ill) == isinstance(before, Ill)
            if isinstance(before, Ill) and isinstance(course, Ill):
                assert before.ailments == course.ailments
            if isinstance(course, Suspected):
                empty_in_a_row, suspected_s = 0, now_s
            continue
        course = rounded(course, step.found, now_s)
        empty_in_a_row = empty_in_a_row + 1 if step.found and is_whole(step.found) else 0
        if step.found is None:
            assert isinstance(course, type(before))
            suspected_s = now_s
        if isinstance(course, Ill) and isinstance(before, Suspected):
            patience_s = PACE.patience_s if before.before else PACE.newcomer_patience_s
            confirmed = before.before and empty_in_a_row >= ROUNDS_TO_CONFIRM
            assert confirmed or now_s - suspected_s >= patience_s
        if isinstance(before, Ill) and not isinstance(course, Ill):
            assert step.found == ()


@pytest.mark.parametrize("bad", [BAD, SILENT])
def test_well_and_ill_are_never_decided_by_looks(bad: dict[str, Seen]) -> None:
    """However many bad looks come, only rounds decide."""
    course: Course = Well(before=True)
    for _ in range(50):
        course = looked(course, bad)
    assert Suspected(before=True, since_s=0.0) == course
