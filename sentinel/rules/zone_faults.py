"""What is wrong with a zone as a whole: how long an absence is remembered, and whether its parent
names the same servers as the zone itself.

Pure. Neither empties a name now. Each makes a bad hour longer: resolvers keep a missing name for
the negative TTL, and ask servers that the zone itself does not name.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from dnsplan.names import Name, display
from dnsplan.notices import Cause
from sentinel.rules.findings import NS, Heard, NoReply, Reply, Row

LONG_NEGATIVE_TTL, DELEGATION = "long-negative-ttl", "delegation-mismatch"
# Told by `resolving`: what resolvers make of a zone that is well by itself.
UNRESOLVED = "unresolved-zone"
ZONE_KINDS = (LONG_NEGATIVE_TTL, DELEGATION, UNRESOLVED)
SOA = "SOA"


@dataclass(frozen=True, slots=True)
class ZoneSeen:
    """What one look showed; None is not known. Name servers are the zone's own and its parent's,
    of which there are none where it delegates the zone to nobody."""

    negative_ttl_s: int | None = None
    own: frozenset[Name] | None = None
    delegated: frozenset[Name] | None = None


def negative_ttl_s(zone: Name, heard: Heard) -> int | None:
    """The lesser of the SOA's TTL and its last number (RFC 2308, 5)."""
    rows = [] if isinstance(heard, NoReply) else _at(zone, SOA, heard.rows)
    last = rows[0].value.split()[-1] if rows else ""
    return min(rows[0].ttl_s, int(last)) if last.isdecimal() else None


def own_servers(zone: Name, heard: Heard) -> frozenset[Name] | None:
    """The NS records that the zone itself gives."""
    return None if isinstance(heard, NoReply) else _named(_at(zone, NS, heard.rows))


def delegated_servers(zone: Name, reply: Reply) -> frozenset[Name] | None:
    """The NS records that a server of the parent zone gives, as a referral or as an answer.

    None at all is its word only with its authority: without it, it speaks of another zone.
    """
    named = _named([*_at(zone, NS, reply.referred), *_at(zone, NS, reply.rows)])
    return frozenset() if named is None and reply.authoritative else named


def faults(label: str, zone: Name, seen: ZoneSeen, *, negative_ttl_max_s: int) -> Iterator[Cause]:
    """What one look found."""
    if seen.negative_ttl_s is not None and seen.negative_ttl_s > negative_ttl_max_s:
        yield Cause(
            kind=LONG_NEGATIVE_TTL,
            label=label,
            verdict="negative_ttl",
            title=f"zone {label}: a missing name is remembered for {seen.negative_ttl_s} s",
            lines=(
                f"the SOA of {display(zone)} says so",
                f"the limit is {negative_ttl_max_s} s (sentinel.negative_ttl_max_s)",
            ),
            commands=(f"dns-sentinel check --zones {label}",),
            runbook="sentinel-blind",
        )
    if seen.own and seen.delegated is not None and seen.own != seen.delegated:
        yield _mismatch(label, zone, seen.own, seen.delegated)


def _mismatch(label: str, zone: Name, own: frozenset[Name], delegated: frozenset[Name]) -> Cause:
    """Other servers than the zone's, or nobody at all, which no resolver gets past."""
    if delegated:
        verdict, what = "delegation", "its parent names other name servers than the zone itself"
        parent = _shown(delegated)
    else:
        verdict, what = "undelegated", "its parent delegates it to no name server"
        parent = "nobody, so resolvers find none of its names once their caches run out"
    return Cause(
        kind=DELEGATION,
        label=label,
        verdict=verdict,
        title=f"zone {label}: {what}",
        lines=(f"the parent of {display(zone)}: {parent}", f"the zone: {_shown(own)}"),
        commands=(f"dns-sentinel check --zones {label}",),
        runbook="sentinel-blind",
    )


def _at(zone: Name, kind: str, rows: Sequence[Row]) -> list[Row]:
    return [row for row in rows if row.owner == zone and row.type == kind]


def _named(rows: Sequence[Row]) -> frozenset[Name] | None:
    return frozenset(Name(row.value) for row in rows) or None


def _shown(names: frozenset[Name]) -> str:
    return ", ".join(sorted(map(display, names)))
