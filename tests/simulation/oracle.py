"""What a client hears when it resolves a name, told from the zone's own records.

This is the judge's only view of DNS. It reads the pretended Route 53 as its name servers do
(weights, aliases, CNAMEs, wildcards) and shares no code with the product.
"""

from collections.abc import Iterable

from sandbox.dns.answering import Question, answer
from sandbox.dns.resolving import Surroundings
from sandbox.dns.zones import directory
from sandbox.route53.zone import HostedZone

# What clients ask managed names for.
KINDS = ("A", "AAAA", "MX", "TXT")

Spoken = frozenset[tuple[str, str]]


class Resolver:
    """Resolves in some zones."""

    def __init__(self, zones: Iterable[HostedZone]) -> None:
        """The zones are read at each question."""
        self.around = Surroundings(
            directory(tuple(zones), "public"), _Always(), outside={}, is_healthy=lambda _: True
        )

    def answers(self, name: str, kind: str) -> bool:
        """Whether a client that asks now gets at least one record."""
        heard = answer(Question(name, kind), self.around).answer
        return bool(heard) and heard[-1].kind == kind  # a CNAME alone is no answer

    def spoken(self, zone: HostedZone, names: Iterable[str]) -> Spoken:
        """The names and types of these that answer now."""
        found: list[tuple[str, str]] = []
        for name in names:
            kinds = {kind for kind, _ in zone.sets_at(name)}
            asked = KINDS if "CNAME" in kinds else kinds.intersection(KINDS)
            found.extend((name, kind) for kind in asked if self.answers(name, kind))
        return frozenset(found)


class _Always:
    """The same choice among equals each time: whether there is an answer does not depend on it."""

    def uniform(self, low: float, _high: float, /) -> float:
        """The lowest."""
        return low
