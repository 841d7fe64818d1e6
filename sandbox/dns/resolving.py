"""Resolve one name and type of a zone to its values, through aliases and health.

An alias has no values of its own: it answers with its target's, at the target's TTL. A target that
is gone answers with nothing, silently; that is how a name becomes empty, so it is never an error.
Chains of aliases are bounded.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from sandbox.dns.routing import Jitter, choose, shuffled
from sandbox.dns.zones import Directory, sets_of
from sandbox.route53.model import AliasTo, StoredRecordSet

# Route 53 states no bound; nobody nests alias trees deeper than a few policies.
ALIAS_DEPTH_MAX = 8
# One name may lead to hundreds of others; a question that leads to more is not worth its time.
HEALTH_LOOKUPS_MAX = 1_000
# What an alias to a load balancer answers with.
OUTSIDE_TTL_S = 60

Place = tuple[str, str]  # (name in listing form, type)


@dataclass(frozen=True, slots=True)
class Surroundings:
    """All that an answer depends on besides the question.

    `outside` holds what names in zones that we do not have resolve to (load balancers), and
    `is_healthy` says what is known of a health check.
    """

    directory: Directory
    jitter: Jitter
    outside: Mapping[Place, tuple[str, ...]]
    is_healthy: Callable[[str], bool]


@dataclass(frozen=True, slots=True)
class Found:
    """What a name and type resolve to now. Never empty."""

    ttl_s: int
    values: tuple[str, ...]


class Resolver:
    """Resolves for one question; what it learns of health is good for that question only."""

    def __init__(self, around: Surroundings) -> None:
        self._around = around
        self._health: dict[tuple[str, str, str], bool] = {}

    def find(self, sets: Sequence[StoredRecordSet], depth: int = 0) -> Found | None:
        """Resolve the record sets of one name and type; None when nothing is left to answer."""
        chosen = choose(sets, lambda record: self.is_healthy(record, depth), self._around.jitter)
        found = [one for record in chosen if (one := self._content(record, depth)) is not None]
        values = dict.fromkeys(value for one in found for value in one.values)
        if not values:
            return None
        return Found(
            min(one.ttl_s for one in found), tuple(shuffled(list(values), self._around.jitter))
        )

    def is_healthy(self, record: StoredRecordSet, depth: int) -> bool:
        """Is this set healthy, so far as anything is known against it?"""
        check = record.health_check_id
        if check is not None and not self._around.is_healthy(check):
            return False
        if record.alias is None or not record.alias.evaluate:
            return True
        return self._is_target_healthy(record.alias, record.type, depth + 1)

    def _is_target_healthy(self, alias: AliasTo, kind: str, depth: int) -> bool:
        zone = self._around.directory.by_id.get(alias.zone_id)
        if zone is None:
            return True
        place = alias.zone_id, alias.name, kind
        if place in self._health:
            return self._health[place]
        if depth > ALIAS_DEPTH_MAX or len(self._health) >= HEALTH_LOOKUPS_MAX:
            return False
        targets = sets_of(zone.sets_at(alias.name), kind)
        self._health[place] = any(self.is_healthy(target, depth) for target in targets)
        return self._health[place]

    def _content(self, record: StoredRecordSet, depth: int) -> Found | None:
        if record.alias is not None:
            return self._follow(record.alias, record.type, depth + 1)
        return Found(record.ttl or 0, record.values) if record.values else None

    def _follow(self, alias: AliasTo, kind: str, depth: int) -> Found | None:
        zone = self._around.directory.by_id.get(alias.zone_id)
        if zone is None:
            values = self._around.outside.get((alias.name, kind), ())
            return Found(OUTSIDE_TTL_S, values) if values else None
        if depth > ALIAS_DEPTH_MAX:
            return None
        return self.find(sets_of(zone.sets_at(alias.name), kind), depth)
