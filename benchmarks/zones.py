"""The zones that both sides are given: names, values, and how each case changes them.

Pure. The cases follow one another on one zone, so a state contains all changes before it. Values
are spread like real ones, since neighbouring addresses would compress better than any real zone.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from typing import assert_never

ELEMENTS_MAX = 1_000
FENCE_ELEMENTS = 2
VALUES = 2
PERCENT = 100

_SPREAD = 2_654_435_761  # Knuth's multiplier: neighbours land far apart
_24_BITS = 0xFF_FFFF


class Case(Enum):
    """What happens to the zone."""

    FIRST = "first apply"
    NONE = "no change"
    ONE = "1 record"
    PERCENT = "1 %"
    SWITCH = "type switch of all"


@dataclass(frozen=True, slots=True)
class Stated:
    """One record set, its name relative to the zone."""

    label: str
    type: str
    values: tuple[str, ...]


def content(size: int, case: Case) -> Iterator[Stated]:
    """The whole zone after a case, sorted by name."""
    return (_stated(number, size, case) for number in range(size))


def changed(size: int, case: Case) -> int:
    """How many record sets a case changes."""
    match case:
        case Case.FIRST | Case.SWITCH:
            return size
        case Case.NONE:
            return 0
        case Case.ONE:
            return 1
        case Case.PERCENT:
            return -(-size // PERCENT)
        case _:
            assert_never(case)


def batches_min(size: int, case: Case, *, fenced: bool) -> int:
    """The fewest change batches that can carry a case: elements bind here, characters do not.

    A changed set costs what goes and what comes, by DELETE and CREATE as by UPSERT.
    """
    each = {Case.FIRST: VALUES, Case.SWITCH: VALUES + 1}.get(case, 2 * VALUES)
    room = ELEMENTS_MAX - (FENCE_ELEMENTS if fenced else 0)
    names_a_batch = room // each
    return -(-changed(size, case) // names_a_batch)


def as_octodns_yaml(stated: Iterator[Stated]) -> Iterator[str]:
    """Lines of an octoDNS zone file, which both sides read."""
    yield "---"
    for one in stated:
        yield f"{one.label}:\n  ttl: 300\n  type: {one.type}"
        if one.type == "CNAME":
            yield f"  value: {one.values[0]}"
        else:
            yield "\n".join(["  values:", *(f"  - {value}" for value in one.values)])


def _stated(number: int, size: int, case: Case) -> Stated:
    label = f"h{number:06d}"
    if case is Case.SWITCH:
        return Stated(label, "CNAME", (f"t{number:06d}.example.net.",))
    return Stated(label, "A", _addresses(number, _edition(number, size, case)))


def _edition(number: int, size: int, case: Case) -> int:
    """0 at first; the middle record is changed by one case, each hundredth by the next."""
    if case is Case.PERCENT and number % PERCENT == 0:
        return 2
    return int(case in (Case.ONE, Case.PERCENT) and number == size // 2)


def _addresses(number: int, edition: int) -> tuple[str, ...]:
    bits = (number * _SPREAD) & _24_BITS
    rest = f"{bits >> 16}.{bits >> 8 & 255}.{bits & 255}"
    return (f"10.{rest}", f"{11 + edition}.{rest}")
