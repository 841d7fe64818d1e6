"""Answer one question from the zones of a view: follow CNAMEs, and say why there is no answer.

Pure. A name in no zone of ours is refused; a name that exists without the type asked for is not
the same as one that does not exist; both carry the SOA that says how long a resolver may keep it.
"""

from dataclasses import dataclass
from typing import assert_never

from dns.rcode import NOERROR, NXDOMAIN, REFUSED, Rcode

from sandbox.dns.lookup import Answered, Nothing, Referral, Renamed, Rows, look_up
from sandbox.dns.rdata import soa_minimum_s
from sandbox.dns.resolving import Resolver, Surroundings
from sandbox.dns.zones import Zone

# As resolvers do: longer chains of CNAMEs are not followed by anyone.
CHAIN_NAMES_MAX = 16


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked. `name` is in listing form, `kind` a type's name."""

    name: str
    kind: str


@dataclass(frozen=True, slots=True)
class Answer:
    """What is answered, section by section."""

    rcode: Rcode
    authoritative: bool
    answer: tuple[Rows, ...] = ()
    authority: tuple[Rows, ...] = ()
    additional: tuple[Rows, ...] = ()


def answer(question: Question, around: Surroundings) -> Answer:
    """Answer from our zones alone, following CNAMEs as far as they stay in them."""
    resolver = Resolver(around)
    chain: list[Rows] = []
    seen: set[str] = set()
    name = question.name
    while name not in seen and len(seen) < CHAIN_NAMES_MAX:
        seen.add(name)
        zone = around.directory.zone_for(name, question.kind)
        if zone is None:
            break
        match look_up(zone, name, question.kind, resolver):
            case Answered(rows):
                return Answer(NOERROR, authoritative=True, answer=(*chain, rows))
            case Renamed(rows, target):
                chain.append(rows)
                name = target
            case Referral(rows, glue):
                return Answer(NOERROR, bool(chain), tuple(chain), (rows,), glue)
            case Nothing(exists):
                rcode = NOERROR if exists else NXDOMAIN
                return negative(zone, rcode, tuple(chain))
            case unknown:
                assert_never(unknown)
    if not chain:
        return Answer(REFUSED, authoritative=False)
    return Answer(NOERROR, authoritative=True, answer=tuple(chain))


def no_data(question: Question, around: Surroundings) -> Answer:
    """Answer as if the name existed with nothing of that type."""
    zone = around.directory.zone_for(question.name, question.kind)
    if zone is None:
        return Answer(REFUSED, authoritative=False)
    return negative(zone, NOERROR, ())


def negative(zone: Zone, rcode: Rcode, chain: tuple[Rows, ...]) -> Answer:
    """Say no, with the zone's SOA at the TTL for which the no may be kept (RFC 2308)."""
    soa = zone.sets_at(zone.name).get(("SOA", ""))
    if soa is None or not soa.values:
        return Answer(rcode, authoritative=True, answer=chain)
    ttl_s = min(soa.ttl or 0, soa_minimum_s(soa.values[0]))
    authority = Rows(zone.name, "SOA", ttl_s, soa.values[:1])
    return Answer(rcode, authoritative=True, answer=chain, authority=(authority,))
