"""What can be seen from here: zones whose servers nobody hears, or nothing at all.

Silence of one zone is that zone's when another zone is heard after it, and this host's own when
nobody has been heard for as long as every name is asked once. In between it is not said whose.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from sentinel.rules.pace import Pace


@dataclass(frozen=True, slots=True)
class Sight:
    """`unseen` zones cannot be seen while others can; `unsure` ones may be either."""

    unseen: frozenset[str] = frozenset()
    unsure: frozenset[str] = frozenset()
    is_blind: bool = False

    def hides(self, label: str) -> bool:
        """Whether nothing can be said about a zone's names."""
        return self.is_blind or label in self.unseen or label in self.unsure


def sight(
    labels: Collection[str],
    silent: Mapping[str, float],
    unfound: Collection[str],
    *,
    pace: Pace,
    heard_s: float,
    now_s: float,
) -> Sight:
    """`silent`: since when rounds have heard nobody of a zone. `heard_s`: when anybody was heard.

    `unfound`: zones whose name servers nobody could find.
    """
    unasked = frozenset(unfound)
    others_s = pace.interval_s + pace.ask_s + 3 * pace.tick_s
    is_deaf = bool(silent) and now_s - heard_s > others_s
    if is_deaf or (unasked and unasked | silent.keys() == frozenset(labels)):
        return Sight(is_blind=True)
    unseen = unasked | {label for label, since_s in silent.items() if heard_s > since_s}
    return Sight(unseen, frozenset(silent.keys() - unseen))
