"""Find what one zone says of one name and type: an answer, another name, a referral or nothing.

A name's own sets come first, then a wildcard by RFC 4592: it answers only directly below the
closest name that exists, and a name that exists merely because of names below it blocks it. The
cost depends on the number of labels, never on the size of the zone.
"""

from dataclasses import dataclass

from sandbox.dns.rdata import target_name
from sandbox.dns.resolving import Found, Resolver
from sandbox.dns.zones import Sets, Zone, has_kind, parent, sets_of
from sandbox.route53.names import ancestors

WILDCARD_LABEL = r"\052."
GLUE_TYPES = ("A", "AAAA")
# RFC 8482: ANY is answered with one synthesised set, and may be kept for long.
ANY_ANSWER = Found(3_600, ('"RFC8482" ""',))


@dataclass(frozen=True, slots=True)
class Rows:
    """One record set of an answer. `owner` is in listing form."""

    owner: str
    kind: str
    ttl_s: int
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Answered:
    """The name has what was asked for."""

    rows: Rows


@dataclass(frozen=True, slots=True)
class Renamed:
    """The name is a CNAME; the answer goes on at its target."""

    rows: Rows
    target: str


@dataclass(frozen=True, slots=True)
class Referral:
    """The name lies at or below a delegation to other servers."""

    rows: Rows
    glue: tuple[Rows, ...]


@dataclass(frozen=True, slots=True)
class Nothing:
    """The name has nothing of that type; or it does not exist at all."""

    exists: bool


Step = Answered | Renamed | Referral | Nothing


def look_up(zone: Zone, name: str, kind: str, resolver: Resolver) -> Step:
    """Say what the zone has for one name and type."""
    cut = delegation(zone, name, kind)
    if cut is not None:
        return refer(zone, cut, resolver)
    sets = node(zone, name)
    if sets is None:
        return Nothing(exists=False)
    if kind == "ANY":
        return any_of(name, sets, resolver)
    if has_kind(sets, kind) or not has_kind(sets, "CNAME"):
        found = resolver.find(sets_of(sets, kind))
        return Answered(rows(name, kind, found)) if found else Nothing(exists=True)
    return renamed(name, sets, resolver)


def node(zone: Zone, name: str) -> Sets | None:
    """Find the sets that stand for a name; none and an empty mapping differ: it exists or not."""
    if exists(zone, name):
        return zone.sets_at(name)
    encloser = parent(name)
    while not exists(zone, encloser):
        encloser = parent(encloser)
    wildcard = WILDCARD_LABEL + encloser
    if not exists(zone, wildcard):
        return None
    return zone.sets_at(wildcard)


def exists(zone: Zone, name: str) -> bool:
    """Does the name hold record sets, or lead to a name that does? The apex always exists."""
    return bool(zone.sets_at(name)) or name == zone.name or zone.has_below(name)


def delegation(zone: Zone, name: str, kind: str) -> str | None:
    """Find the highest name below the apex, down to this one, that is handed to other servers."""
    below_apex = [name, *ancestors(name, zone.name)][:-1]
    for candidate in reversed(below_apex):
        if candidate == name and kind == "DS":
            return None  # the parent's side of a cut holds the DS
        if has_kind(zone.sets_at(candidate), "NS"):
            return candidate
    return None


def refer(zone: Zone, cut: str, resolver: Resolver) -> Step:
    """Hand over to the name servers of a child zone, with the addresses that we hold for them."""
    found = resolver.find(sets_of(zone.sets_at(cut), "NS"))
    if found is None:
        return Nothing(exists=True)
    glue = []
    for server in [target_name("NS", value) for value in found.values]:
        held = zone.sets_at(server)
        for kind in GLUE_TYPES:
            address = resolver.find(sets_of(held, kind))
            if address is not None:
                glue.append(rows(server, kind, address))
    return Referral(rows(cut, "NS", found), tuple(glue))


def any_of(name: str, sets: Sets, resolver: Resolver) -> Step:
    """Answer ANY as tersely as RFC 8482 allows: the CNAME if there is one, else a made-up set."""
    if not sets:
        return Nothing(exists=True)
    if has_kind(sets, "CNAME"):
        step = renamed(name, sets, resolver)
        return Answered(step.rows) if isinstance(step, Renamed) else step
    return Answered(rows(name, "HINFO", ANY_ANSWER))


def renamed(name: str, sets: Sets, resolver: Resolver) -> Renamed | Nothing:
    """Follow a name's CNAME; an alias to a CNAME that is gone leaves nothing."""
    found = resolver.find(sets_of(sets, "CNAME"))
    if found is None:
        return Nothing(exists=True)
    one = Found(found.ttl_s, found.values[:1])
    return Renamed(rows(name, "CNAME", one), target_name("CNAME", one.values[0]))


def rows(owner: str, kind: str, found: Found) -> Rows:
    """Put what was found under its owner's name."""
    return Rows(owner, kind, found.ttl_s, found.values)
