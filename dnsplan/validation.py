"""What Route 53 would refuse, found before anything is planned, so that a refusal is rare.

Checks one record set at a time (`record_problems`) and all of a name together (`name_problems`).
Types that nobody knows yet pass as they are; one value alone is judged by `values`. Limits are
Route 53's: 400 values a set, 100 sets a name and type, TTL 0 to 2147483647, weight 0 to 255.
Source: Route 53 Developer Guide, quotas and resource record types.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import Any

import dns.rdatatype
import msgspec

from dnsplan.errors import InvalidRecord
from dnsplan.names import Name, display, is_within
from dnsplan.normal import normal_values
from dnsplan.policies import policy_fields
from dnsplan.records import (
    Failover,
    Geolocation,
    Latency,
    Multivalue,
    OtherPolicy,
    RecordSet,
    Weighted,
    by_unit,
    characters_of,
    elements_of,
)
from dnsplan.values import TYPES, value_problem

VALUES_MAX = 400
SETS_MAX = 100
TTL_S_MAX = 2_147_483_647
WEIGHT_MAX = 255
SET_ID_CHARACTERS_MAX = 128

# One change batch carries a name whole, beside the fence that goes and the one that comes.
NAME_ELEMENTS_MAX = 1_000 - 2
NAME_CHARACTERS_MAX = 32_000 - 2 * 520

# What other tools call an answer that is worked out from a name's, with what it is here.
_PSEUDO_TYPES = frozenset({"ALIAS", "ANAME"})

# A double is shown so far, and so many of them.
_DOUBLE_CHARACTERS_MAX = 60
_DOUBLES_SHOWN_MAX = 3

# What a message quotes, with whatever stands in it; no apostrophe in a word begins one.
_QUOTED = re.compile(r"""(?<!\w)(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")""", re.DOTALL)
_TYPE = re.compile(r"[A-Z][A-Z0-9]{0,15}")
# How like a known type an unknown one is before it counts as a slip of the hand: AAAAA, TSLA.
_SLIP_LIKENESS_MIN = 0.75
# In the JSON of a policy that passes through: all but the words of where it answers.
_BESIDE_PLACE = re.compile(r'(?:"Bias":-?\d+|["{}:,])+')
_WILDCARD = "\\052."
# The API reference names the US alone; rules for regions of Ukraine are made with it all the same
# (github.com/sous-chefs/aws, pull request 437).
_SUBDIVIDED = frozenset({"US", "UA"})
# Route 53 cannot evaluate what it leads to here (API reference, AliasTarget).
_UNEVALUATED = Name("cloudfront.net.")


def record_problems(one: RecordSet, zone: Name) -> tuple[str, ...]:
    """Everything that is wrong with one record set, in words an operator can act on."""
    found = list(type_problems(one.type))
    if not is_within(one.name, zone):
        found.append(f"{display(one.name)} is outside the zone {zone}")
    if one.type == "CNAME" and one.name == zone:
        found.append("a CNAME cannot stand at the zone's apex; use an alias or addresses")
    if (one.set_id is None) != (one.routing is None):
        found.append("a set identifier and a routing policy come together or not at all")
    if one.set_id is not None and not 1 <= len(one.set_id) <= SET_ID_CHARACTERS_MAX:
        found.append(f"a set identifier of {len(one.set_id)} characters; 1 to 128")
    if one.type == "NS" and one.name.startswith(_WILDCARD):
        found.append("a wildcard cannot have type NS")
    found.extend(_routing_problems(one) if one.routing is not None else ())
    found.extend(_alias_problems(one) if one.alias else _value_problems(one))
    return tuple(found)


def halves(problem: str) -> tuple[str, str]:
    """What was found, and what is allowed (empty when it does not say), of a problem in words.

    The semicolon between them is none of a value that is quoted before it, as DKIM keys have.
    """
    seam = _QUOTED.sub(lambda quoted: "x" * len(quoted[0]), problem).find("; ")
    return (problem, "") if seam < 0 else (problem[:seam], problem[seam + 2 :])


def _routing_problems(one: RecordSet) -> Iterable[str]:
    """What does not go with the record set's own policy.

    Sources: API reference, ResourceRecordSet and GeoLocation; Developer Guide, values for
    multivalue answer records; for PRIMARY what Route 53 says, github.com/kubernetes-sigs/
    external-dns, issue 2362.
    """
    if one.type == "NS":
        yield "NS cannot have a routing policy"
    match one.routing:
        case Weighted(weight) if not 0 <= weight <= WEIGHT_MAX:
            yield f"weight {weight}; a weight is 0 to {WEIGHT_MAX}"
        case Multivalue() if one.type == "CNAME":
            yield "a CNAME cannot be a multivalue record set; weighted sets can"
        case Failover("PRIMARY") if one.alias is None and one.health_check_id is None:
            yield "PRIMARY without a health check; health_check_id, or an alias"
        case Geolocation():
            yield from _place_problems(one.routing)
        case OtherPolicy(fields):
            yield from _field_problems(fields)
        case _:
            pass


def _place_problems(place: Geolocation) -> Iterable[str]:
    if (place.continent is None) == (place.country is None):
        yield "no single place; a continent, or a country with or without a subdivision"
    elif place.subdivision and place.country not in _SUBDIVIDED:
        known = "Route 53 knows those of US and UA alone"
        yield f"subdivision {place.subdivision} of {place.country or place.continent}; {known}"


def _field_problems(fields: str) -> Iterable[str]:
    try:
        policy_fields(fields)
    except InvalidRecord as error:
        yield f"{error}; fields of Route 53's own"


def type_problems(record_type: str) -> Iterable[str]:
    """Why Route 53 takes no records of a type; a type that nobody has heard of may be a new one."""
    if record_type in TYPES:
        return
    taken = f"one of {', '.join(TYPES)}"
    try:
        known = dns.rdatatype.to_text(dns.rdatatype.from_text(record_type))
    except (dns.rdatatype.UnknownRdatatype, ValueError):
        if not _TYPE.fullmatch(record_type):
            yield f"type {record_type!r}; a record type in capitals, as MX"
        elif record_type in _PSEUDO_TYPES:
            yield f"type {record_type}, which is none of DNS; A or AAAA with an alias:"
        elif near := get_close_matches(record_type, TYPES, 1, _SLIP_LIKENESS_MIN):
            yield f"type {record_type}, which nobody knows; {near[0]}, if that is what is meant"
        return
    if known in TYPES:
        yield f"type {record_type}, which is {known}; write {known}"
    elif not known.startswith("TYPE"):
        yield f"type {record_type}, which Route 53 does not take; {taken}"


def name_problems(record_sets: Sequence[RecordSet]) -> tuple[str, ...]:
    """What is wrong between the record sets of one name."""
    found = [*_size_problems(record_sets)]
    if len(record_sets) == 1:
        return tuple(found)  # nothing to differ from
    types = {one.type for one in record_sets}
    if "CNAME" in types and len(types) > 1:
        others = ", ".join(sorted(types - {"CNAME"}))
        found.append(f"a CNAME cannot stand beside {others}")
    for (_, record_type), members in by_unit(record_sets).items():
        policies = {_policy(one) for one in members}
        if len(policies) > 1:
            found.append(f"{record_type} mixes routing policies")
        if len(members) > SETS_MAX:
            found.append(f"{record_type} has {len(members)} record sets; at most {SETS_MAX}")
        ttls = {one.ttl_s for one in members if one.alias is None}
        if len(ttls) > 1 and isinstance(members[0].routing, Weighted | Multivalue):
            found.append(f"{record_type} has members with different TTLs")
        found.extend(f"{record_type} has two record sets for {twin}" for twin in _twins(members))
    return tuple(found)


def _size_problems(record_sets: Sequence[RecordSet]) -> Iterable[str]:
    elements = sum(map(elements_of, record_sets))
    if elements > NAME_ELEMENTS_MAX:
        yield f"{elements} values at one name; at most {NAME_ELEMENTS_MAX} fit in a change batch"
    characters = sum(map(characters_of, record_sets))
    if characters > NAME_CHARACTERS_MAX:
        text = f"at most {NAME_CHARACTERS_MAX} fit in a change batch"
        yield f"{characters} characters of values at one name; {text}"


def change_problems(gone: Iterable[RecordSet], come: Iterable[RecordSet]) -> Iterable[str]:
    """Why Route 53 could not make a change of one name: what goes counts like what comes."""
    gone, come = tuple(gone), tuple(come)
    sizes = (
        ("values", elements_of, NAME_ELEMENTS_MAX),
        ("characters of values", characters_of, NAME_CHARACTERS_MAX),
    )
    for what, size_of, most in sizes:
        out, into = sum(map(size_of, gone)), sum(map(size_of, come))
        if out + into > most:
            yield (
                f"{out} {what} would give way to {into} others, {out + into} in one change; at most"
                f" {most} fit in a change batch: change a part of it first, and the rest when that"
                " is applied"
            )


def _alias_problems(one: RecordSet) -> Iterable[str]:
    if one.ttl_s is not None or one.values:
        yield "an alias has no TTL and no values of its own"
    if isinstance(one.routing, Multivalue):
        yield "a multivalue record set cannot be an alias; weighted sets can"
    if one.type in {"NS", "SOA"}:
        yield f"an alias cannot have type {one.type}"
    if one.alias and one.alias.evaluate_target_health and is_within(one.alias.name, _UNEVALUATED):
        yield "the health of a CloudFront distribution, which Route 53 does not evaluate; false"


def _twins(members: Iterable[RecordSet]) -> Iterable[str]:
    """Regions, places and roles that more than one member claims."""
    claims = Counter(_claim(one) for one in members)
    return (claim for claim, times in claims.items() if claim and times > 1)


def _policy(one: RecordSet) -> tuple[str, ...]:
    """What all members of a name and type have in common. Those that pass through tell themselves
    apart by their field: geoproximity and CIDR routing are two policies."""
    fields = one.routing.fields if isinstance(one.routing, OtherPolicy) else "{}"
    return (type(one.routing).__name__, *msgspec.json.decode(fields, type=dict[str, Any]))


def _claim(one: RecordSet) -> str | None:
    match one.routing:
        case Latency(region):
            return f"the region {region}"
        case Failover(role):
            return f"the role {role}"
        case Geolocation():
            place = one.routing
            codes = (place.continent, place.country, place.subdivision)
            return f"the place {' '.join(code for code in codes if code)}"
        case OtherPolicy(fields):
            return f"the place {_BESIDE_PLACE.sub(' ', fields).strip()}"
        case _:
            return None


def _value_problems(one: RecordSet) -> Iterable[str]:
    if one.ttl_s is None or not 0 <= one.ttl_s <= TTL_S_MAX:
        yield f"TTL {one.ttl_s}; a TTL is 0 to {TTL_S_MAX} seconds"
    if not one.values:
        yield "no values"
    if len(one.values) > VALUES_MAX:
        yield f"{len(one.values)} values; at most {VALUES_MAX} in a record set"
    if len(normal_values(one.type, one.values)) != len(one.values):
        yield f"the same value is stated twice: {_doubles(one)}; each value once"
    if one.type == "CNAME" and len(one.values) > 1:
        yield "a CNAME has one value"
    for value in one.values:
        if problem := value_problem(one.type, value):
            yield problem


def _doubles(one: RecordSet) -> str:
    """The values that are there more than once, in their one text."""
    counts = Counter(text for value in one.values for text in normal_values(one.type, (value,)))
    doubles = [text[:_DOUBLE_CHARACTERS_MAX] for text, times in counts.items() if times > 1]
    more = len(doubles) - _DOUBLES_SHOWN_MAX
    rest = f" and {more} more" if more > 0 else ""
    return ", ".join(map(repr, doubles[:_DOUBLES_SHOWN_MAX])) + rest
