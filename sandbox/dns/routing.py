"""Choose which record sets of one name and type answer now, by their routing policy.

Chance is passed in. Health never empties an answer: when no set is healthy, all are taken as
healthy. The server stands nowhere on the map, so policies that ask where the client is are
answered by a fixed rule (see `marks`).
"""

from bisect import bisect_right
from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import Protocol, TypeVar

from sandbox.route53.model import StoredRecordSet

Item = TypeVar("Item")
MULTIVALUE_ANSWERS_MAX = 8  # Route 53 gives a resolver up to eight healthy records


class Jitter(Protocol):
    """Chance."""

    def uniform(self, low: float, high: float, /) -> float:
        """A number in [low, high]."""
        ...


def choose(
    sets: Sequence[StoredRecordSet],
    is_healthy: Callable[[StoredRecordSet], bool],
    jitter: Jitter,
) -> list[StoredRecordSet]:
    """Take the sets that answer this one query: one of them, or up to eight multivalue ones."""
    if len(sets) <= 1:
        return list(sets)
    usable = [record for record in sets if is_healthy(record)] or list(sets)
    match sets[0].policy:
        case "weighted":
            return [by_weight(usable, jitter)]
        case "multivalue":
            return shuffled(usable, jitter)[:MULTIVALUE_ANSWERS_MAX]
        case "failover":
            return [min(usable, key=lambda record: record.failover != "PRIMARY")]
        case "latency":
            return [min(usable, key=lambda record: record.region or "")]
        case "geolocation":
            return [min(usable, key=lambda record: not is_default_location(record))]
        case _:
            return usable[:1]


def by_weight(sets: Sequence[StoredRecordSet], jitter: Jitter) -> StoredRecordSet:
    """Draw one set; weight 0 is never drawn beside others, and all zeros are all equal."""
    weights = [record.weight or 0 for record in sets]
    if not any(weights):
        return sets[index(len(sets), jitter)]
    drawn = index(sum(weights), jitter)
    return sets[bisect_right(list(accumulate(weights)), drawn)]


def is_default_location(record: StoredRecordSet) -> bool:
    """Is this the set for clients that no other location matches?"""
    return record.geo is not None and record.geo.country == "*"


def shuffled(items: Sequence[Item], jitter: Jitter) -> list[Item]:
    """Put items into an order by chance, each order equally likely."""
    mixed = list(items)
    for last in range(len(mixed) - 1, 0, -1):
        other = index(last + 1, jitter)
        mixed[last], mixed[other] = mixed[other], mixed[last]
    return mixed


def index(size: int, jitter: Jitter) -> int:
    """Draw from 0 to size - 1; the upper bound of a draw may itself be drawn."""
    return min(int(jitter.uniform(0, size)), size - 1)
