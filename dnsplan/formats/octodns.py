"""Record sets as octoDNS's YamlProvider writes them, in the words of octodns-route53.

A value that octoDNS splits into fields is one text here, and back. Its TXT values are Route 53's
text without the outer quotes and with `\\;` for a semicolon, cut into strings after 255 characters
as octodns-route53 cuts them, so that what octoDNS wrote reads as unchanged.
Sources: octodns/record, octodns/provider/yaml.py, octodns_route53/provider.py.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

import yaml
from msgspec import structs

from dnsplan.errors import InvalidRecord
from dnsplan.formats.unsaid import Unsaid, Written, simple_form, unsaid
from dnsplan.names import Name, is_within
from dnsplan.records import AliasTarget, RecordSet
from dnsplan.text import TEXT_TYPES, quote, unquote

# What YamlProvider takes for a record that states no TTL.
DEFAULT_TTL_S = 3_600
ALIAS_TYPE = "Route53Provider/ALIAS"
PLAIN_TYPES = frozenset({"A", "AAAA", "CNAME", "NS", "PTR"})
FIELDS: Mapping[str, tuple[str, ...]] = {
    "CAA": ("flags", "tag", "value"),
    "DS": ("key_tag", "algorithm", "digest_type", "digest"),
    "MX": ("preference", "exchange"),
    "NAPTR": ("order", "preference", "flags", "service", "regexp", "replacement"),
    "SRV": ("priority", "weight", "port", "target"),
    "SSHFP": ("algorithm", "fingerprint_type", "fingerprint"),
    "TLSA": ("certificate_usage", "selector", "matching_type", "certificate_association_data"),
}
TYPES = (*sorted({*PLAIN_TYPES, *TEXT_TYPES, *FIELDS}), ALIAS_TYPE)
QUOTED_FIELDS: Mapping[str, frozenset[str]] = {
    "CAA": frozenset({"value"}),
    "NAPTR": frozenset({"flags", "service", "regexp"}),
}
# Fields whose case means nothing (RFC 3403 4.1, hexadecimal), and the case that octoDNS gives them.
CASED_FIELDS: Mapping[str, Mapping[str, Callable[[str], str]]] = {
    "DS": {"digest": str.lower},
    "NAPTR": {"flags": str.upper},
    "SSHFP": {"fingerprint": str.lower},
    "TLSA": {"certificate_association_data": str.lower},
}

# An alias to a name with one of these in it is to a service, any other to a name of the zone.
_SERVICES = (
    "amazonaws.com.",
    "cloudfront.net.",
    "elasticbeanstalk.com.",
    "awsglobalaccelerator.com.",
)
_CHUNK_CHARACTERS = 255
_BARE_QUOTE = re.compile(r'(\\.)|"', re.DOTALL)
_BARE_SEMICOLON = re.compile(r"(?<!\\);")
_TOKEN = re.compile(r'"((?:[^"\\]|\\.)*)"|(\S+)')
_NUMBER_RUN = re.compile(r"(\d+)")
# A name as octoDNS writes it: escapes are decoded, and only a wildcard and the slash of a
# classless reverse zone needed one.
_SAYABLE_NAME = re.compile(r"(?:\\052\.)?(?:[a-z0-9_.-]|\\057)+")
_PLAIN_SCALAR = re.compile(r"[A-Za-z].*|\d+\.\d+\.\d+\.\d+")

Fields: TypeAlias = Mapping[str, str | int]
Datum: TypeAlias = str | int | bool | dict[str, "Datum"] | list["Datum"]


@dataclass(frozen=True, slots=True)
class Place:
    """The zone that is written; its id tells an alias into itself from one into another."""

    name: Name
    zone_id: str | None


def is_service(alias_name: str) -> bool:
    """Whether octodns-route53 takes the target for a service, which needs a hosted zone id."""
    return any(service in alias_name for service in _SERVICES)


def text_value(written: str) -> str:
    """Route 53's value for a TXT value of the YAML file, or InvalidRecord."""
    is_quoted = written.startswith('"')
    if is_quoted and not written[1:].endswith('"'):
        raise InvalidRecord(f"{written!r} begins with a quote and does not end with one")
    inner = written[1:-1] if is_quoted else written
    joined = inner.replace('" "', "")
    escaped = _BARE_QUOTE.sub(lambda found: found[1] or '\\"', joined)
    strings: list[str] = []
    while escaped or not strings:
        size = min(_CHUNK_CHARACTERS, len(escaped))
        while size and escaped[size - 1] == "\\":
            size -= 1
        if escaped and not size:
            raise InvalidRecord(f"{written!r} ends in a backslash that escapes nothing")
        strings.append(f'"{escaped[:size]}"')
        escaped = escaped[size:]
    return " ".join(strings)


def text_written(value: str) -> str:
    """The YAML file's form of a TXT value, or InvalidRecord when there is none."""
    whole = b"".join(unquote(value))
    if quote((whole,)) != value:
        raise InvalidRecord("its strings are cut at places that octoDNS does not keep")
    written = _BARE_SEMICOLON.sub(r"\\;", value[1:-1].replace('" "', ""))
    if "\\\\;" in written or b"".join(unquote(text_value(written))) != whole:
        raise InvalidRecord("octoDNS has no spelling for a backslash before a semicolon")
    return written


def value_from(record_type: str, fields: Fields) -> str:
    """Route 53's value for a value in fields; every field of the type is there."""
    quoted, cased = QUOTED_FIELDS.get(record_type, ()), CASED_FIELDS.get(record_type, {})
    told = {key: cased.get(key, str)(str(fields[key])) for key in FIELDS[record_type]}
    return " ".join(f'"{text}"' if key in quoted else text for key, text in told.items())


def fields_from(record_type: str, value: str) -> dict[str, Datum]:
    """A value in fields, or InvalidRecord when reading them back would give another value."""
    keys = FIELDS[record_type]
    tokens = [token[1] if token[1] is not None else token[2] for token in _TOKEN.finditer(value)]
    if len(tokens) != len(keys):
        raise InvalidRecord(f"{value!r} has {len(tokens)} fields, not {len(keys)}")
    fields = {
        key: int(token) if token.isascii() and token.isdigit() and len(token) < 10 else token
        for key, token in zip(keys, tokens, strict=True)
    }
    back = value_from(record_type, fields)
    is_same = back.lower() == value.lower() if record_type in CASED_FIELDS else back == value
    if not is_same:
        raise InvalidRecord(f"{value!r} is not spelled as octoDNS spells it")
    return dict(fields)


def zone_text(place: Place, content: Iterable[RecordSet]) -> Written:
    """A YAML file of the record sets, with its keys in octoDNS's natural order."""
    entries: dict[str, list[Datum]] = {}
    aliases: dict[str, list[Datum]] = {}
    left_out: list[Unsaid] = []
    for one in content:
        try:
            name = _relative(one.name, place.name)
            if one.alias is None:
                record = _record(one)
                entries.setdefault(name, []).append(record)
            else:
                value = _alias(one, one.alias, place)
                aliases.setdefault(name, []).append(value)
        except InvalidRecord as error:
            left_out.append(unsaid(one, str(error)))
    for name, values in aliases.items():
        entries.setdefault(name, []).append({"type": ALIAS_TYPE, "values": values})
    tree: dict[str, Datum] = {
        name: entries[name][0] if len(entries[name]) == 1 else entries[name]
        for name in sorted(entries, key=natural_order)
    }
    text = yaml.dump(tree, Dumper=_Dumper, sort_keys=False, width=1_000_000, explicit_start=True)
    return Written(text, tuple(left_out))


def natural_order(key: str) -> tuple[str | int, ...]:
    """octoDNS's order of keys: runs of digits count as numbers."""
    pieces = _NUMBER_RUN.split(key)
    return tuple(int(piece) if index % 2 else piece for index, piece in enumerate(pieces))


def _relative(name: Name, zone: Name) -> str:
    if not _SAYABLE_NAME.fullmatch(name):
        raise InvalidRecord("its name has characters that octoDNS cannot write")
    relative = "" if name == zone else name.removesuffix(f".{zone}")
    return relative.replace("\\052", "*").replace("\\057", "/")


def _record(one: RecordSet) -> Datum:
    if why := simple_form(one):
        raise InvalidRecord(why)
    values = [_value(one.type, value) for value in one.values]
    record: dict[str, Datum] = {"ttl": one.ttl_s or 0, "type": one.type}
    if len(values) == 1:
        return {**record, "value": values[0]}
    return {**record, "values": values}


def _value(record_type: str, value: str) -> Datum:
    if record_type in PLAIN_TYPES:
        return value
    if record_type in TEXT_TYPES:
        return text_written(value)
    if record_type in FIELDS:
        return _sorted(fields_from(record_type, value))
    raise InvalidRecord(f"its type {record_type} is not among those written here for octoDNS")


def _alias(one: RecordSet, alias: AliasTarget, place: Place) -> Datum:
    if why := simple_form(structs.replace(one, alias=None)):
        raise InvalidRecord(why)
    value: dict[str, Datum] = {
        "evaluate-target-health": alias.evaluate_target_health,
        "type": one.type,
    }
    if is_service(alias.name):
        return _sorted({**value, "name": alias.name, "hosted-zone-id": alias.zone_id})
    if alias.zone_id != place.zone_id or not is_within(alias.name, place.name):
        raise InvalidRecord("octoDNS knows aliases to AWS services and into the zone itself only")
    return _sorted({**value, "name": _relative(alias.name, place.name)})


def _sorted(fields: Mapping[str, Datum]) -> dict[str, Datum]:
    return {key: fields[key] for key in sorted(fields, key=natural_order)}


class _Dumper(yaml.SafeDumper):
    """Block style, and quotes around every text that a YAML reader could take for a number."""

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:  # noqa: ARG002, FBT001, FBT002 - PyYAML calls it so
        """Indent lists below their key, as octoDNS's own files do."""
        return super().increase_indent(flow, indentless=False)


def _text_node(dumper: yaml.SafeDumper, text: str) -> yaml.Node:
    style = None if _PLAIN_SCALAR.fullmatch(text) else '"'
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _text_node)
