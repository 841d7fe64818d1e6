"""What a name server may answer where a plan is live, and whether what it answered is that. Pure.

One record set is answered whole; of several members any part. What stands at the end of an alias
that leaves the plan is not known here: then any answer will do, and none will not.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import dns.exception
import dns.rdata

from dnsplan.errors import InvalidName
from dnsplan.formats.bind import route53_value
from dnsplan.guardrails import answers
from dnsplan.normal import normal_values
from dnsplan.places import leaves_some_out
from dnsplan.records import RecordSet, Unit
from sentinel.rules.findings import Finding, Seen

# An alias of an alias of an alias; Route 53 follows no loop, and neither does this.
ALIASES_MAX = 8
# Whoever asks name servers writes these names as plans do.
_OUR_OWN = frozenset({"CNAME", "NS"})


@dataclass(frozen=True, slots=True)
class Wanted:
    """What may be answered. `values` None: anything; `whole`: all of them at once."""

    values: frozenset[str] | None
    whole: bool = False
    may_be_empty: bool = False


def wanted(unit: Unit, stated: Mapping[Unit, Sequence[RecordSet]]) -> Wanted:
    """What a name and type may answer where all of this stands."""
    members = stated[unit]
    values = _reachable(unit, stated, left=ALIASES_MAX)
    single = len(members) == 1 and members[0].alias is None
    return Wanted(values, whole=single, may_be_empty=leaves_some_out(members))


def is_as_wanted(what: Wanted, record_type: str, seen: Seen) -> bool:
    """Whether an answer is one that the plan allows."""
    if seen.finding is not Finding.ANSWERED:
        return what.may_be_empty and seen.finding is Finding.NODATA
    if what.values is None:
        return True
    found = frozenset(in_route53_form(record_type, seen.values))
    return found == what.values if what.whole else found <= what.values


def in_route53_form(record_type: str, values: Iterable[str]) -> tuple[str, ...]:
    """Values of a reply as plans write them: DNS tools escape bytes in decimal."""
    return normal_values(record_type, tuple(_spelled(record_type, one) for one in values))


def _spelled(record_type: str, value: str) -> str:
    if record_type in _OUR_OWN:
        return value
    try:
        return route53_value(dns.rdata.from_text("IN", record_type, value))
    except (dns.exception.DNSException, InvalidName, ValueError):
        return value


def _reachable(
    unit: Unit, stated: Mapping[Unit, Sequence[RecordSet]], *, left: int
) -> frozenset[str] | None:
    """The values at the ends of all members; None where one of them leaves what is stated."""
    members = stated.get(unit)
    if not members or not left:
        return None
    heard = answers(members)
    found: set[str] = set()
    for one in members:
        if one.alias is None:
            found.update(value for value in one.values if value in heard)
            continue
        behind = _reachable((one.alias.name, unit[1]), stated, left=left - 1)
        if behind is None:
            return None
        found |= behind
    return frozenset(found)
