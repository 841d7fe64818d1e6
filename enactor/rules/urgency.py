"""Which of the zones that are due is worked on next, while requests are few.

Plans first, since a zone that is behind is wrong; the zone that was served longest ago leads, so
that none starves however fast plans come. Confirmations can wait: they fill the requests that the
last changes leave free. Another AZ's zones come after one's own, in an order of each AZ's own, so
that those who help one another seldom meet. What has waited too long gets in line with the plans,
by its time.
"""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum


class Errand(IntEnum):
    """Why a zone is due, the most urgent first."""

    PLAN = 1
    CONFIRMATION = 2
    HELP = 3
    CHECK = 4


# These may be put off, and not for ever.
PATIENT = frozenset({Errand.CONFIRMATION, Errand.CHECK})


@dataclass(frozen=True, slots=True)
class Due:
    """A zone that is due. `since_s`: for its plan, when a cycle last began on it; else since when
    it is due."""

    label: str
    errand: Errand
    since_s: float


def can_wait(one: Due, *, now_s: float, patience_s: float) -> bool:
    """Whether it may be put off. `patience_s`: how long what can wait does."""
    return one.errand in PATIENT and now_s - one.since_s <= patience_s


def in_order(due: Iterable[Due], *, az: str, now_s: float, patience_s: float) -> list[Due]:
    """The most urgent first; what has waited too long among the plans."""

    def place(one: Due) -> tuple[int, float, bytes]:
        if one.errand is Errand.HELP:
            return one.errand, 0.0, hashlib.sha256(f"{az}|{one.label}".encode()).digest()
        waits = can_wait(one, now_s=now_s, patience_s=patience_s)
        is_late = one.errand in PATIENT and not waits
        return Errand.PLAN if is_late else one.errand, one.since_s, b""

    return sorted(due, key=place)
