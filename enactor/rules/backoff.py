"""How long a zone is left alone after a cycle that got nowhere, so that a held zone costs little.

A lost race is tried again at once, since the zone moved; an unanswered write or a failed read waits
longer each time; a hold is looked at again each minute at the latest, but for a Route 53 that takes
nothing: asking it costs batches, and only the account's owner can change its mind.
"""

from typing import assert_never

from enactor.rules.outcomes import (
    Applied,
    Fenced,
    Held,
    HoldRule,
    InSync,
    Outcome,
    Unknown,
    Waiting,
)

WAIT_MAX_S = 60.0
REFUSED_WAIT_MAX_S = 600.0


def wait_s(outcome: Outcome, *, in_a_row: int, interval_s: float) -> float:
    """Seconds before the next cycle of this zone; `in_a_row` counts outcomes like this one."""
    match outcome:
        case InSync() | Applied() | Waiting():
            return 0.0
        case Fenced() if in_a_row <= 3:
            return 0.0
        case Held(HoldRule.REFUSED):
            return min(REFUSED_WAIT_MAX_S, interval_s * 2.0 ** min(in_a_row, 10))
        case Fenced() | Unknown() | Held():
            return min(WAIT_MAX_S, interval_s * 2.0 ** min(in_a_row, 10))
        case _:
            assert_never(outcome)
