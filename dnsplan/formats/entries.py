"""One record set as an object of a plan file, with the key names of `dns.yaml`, both ways.

Reading is strict: an unknown key, a wrong kind of value or two policies are mistakes, all of an
entry together. A policy that the contract only carries (geoproximity, CIDR, any that is new) stands
under `policy` as Route 53's own fields.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias, assert_never

import msgspec

from dnsplan.errors import DnsplanError, InvalidName
from dnsplan.names import display, parse_name
from dnsplan.records import (
    AliasTarget,
    Failover,
    Geolocation,
    Latency,
    Multivalue,
    OtherPolicy,
    RecordSet,
    Routing,
    Weighted,
)

ALIAS_KEYS = ("name", "zone_id", "evaluate_target_health")
GEO_KEYS = ("continent", "country", "subdivision")
POLICY_KEYS = ("weight", "region", "failover", "geo", "multivalue", "policy")
ENTRY_KEYS = ("name", "type", "ttl_s", "values", "alias", "set_id", *POLICY_KEYS, "health_check_id")

Json: TypeAlias = dict[str, Any]  # JSON values of several kinds
Mistake: TypeAlias = tuple[str, str, str]

_KINDS: Mapping[str, tuple[type, str]] = {
    "name": (str, "text"),
    "type": (str, "text"),
    "ttl_s": (int, "a whole number of seconds"),
    "values": (list, "a list of texts"),
    "alias": (dict, f"an object with {', '.join(ALIAS_KEYS)}"),
    "set_id": (str, "text"),
    "weight": (int, "a whole number from 0 to 255"),
    "region": (str, "text"),
    "failover": (str, "PRIMARY or SECONDARY"),
    "geo": (dict, f"an object with {', '.join(GEO_KEYS)}"),
    "multivalue": (bool, "true"),
    "policy": (dict, "an object of Route 53's own fields"),
    "health_check_id": (str, "text"),
    "zone_id": (str, "text"),
    "evaluate_target_health": (bool, "true or false"),
    "continent": (str, "text"),
    "country": (str, "text"),
    "subdivision": (str, "text"),
}


# No request can carry them; in names and values they are escaped.
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")


class EntryMistake(DnsplanError):
    """An entry that is no record set; `found` holds path, found and allowed of each mistake."""

    def __init__(self, found: tuple[Mistake, ...]) -> None:
        """Keep the mistakes in the entry's order."""
        super().__init__("; ".join(f"{path}: {what}" for path, what, _ in found))
        self.found = found


def entry_of(one: RecordSet) -> Json:
    """The record set as an object, keys in their fixed order and nothing that says nothing."""
    entry: Json = {"name": display(one.name), "type": one.type}
    if one.ttl_s is not None:
        entry["ttl_s"] = one.ttl_s
    if one.values:
        entry["values"] = list(one.values)
    if one.alias is not None:
        target = one.alias
        told = (display(target.name), target.zone_id, target.evaluate_target_health)
        entry["alias"] = dict(zip(ALIAS_KEYS, told, strict=True))
    if one.set_id is not None:
        entry["set_id"] = one.set_id
    if one.routing is not None:
        entry |= _policy_of(one.routing)
    if one.health_check_id is not None:
        entry["health_check_id"] = one.health_check_id
    return entry


def record_set_from(entry: object) -> RecordSet:
    """The record set that an object states, as written; EntryMistake for what is none."""
    if not isinstance(entry, dict):
        raise EntryMistake((("", show(entry), f"an object with {', '.join(ENTRY_KEYS)}"),))
    found = tuple(_mistakes(entry))
    if found:
        raise EntryMistake(found)
    target = entry.get("alias")
    return RecordSet(
        name=parse_name(entry["name"]),
        type=entry["type"],
        ttl_s=entry.get("ttl_s"),
        values=tuple(entry.get("values", ())),
        set_id=entry.get("set_id"),
        routing=_routing_from(entry),
        alias=None
        if target is None
        else AliasTarget(
            target["zone_id"], parse_name(target["name"]), target["evaluate_target_health"]
        ),
        health_check_id=entry.get("health_check_id"),
    )


def show(value: object) -> str:
    """A JSON value as people would name it."""
    match value:
        case None:
            return "nothing"
        case bool() | int() | float():
            return f"{value}".lower()
        case str():
            return f'the text "{value[:60]}"'
        case list():
            return f"a list of {len(value)}"
        case _:
            return "an object"


def _policy_of(routing: Routing) -> Json:
    match routing:
        case Weighted(weight):
            return {"weight": weight}
        case Latency(region):
            return {"region": region}
        case Failover(role):
            return {"failover": role}
        case Geolocation():
            codes = {key: getattr(routing, key) for key in GEO_KEYS}
            return {"geo": {key: code for key, code in codes.items() if code is not None}}
        case Multivalue():
            return {"multivalue": True}
        case OtherPolicy(fields):
            return {"policy": msgspec.json.decode(fields)}
        case _:
            assert_never(routing)


def _routing_from(entry: Json) -> Routing | None:
    match entry:
        case {"weight": weight}:
            return Weighted(weight)
        case {"region": region}:
            return Latency(region)
        case {"failover": role}:
            return Failover(role)
        case {"geo": codes}:
            return Geolocation(*(codes.get(key) for key in GEO_KEYS))
        case {"multivalue": True}:
            return Multivalue()
        case {"policy": fields}:
            return OtherPolicy(msgspec.json.encode(fields, order="deterministic").decode())
        case _:
            return None


def _mistakes(entry: Json) -> Iterator[Mistake]:
    yield from _kinds(entry, ENTRY_KEYS, "", needed=("name", "type"))
    if isinstance(target := entry.get("alias"), dict):
        yield from _kinds(target, ALIAS_KEYS, ".alias", needed=ALIAS_KEYS)
        yield from _names(target, ".alias")
    if isinstance(codes := entry.get("geo"), dict):
        yield from _kinds(codes, GEO_KEYS, ".geo", needed=())
    for index, value in enumerate(entry["values"] if isinstance(entry.get("values"), list) else ()):
        if not isinstance(value, str):
            yield (f".values[{index}]", show(value), "text")
    yield from _names(entry, "")
    if entry.get("failover") not in (None, "PRIMARY", "SECONDARY"):
        yield (".failover", show(entry["failover"]), "PRIMARY or SECONDARY")
    if entry.get("multivalue") is False:
        yield (".multivalue", "false", "true, or no such key")
    stated = [key for key in POLICY_KEYS if key in entry]
    if len(stated) > 1:
        yield ("", " and ".join(stated), "one routing policy")


def _kinds(
    entry: Json, keys: tuple[str, ...], path: str, *, needed: tuple[str, ...]
) -> Iterator[Mistake]:
    for key, value in entry.items():
        if key not in keys:
            yield (f"{path}.{key}", f"an unknown key {key}", f"one of {', '.join(keys)}")
        elif type(value) is not _KINDS[key][0]:
            yield (f"{path}.{key}", show(value), _KINDS[key][1])
        elif key != "name" and isinstance(value, str) and _CONTROL.search(value):
            yield (f"{path}.{key}", "a control character", "text without")
    for key in needed:
        if key not in entry:
            yield (f"{path}.{key}", "nothing", f"this key is needed: {_KINDS[key][1]}")


def _names(entry: Json, path: str) -> Iterator[Mistake]:
    stated = entry.get("name")
    if isinstance(stated, str):
        try:
            parse_name(stated)
        except InvalidName as error:
            yield (f"{path}.name", str(error), "a DNS name")
