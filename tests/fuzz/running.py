"""Runs cases: what crashes, hangs or eats memory is kept with the number that repeats it."""

import random
import resource
import signal
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import FrameType

from tests.fuzz.mutating import hostile
from tests.fuzz.targets import Target

CASE_WITHIN_S = 5.0
ALIKE_MAX = 2
LATE = 1.5


class HangError(BaseException):
    """A case took too long; no handler of the product's may catch it."""


@dataclass(frozen=True, slots=True)
class Broken:
    """One case that was not answered as it should be."""

    target: str
    case: int
    why: str
    data: bytes

    def __str__(self) -> str:
        """What to repeat it by."""
        return f"{self.target}, case {self.case}: {self.why}; input {self.data[:200]!r}"


@dataclass(slots=True)
class Outcome:
    """What a run found."""

    taken: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    broken: list[Broken] = field(default_factory=list)
    alike: Counter[tuple[str, str]] = field(default_factory=Counter)
    grown_mb: float = 0.0
    slowest_s: float = 0.0
    slowest: str = ""


def run(
    targets: Sequence[Target], cases: int, first: int, progress: Callable[[int], None]
) -> Outcome:
    """Play cases `first` to `first + cases - 1`."""
    outcome = Outcome()
    before_mb = _peak_mb()
    weights = [one.weight for one in targets]
    with _alarms():
        for case in range(first, first + cases):
            chance = random.Random(case)
            [target] = chance.choices(targets, weights)
            _play(target, case, hostile(chance, target.seeds), outcome)
            if case % 10_000 == 0:
                progress(case)
    outcome.grown_mb = _peak_mb() - before_mb
    return outcome


def _play(target: Target, case: int, data: bytes, outcome: Outcome) -> None:
    started_s = time.perf_counter()
    signal.setitimer(signal.ITIMER_REAL, CASE_WITHIN_S)
    try:
        target.run(data)
        outcome.taken[target.name] += 1
    except target.answers as answer:
        outcome.refused[target.name] += 1
        if not str(answer).isprintable() and target.answers != (ValueError,):
            _check_lines(target, case, data, str(answer), outcome)
    except HangError:
        why = f"no end after {CASE_WITHIN_S:g} s"
        _keep(outcome, Broken(target.name, case, why, data))
    except Exception as crash:  # noqa: BLE001 - whatever it is, it is what is looked for
        why = f"{type(crash).__name__}: {crash}"
        _keep(outcome, Broken(target.name, case, why[:300], data))
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
    taken_s = time.perf_counter() - started_s
    if taken_s > CASE_WITHIN_S * LATE:  # a library may have swallowed the alarm
        _keep(outcome, Broken(target.name, case, f"no end before {taken_s:.0f} s", data))
    if taken_s > outcome.slowest_s:
        outcome.slowest_s, outcome.slowest = taken_s, f"{target.name}, case {case}"


def _check_lines(target: Target, case: int, data: bytes, text: str, outcome: Outcome) -> None:
    """An error for a terminal moves no cursor: of control characters it holds line ends only."""
    if any(ord(one) < 0x20 and one != "\n" for one in text) or "\x7f" in text:
        _keep(outcome, Broken(target.name, case, f"control characters: {text!r}", data))


def _keep(outcome: Outcome, broken: Broken) -> None:
    """A few of each kind: the same crash a thousand times is one finding."""
    kind = (broken.target, broken.why.partition(":")[0])
    outcome.alike[kind] += 1
    if outcome.alike[kind] <= ALIKE_MAX:
        outcome.broken.append(broken)


def _peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1_024


@contextmanager
def _alarms() -> Iterator[None]:
    def ring(_: int, __: FrameType | None) -> None:
        raise HangError

    former = signal.signal(signal.SIGALRM, ring)
    try:
        yield
    finally:
        signal.signal(signal.SIGALRM, former)
