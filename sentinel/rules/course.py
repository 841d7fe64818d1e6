"""The course of one name: well, suspected after one bad look, ill once rounds have confirmed it.

One lost packet makes a suspicion and never an illness. An illness is left, or changes into another,
only by rounds over every path as well, so that neither a page nor its end rests on one reply. A
round in which nobody says anything at all is about the way to the servers, and judges no name.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias, assert_never

from sentinel.rules.findings import Finding, Seen
from sentinel.rules.judging import WELL, Ailments, is_whole
from sentinel.rules.pace import ROUNDS_TO_CONFIRM, Pace

# A name that is only being made is there after these, and nobody need be asked about it.
NEWCOMER_ROUNDS = 2


@dataclass(frozen=True, slots=True)
class Well:
    """Answers, so far as is known. `before`: it has been seen to answer at some time."""

    before: bool


@dataclass(frozen=True, slots=True)
class Suspected:
    """Something was bad. `empty_rounds`: how many in a row have found no answer anywhere."""

    before: bool
    since_s: float
    rounds: int = 0
    empty_rounds: int = 0


@dataclass(frozen=True, slots=True)
class Ill:
    """Confirmed. `other` is what rounds show instead, `rounds` of them so far; None is no doubt."""

    before: bool
    ailments: Ailments
    other: Ailments | None = None
    rounds: int = 0


Course: TypeAlias = Well | Suspected | Ill


def wants_round(course: Course) -> bool:
    """Whether the next question goes over every path, rather than over one."""
    match course:
        case Well():
            return False
        case Suspected():
            return True
        case Ill(_, _, other):
            return other is not None
        case _:
            assert_never(course)


def after_look(course: Course, seen: Mapping[str, Seen], *, enforced: bool, now_s: float) -> Course:
    """One look over one path, by type. What a look shows is never believed by itself.

    A name that was never there is missing only where the system writes (`enforced`).
    """
    bad = {kind: one.finding for kind, one in seen.items() if one.finding is not Finding.ANSWERED}
    match course:
        case Well(before):
            if not bad:
                return Well(before=True)
            return Suspected(before, now_s) if before or enforced else course
        case Suspected():
            return course
        case Ill(_, ailments):
            held = {one.type: one.finding for one in ailments}
            return course if bad == held else replace(course, other=ailments)
        case _:
            assert_never(course)


def after_round(course: Course, found: Ailments | None, *, pace: Pace, now_s: float) -> Course:
    """One round over every path; None when nobody said anything, which says nothing of a name."""
    match course:
        case Well(before):
            return Well(before=True) if found == WELL else Suspected(before, now_s)
        case Suspected():
            if found is None:
                return replace(course, since_s=now_s, rounds=course.rounds + 1, empty_rounds=0)
            return _after_suspicion(course, found, pace, now_s)
        case Ill():
            if found is None:
                return replace(course, other=None, rounds=0)
            return _after_illness(course, found)
        case _:
            assert_never(course)


def calmed(course: Course) -> Course:
    """The same without suspicion or doubt: where nobody is heard there is nothing to confirm."""
    match course:
        case Well():
            return course
        case Suspected(before):
            return Well(before)
        case Ill():
            return replace(course, other=None, rounds=0)
        case _:
            assert_never(course)


def pause_s(course: Course, pace: Pace) -> float:
    """How long until the next look or round."""
    match course:
        case Well():
            return pace.interval_s
        case Suspected(before, _, rounds):
            if rounds == 0:
                return 0.0
            return pace.pause_s if before else pace.interval_s
        case Ill(_, _, other):
            return pace.interval_s if other is None else pace.pause_s
        case _:
            assert_never(course)


def may_page_soon(course: Course) -> bool:
    """Whether it is time for a second opinion: once a suspicion, and before a page changes."""
    match course:
        case Well():
            return False
        case Suspected(before, _, rounds):
            return rounds == (0 if before else NEWCOMER_ROUNDS)
        case Ill(_, _, other, rounds):
            return other is not None and rounds == ROUNDS_TO_CONFIRM - 1
        case _:
            assert_never(course)


def _after_suspicion(course: Suspected, found: Ailments, pace: Pace, now_s: float) -> Course:
    if not found:
        return Well(before=True)
    empty_rounds = course.empty_rounds + 1 if is_whole(found) else 0
    patience_s = pace.patience_s if course.before else pace.newcomer_patience_s
    is_confirmed = course.before and empty_rounds >= ROUNDS_TO_CONFIRM
    if is_confirmed or now_s - course.since_s >= patience_s:
        return Ill(course.before, found)
    return replace(course, rounds=course.rounds + 1, empty_rounds=empty_rounds)


def _after_illness(course: Ill, found: Ailments) -> Course:
    if not found:
        return Well(before=True)
    if found == course.ailments or _is_on_its_way(course.ailments, found):
        return replace(course, other=None, rounds=0)
    rounds = course.rounds + 1 if found == course.other else 1
    if rounds >= ROUNDS_TO_CONFIRM:
        return Ill(course.before, found)
    return replace(course, other=found, rounds=rounds)


def _is_on_its_way(held: Ailments, found: Ailments) -> bool:
    """Whether some servers answer again what none did: not well yet, and no other illness."""
    types = {one.type for one in held}
    return is_whole(held) and all(one.partly and one.type in types for one in found)
