"""Route 53's normal form: two record sets are the same exactly when their normal forms are equal.

Route 53 accepts a change that is equal to the present set after normalising and, when it shares a
batch with others, silently drops it. So every comparison is made in this form, every plan holds
only this form, and what a listing shows is kept as it was listed for the exact DELETE.
"""

import ipaddress
import socket
from collections.abc import Callable
from typing import Any

import msgspec

from dnsplan.errors import InvalidName, InvalidRecord
from dnsplan.names import parse_name
from dnsplan.rdata import FORMS, name_form
from dnsplan.records import AliasTarget, OtherPolicy, RecordSet, Routing
from dnsplan.text import quote, unquote

_HOSTED_ZONE = "/hostedzone/"


def normal_form(record_set: RecordSet) -> RecordSet:
    """Fold names, write values canonically, drop doubles and fields that the kind cannot hold.

    Values that cannot be read stay as they are: telling right from wrong is `validation`'s.
    """
    alias = record_set.alias
    return RecordSet(
        name=parse_name(record_set.name),
        type=record_set.type.upper(),
        ttl_s=None if alias else record_set.ttl_s,
        values=() if alias else normal_values(record_set.type, record_set.values),
        set_id=record_set.set_id or None,
        routing=_normal_routing(record_set.routing),
        alias=alias and _normal_alias(alias),
        health_check_id=record_set.health_check_id or None,
    )


def is_same(listed: RecordSet, desired: RecordSet) -> bool:
    """Whether Route 53 would see no change between a listed set and a normal one."""
    return listed == desired or normal_form(listed) == desired


def normal_values(record_type: str, values: tuple[str, ...]) -> tuple[str, ...]:
    """Values as a sorted multiset without doubles, each in its type's canonical text."""
    form = _FORMS.get(record_type.upper(), _collapse)
    if len(values) == 1:
        return (_form_or_as_is(form, values[0]),)
    return tuple(sorted({_form_or_as_is(form, value) for value in values}))


def _form_or_as_is(form: Callable[[str], str], value: str) -> str:
    try:
        return form(value)
    except (ValueError, InvalidName, InvalidRecord):
        return value


def _normal_routing(routing: Routing | None) -> Routing | None:
    """Bias 0 is none: Route 53 lists it where nobody stated one (seen by a live test,
    github.com/go-to-k/cdk-real-drift, pull request 234)."""
    if not isinstance(routing, OtherPolicy):
        return routing
    fields = msgspec.json.decode(routing.fields, type=dict[str, Any])
    place = fields.get("GeoProximityLocation")
    if not isinstance(place, dict) or place.get("Bias") != 0:
        return routing
    del place["Bias"]
    return OtherPolicy(msgspec.json.encode(fields, order="deterministic").decode())


def _normal_alias(alias: AliasTarget) -> AliasTarget:
    return AliasTarget(
        zone_id=alias.zone_id.removeprefix(_HOSTED_ZONE),
        name=parse_name(alias.name),
        evaluate_target_health=alias.evaluate_target_health,
    )


def _collapse(value: str) -> str:
    """White space outside quotes means nothing; inside quotes it does."""
    return value.strip() if '"' in value else " ".join(value.split())


def ipv4_form(value: str) -> str:
    """An IPv4 address, or ValueError. It has one text only, and `ipaddress` takes ten times as long
    to say so."""
    text = value.strip()
    try:
        socket.inet_pton(socket.AF_INET, text)
    except OSError as error:
        raise ValueError(f"{value!r} is no IPv4 address") from error
    return text


def _ipv6(value: str) -> str:
    return str(ipaddress.IPv6Address(value.strip()))


def _name(value: str) -> str:
    return name_form(value.strip())


def _last_is_name(fields: int) -> Callable[[str], str]:
    def form(value: str) -> str:
        parts = value.split()
        if len(parts) != fields:
            raise InvalidRecord(f"{value!r} has {len(parts)} fields, not {fields}")
        numbers = [str(int(part)) for part in parts[:-1]]
        return " ".join([*numbers, _name(parts[-1])])

    return form


def _text(value: str) -> str:
    return quote(unquote(value))


def _caa(value: str) -> str:
    flags, tag, rest = value.strip().split(None, 2)
    return f"{int(flags)} {tag.lower()} {quote(unquote(rest))}"


_FORMS: dict[str, Callable[[str], str]] = {
    **FORMS,
    "A": ipv4_form,
    "AAAA": _ipv6,
    "CAA": _caa,
    "CNAME": _name,
    "MX": _last_is_name(2),
    "NS": _name,
    "PTR": _name,
    "SPF": _text,
    "SRV": _last_is_name(4),
    "TXT": _text,
}
