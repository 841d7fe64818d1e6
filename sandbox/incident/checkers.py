"""Small checkers that judge a play from outside: from looks at the zone, DNS and the stored plans.

Pure. They know neither system; a look says which plan the zone shows, what the name answers, and
whether that plan still has a body. Each finds the first breach of one promise, or none.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

Position = tuple[int, int]  # generation or plan number, then step


@dataclass(frozen=True, slots=True)
class Look:
    """What was seen at one moment.

    `kept`: whether the plan that the zone shows is stored. None when the zone moved while that was
    asked, or shows no plan: then nothing follows.
    """

    at: str
    position: Position | None
    rcode: str
    answers: tuple[str, ...]
    kept: bool | None


@dataclass(frozen=True, slots=True)
class Wish:
    """The newest plan once all faults have ended."""

    number: int
    answers: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Breach:
    """A broken promise: its number in docs/promises.md, when, and what was seen."""

    promise: str
    at: str
    text: str


def breaches(looks: Sequence[Look], wish: Wish) -> tuple[Breach, ...]:
    """The first breach of each promise, by promise."""
    found = (went_back(looks), was_empty(looks), lost_the_live_plan(looks), stuck(looks, wish))
    return tuple(breach for breach in found if breach is not None)


def went_back(looks: Sequence[Look]) -> Breach | None:
    """P1: the position that the zone shows never goes back, nor away."""
    seen = [(look.at, look.position) for look in _begun(looks)]
    for (_, before), (at, after) in pairwise(seen):
        if after is None or (before is not None and after < before):
            return Breach("P1", at, f"the zone went from plan {_plan(before)} to {_plan(after)}")
    return None


def was_empty(looks: Sequence[Look]) -> Breach | None:
    """P2: once it has answered, the name answers."""
    answered = False
    for look in looks:
        answered = answered or bool(look.answers)
        if answered and not look.answers:
            return Breach("P2", look.at, f"the name answers {look.rcode} with no records")
    return None


def lost_the_live_plan(looks: Sequence[Look]) -> Breach | None:
    """P5: the plan that the zone shows is stored."""
    for look in _begun(looks):
        if look.kept is False:
            return Breach("P5", look.at, f"plan {_plan(look.position)} is live and was deleted")
    return None


def stuck(looks: Sequence[Look], wish: Wish) -> Breach | None:
    """P10: at the end the zone shows the newest plan and answers as it states."""
    if not looks:
        return Breach("P10", "", "nothing was ever seen")
    last = looks[-1]
    shown = None if last.position is None else last.position[0]
    if shown == wish.number and last.answers == wish.answers:
        return None
    text = f"the newest plan is {wish.number}, the zone shows {_plan(last.position)}"
    return Breach("P10", last.at, f"{text} and answers {_words(last.answers)}")


def _begun(looks: Sequence[Look]) -> Iterator[Look]:
    begun = False
    for look in looks:
        begun = begun or look.position is not None
        if begun:
            yield look


def _plan(position: Position | None) -> str:
    return "none" if position is None else str(position[0])


def _words(answers: tuple[str, ...]) -> str:
    return ", ".join(answers) or "nothing"
