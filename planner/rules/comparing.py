"""What the config states beside the newest plan: found once, and kept as long as both are the same.

Neither ever changes: another config states another mapping, and another plan is another standing.
So what was found is known by these two objects themselves, and can never be stale. It says nothing
of pools, whose part is made anew in every pass.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from dnsplan.records import RecordSet, Unit
from dnsplan.values import TYPES
from planner.rules.standing import Standing

Units = Mapping[Unit, tuple[RecordSet, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """`differing` is stated otherwise than the plan has it, `unstated` is only in the plan.

    `beside` are the stated units of names that have something unstated or retired: what decides
    about those. `unknown` are stated, of a type that this release does not know.
    """

    stated: Units
    standing: Standing
    differing: tuple[Unit, ...]
    unstated: tuple[Unit, ...]
    beside: frozenset[Unit]
    unknown: tuple[Unit, ...]


class Comparing:
    """Compares, and remembers the last comparison."""

    def __init__(self) -> None:
        """Nothing was compared yet."""
        self._last: Comparison | None = None

    def of(self, stated: Units, standing: Standing) -> Comparison:
        """The comparison of these two; the last one if it is of these very objects."""
        last = self._last
        if last is None or last.stated is not stated or last.standing is not standing:
            last = self._last = _compared(stated, standing)
        return last


def _compared(stated: Units, standing: Standing) -> Comparison:
    there = standing.units
    differing = tuple([unit for unit, sets in stated.items() if there.get(unit) != sets])
    in_both = len(stated) - sum(unit not in there for unit in differing)
    # Counted before it is looked for: most plans hold nothing but what is stated.
    is_more = len(there) > in_both
    unstated = tuple([unit for unit in there if unit not in stated]) if is_more else ()
    names = {name for name, _ in unstated} | {one.name for one in standing.retired}
    return Comparison(
        stated=stated,
        standing=standing,
        differing=differing,
        unstated=unstated,
        beside=frozenset([unit for unit in stated if unit[0] in names] if names else ()),
        unknown=tuple([unit for unit in stated if unit[1] not in TYPES]),
    )
