"""Whether a drill's zone came back, how soon, and which promises held. Pure, from looks at DNS.

A look is what any client can see: the fence and the names' answers. What the failure itself did to
them is not held against the system; what the system did before, meanwhile and after is.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

Place = tuple[int, int]  # generation, step
PAGED_WITHIN_S = 30.0
# One good look may be luck while something is half done.
GOOD_LOOKS = 3


@dataclass(frozen=True, slots=True)
class Look:
    """What stood at one moment. `fence` None: there is none that can be read."""

    at_s: float
    fence: Place | None
    answers: Mapping[str, frozenset[str]]
    is_good: bool

    @property
    def place(self) -> Place:
        """Where the fence is; before everything where there is none."""
        return self.fence or (0, 0)


@dataclass(frozen=True, slots=True)
class Made:
    """The failure: from when to when it was made, and the names that it emptied itself."""

    from_s: float
    until_s: float
    emptied: Collection[str] = ()


@dataclass(frozen=True, slots=True)
class Breach:
    """A broken promise: its number in docs/promises.md, and what was seen."""

    promise: str
    text: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """What came of it. `restored_s`: from the first sign to the last; None: it never was."""

    seen_s: float | None
    restored_s: float | None
    breaches: tuple[Breach, ...]

    @property
    def is_passed(self) -> bool:
        """Everything is back, and nothing was broken on the way."""
        return self.restored_s is not None and not self.breaches


def judge(looks: Sequence[Look], made: Made, pages: Sequence[float]) -> Verdict:
    """`pages` are the moments at which somebody was paged."""
    found = (_went_back(looks, made), _emptied(looks, made), _unpaged(looks, pages))
    seen_s = next((one.at_s for one in looks if one.at_s >= made.from_s and not one.is_good), None)
    back_s = restored_at(looks, made)
    return Verdict(
        seen_s=None if seen_s is None else seen_s - made.from_s,
        restored_s=None if seen_s is None or back_s is None else max(0.0, back_s - seen_s),
        breaches=tuple(breach for some in found for breach in some),
    )


def restored_at(looks: Sequence[Look], made: Made) -> float | None:
    """Since when all looks are good, if there are enough of them; None while it is not restored."""
    since: list[Look] = []
    for look in looks:
        if look.at_s <= made.until_s or not look.is_good:
            since = []
        else:
            since.append(look)
    return since[0].at_s if len(since) >= GOOD_LOOKS else None


def _went_back(looks: Sequence[Look], made: Made) -> Iterator[Breach]:
    """P1: the fence never goes back, but by the failure's own hand."""
    known = [one for one in looks if one.fence is not None]
    for before, after in pairwise(known):
        by_failure = before.at_s <= made.until_s and after.at_s >= made.from_s
        if not by_failure and after.place < before.place:
            yield Breach("P1", f"the fence went from {before.place} to {after.place}")
            return


def _emptied(looks: Sequence[Look], made: Made) -> Iterator[Breach]:
    """P2: no name that has answered answers nothing, but for those that the failure emptied."""
    answered: set[str] = set()
    for look in looks:
        for name, values in look.answers.items():
            if values:
                answered.add(name)
            elif name in answered and name not in made.emptied:
                yield Breach("P2", f"{name} answered nothing")
                return


def _unpaged(looks: Sequence[Look], pages: Sequence[float]) -> Iterator[Breach]:
    """P12: a name that answers nothing for so long has paged by then."""
    empty_since: dict[str, float] = {}
    for look in looks:
        for name, values in look.answers.items():
            if values:
                empty_since.pop(name, None)
                continue
            since = empty_since.setdefault(name, look.at_s)
            late = look.at_s - since > PAGED_WITHIN_S
            if late and not any(since <= one <= since + PAGED_WITHIN_S for one in pages):
                yield Breach("P12", f"{name} answered nothing for 30 s, and nobody was paged")
                return
