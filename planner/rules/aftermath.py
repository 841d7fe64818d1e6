"""Whose word against a target is doubted: a vantage point that finds too few of a pool well may
have lost its own network.

That outlasts its cause until whatever was seen in it was seen again. A network that comes back
shows well targets one after another, and the rest still look dead by what was seen without it.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

from planner.rules.health import Sight
from planner.rules.panic import is_panic
from planner.rules.vantage import FRESH_S, Report, Voice, voices_of

Doubts: TypeAlias = Mapping[str, frozenset[str]]
"""By AZ the pools of which it is not believed that a target is sick."""


class Aftermath:
    """When each vantage point was last short of healthy targets, by AZ and pool."""

    def __init__(self) -> None:
        """None was yet."""
        self._short_s: dict[tuple[str, str], float] = {}

    def doubts(self, own: Sight, reports: Sequence[Report], *, az: str) -> Doubts:
        """Whom to doubt of which pool, by what this process, as `az`, and the others find now."""
        thresholds = {pool: asked.panic_threshold for (pool, _), asked in own.asked.items()}
        said = {one.az: one.voices for one in reports}
        for who, voices in {**said, az: voices_of(own, {}, wall_s=own.now_s)}.items():
            for pool in _short(voices, thresholds):
                self._short_s[who, pool] = own.now_s
        lasts_s = _lasts_s(own)
        found: dict[str, set[str]] = {}
        for (who, pool), at_s in self._short_s.items():
            if own.now_s - at_s < lasts_s.get(pool, 0.0):
                found.setdefault(who, set()).add(pool)
        return {who: frozenset(pools) for who, pools in found.items()}


def _short(voices: Iterable[Voice], thresholds: Mapping[str, float]) -> Iterable[str]:
    """The pools of which too few look well by these voices."""
    looks: dict[str, list[bool]] = {}
    for one in voices:
        if one.is_well is not None:
            looks.setdefault(one.pool, []).append(one.is_well)
    for pool, each in looks.items():
        threshold = thresholds.get(pool, 0.0)
        if is_panic(healthy=sum(each), counted=len(each), threshold=threshold):
            yield pool


def _lasts_s(own: Sight) -> Mapping[str, float]:
    """For how long after a panic: no look counts for longer than its gap, and what another told of
    its looks not longer than its report is fresh."""
    lasts_s: dict[str, float] = {}
    for (pool, _), asked in own.asked.items():
        lasts_s[pool] = max(lasts_s.get(pool, 0.0), FRESH_S + asked.gap_s)
    return lasts_s
