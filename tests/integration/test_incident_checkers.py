"""The checkers that judge a play: each can find its breach, and finds none in a clean run."""

from sandbox.incident.checkers import Breach, Look, Position, Wish, breaches

A, B = ("192.0.2.1",), ("192.0.2.2",)
WISH = Wish(2, B)


def look(
    at: str,
    position: Position | None,
    answers: tuple[str, ...],
    *,
    kept: bool | None = True,
) -> Look:
    """A look at a zone that answers without an error."""
    return Look(at, position, "NOERROR", answers, kept)


CLEAN = (look("0", None, ()), look("1", (1, 1), A), look("2", (2, 1), A), look("3", (2, 2), B))


def test_a_clean_run_breaks_nothing() -> None:
    """Before the first plan a zone may be empty; steps and plans that rise are well."""
    assert breaches(CLEAN, WISH) == ()


def test_a_position_that_goes_back_or_away_breaks_p1() -> None:
    """By plan, by step, or because the fence is gone."""
    for position, shown in (((1, 9), "1"), ((2, 1), "2"), (None, "none")):
        back = (*CLEAN, look("4", position, B), look("5", (2, 2), B))
        expected = Breach("P1", "4", f"the zone went from plan 2 to {shown}")
        assert breaches(back, WISH) == (expected,)


def test_an_empty_answer_breaks_p2_even_if_it_comes_back() -> None:
    """One look without answers is an outage."""
    hole = (*CLEAN, look("4", (2, 2), ()), look("5", (2, 2), B))
    expected = Breach("P2", "4", "the name answers NOERROR with no records")
    assert breaches(hole, WISH) == (expected,)


def test_a_live_plan_that_is_deleted_breaks_p5() -> None:
    """Only where the plan was asked for while the zone stood still."""
    lost = (*CLEAN, look("4", (2, 2), B, kept=False))
    assert breaches(lost, WISH) == (Breach("P5", "4", "plan 2 is live and was deleted"),)
    assert breaches((*CLEAN, look("4", (2, 2), B, kept=None)), WISH) == ()


def test_an_old_plan_or_other_answers_at_the_end_break_p10() -> None:
    """Recovered means the newest plan and its answers; nothing seen at all is no proof."""
    text = "the newest plan is 2, the zone shows 1 and answers 192.0.2.1"
    assert breaches(CLEAN[:2], WISH) == (Breach("P10", "1", text),)
    text = "the newest plan is 2, the zone shows 2 and answers 192.0.2.1"
    assert breaches(CLEAN[:3], WISH) == (Breach("P10", "2", text),)
    assert breaches((), WISH) == (Breach("P10", "", "nothing was ever seen"),)
