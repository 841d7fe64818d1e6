"""The last good answers of a name: what an operator would put back.

A weighted name answers with one target at a time, so the answers of the last minutes are kept
beside the newest; what has not been answered for that long is forgotten, since plans move on.
"""

from dataclasses import dataclass

from sentinel.rules.findings import Seen

# Sixty looks at the usual pace: enough to see every target but those of the smallest weights.
RECENT_S = 300.0
# A name has at most 400 values in Route 53; more would only be a page that nobody reads.
RECENT_MAX = 64


@dataclass(frozen=True, slots=True)
class LastGood:
    """The newest answer of one type, and when each recent value was last heard. Wall time."""

    values: tuple[str, ...]
    ttl_s: int
    seen_s: float
    recent: tuple[tuple[str, float], ...]

    @property
    def earlier(self) -> tuple[str, ...]:
        """Recent values that are not in the newest answer."""
        return tuple(value for value, _ in self.recent if value not in self.values)


def remembered(before: LastGood | None, seen: Seen, *, now_s: float, from_cache: bool) -> LastGood:
    """Take a good answer in. A cache tells what is left of a TTL, so the longest one stands."""
    heard = dict(before.recent) if before else {}
    heard.update(dict.fromkeys(seen.values, now_s))
    fresh = [(value, at_s) for value, at_s in heard.items() if now_s - at_s <= RECENT_S]
    newest = sorted(fresh, key=lambda one: (-one[1], one[0]))[:RECENT_MAX]
    ttl_s = seen.ttl_s
    if from_cache and before is not None and before.values == seen.values:
        ttl_s = max(before.ttl_s, seen.ttl_s)
    return LastGood(seen.values, ttl_s, now_s, tuple(sorted(newest)))


def says_other(before: LastGood | None, after: LastGood) -> bool:
    """Whether a person would read something else; which target came last says nothing."""
    if before is None or before.ttl_s != after.ttl_s:
        return True
    return {value for value, _ in before.recent} != {value for value, _ in after.recent}
