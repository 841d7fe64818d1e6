"""What a drill is judged by: when all was back, and what was broken on the way."""

from collections.abc import Sequence

import pytest

from runbooks.drilling.judging import Breach, Look, Made, Verdict, judge, restored_at
from runbooks.drilling.report import Drilled, conclusion, report

NAME, OTHER = "mail.example.test.", "example.test."
MADE = Made(from_s=10, until_s=12)
HERE, GONE = frozenset({"192.0.2.25"}), frozenset[str]()


def look(
    at_s: float,
    *,
    fence: tuple[int, int] | None = (5, 1),
    mail: frozenset[str] = HERE,
    good: bool = True,
) -> Look:
    """One look."""
    return Look(at_s, fence, {NAME: mail, OTHER: HERE}, good)


BEFORE = look(9)
BAD = look(13, good=False)
BACK = tuple(look(20 + n) for n in range(3))


def promises(looks: Sequence[Look], made: Made = MADE, pages: Sequence[float] = ()) -> list[str]:
    """The promises that were broken."""
    return [one.promise for one in judge(looks, made, pages).breaches]


def test_the_time_runs_from_the_first_sign_to_the_first_of_enough_good_looks() -> None:
    """What was good before the failure does not count."""
    assert judge([BEFORE, BAD, *BACK], MADE, []) == Verdict(3, 7, ())


@pytest.mark.parametrize(
    ("looks", "at_s"),
    [
        ([BEFORE, BAD, *BACK], 20),
        ([BEFORE, BAD, *BACK[:2]], None),
        ([BEFORE, BAD, *BACK[:2], look(23, good=False), *(look(n) for n in (24, 25, 26))], 24),
        ([BEFORE, *(look(n) for n in (10.5, 11, 11.5))], None),
        ([], None),
    ],
)
def test_one_good_look_may_be_luck(looks: list[Look], at_s: float | None) -> None:
    """Three in a row, behind the making of the failure, are none."""
    assert restored_at(looks, MADE) == at_s


def test_a_failure_that_nobody_could_see_is_no_drill() -> None:
    """It is not passed."""
    verdict = judge([BEFORE, *BACK], MADE, [])
    assert (verdict.seen_s, verdict.is_passed) == (None, False)


@pytest.mark.parametrize(
    ("looks", "broken"),
    [
        ([BEFORE, look(13, fence=(5, 2)), look(14, fence=(6, 1))], []),
        ([BEFORE, look(13, fence=(6, 1)), look(14, fence=(5, 9))], ["P1"]),
        ([look(9, fence=(6, 1)), look(11, fence=(5, 1)), look(14, fence=(6, 1))], []),
        ([look(13), look(14, fence=None), look(15, fence=(4, 1))], ["P1"]),
    ],
)
def test_the_fence_goes_back_by_the_failure_alone(looks: list[Look], broken: list[str]) -> None:
    """P1: also where it could not be read in between."""
    assert promises(looks) == broken


def test_a_name_is_emptied_by_the_failure_alone() -> None:
    """P2: what never answered is no loss, and a name that the failure emptied is its own."""
    empty = look(13, mail=GONE)
    assert promises([BEFORE, empty]) == ["P2"]
    assert promises([BEFORE, empty], Made(10, 12, emptied=[NAME])) == []
    assert promises([empty, empty]) == []


def test_an_empty_name_pages_within_its_time() -> None:
    """P12: also a name that the failure emptied; a page for the time before is none."""
    made = Made(10, 12, emptied=[NAME])
    empty = [BEFORE, *(look(float(n), mail=GONE, good=False) for n in range(12, 45))]
    assert promises(empty, made, [30]) == []
    assert promises(empty, made) == ["P12"]
    assert promises(empty, made, [9]) == ["P12"]
    assert promises([*empty[:20], look(32.5), *empty[22:]], made) == []


@pytest.mark.parametrize(
    ("verdict", "text", "passed"),
    [
        (Verdict(2, 31, ()), "restored 31 s after the first sign; promises broken: none", True),
        (Verdict(2, None, ()), "failed: not restored; promises broken: none", False),
        (Verdict(None, None, ()), "failed: the failure was never seen", False),
        (
            Verdict(2, 31, (Breach("P2", "mail answered nothing"),)),
            "restored 31 s after the first sign; promises broken: P2",
            False,
        ),
    ],
)
def test_the_conclusion(verdict: Verdict, text: str, passed: bool) -> None:
    """In one line, and by exit code."""
    assert (conclusion(verdict), verdict.is_passed) == (text, passed)


def test_the_report_is_markdown() -> None:
    """What, when, who; what happened; which promises held."""
    verdict = Verdict(2, 31, (Breach("P2", "mail answered nothing"),))
    moments = [(2.0, "the first sign"), (5.4, "typed: `a | b`")]
    text = report(Drilled("frozen", "freeze-the-world", "2026-11-30", "ann", moments, verdict))
    assert text.splitlines() == [
        "# Drill: frozen",
        "",
        "2026-11-30, by ann. Page: `runbooks/freeze-the-world.md`.",
        "",
        "**restored 31 s after the first sign; promises broken: P2**",
        "",
        "| after | what |",
        "|---|---|",
        "| 2 s | the first sign |",
        "| 5 s | typed: `a / b` |",
        "",
        "| promise | says | held |",
        "|---|---|---|",
        "| P1 | the fence never goes back | yes |",
        "| P2 | no name loses its last answer through us | no: mail answered nothing |",
        "| P12 | a name that answers nothing pages within 30 s | yes |",
    ]
