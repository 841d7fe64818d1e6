"""Say whether two record sets mean the same to Route 53, whatever their spelling.

Name-valued rdata is folded, addresses and numbers are read, values are a multiset. TXT keeps its
case: only its quoting is undone. A value that cannot be read is its own normal form.
"""

import ipaddress
import re
from collections.abc import Callable
from functools import lru_cache

from sandbox.route53.model import StoredRecordSet
from sandbox.route53.names import BadNameError, canonical

CHARACTER_STRING = re.compile(r'"((?:[^"\\]|\\.)*)"', re.DOTALL)
STRING_ESCAPE = re.compile(r"\\([0-7]{3}|.)", re.DOTALL)


@lru_cache(maxsize=65_536)
def normal_value(kind: str, value: str) -> str:
    """Give the form in which two equal values of this type are spelled alike."""
    try:
        return NORMAL.get(kind, spaced)(value)
    except (ValueError, IndexError):
        return value


def content(record: StoredRecordSet) -> tuple[int | None, tuple[str, ...], object]:
    """Give TTL, values in normal form and alias: what the set answers."""
    forms = sorted([normal_value(record.type, value) for value in record.values])
    return record.ttl, tuple(forms), record.alias


def routing(record: StoredRecordSet) -> tuple[object, ...]:
    """Give the fields that say when the set answers, the health check apart."""
    return (
        record.weight,
        record.region,
        record.failover,
        record.geo,
        record.multivalue,
        tuple(sorted(record.other)),
    )


def meaning(record: StoredRecordSet) -> tuple[object, ...]:
    """Give all that tells one set from another at the same place."""
    return content(record), routing(record), record.health_check_id


def text_bytes(value: str) -> tuple[bytes, ...]:
    """Read the quoted strings of a TXT value, escapes undone."""
    return tuple(
        STRING_ESCAPE.sub(unescaped, part).encode("utf-8", "surrogatepass")
        for part in CHARACTER_STRING.findall(value)
    )


def unescaped(match: re.Match[str]) -> str:
    """Undo one escape of a quoted string."""
    text = match[1]
    return chr(int(text, 8)) if len(text) == 3 else text


def text(value: str) -> str:
    found = text_bytes(value)
    return repr(found) if found else value


def name(value: str) -> str:
    try:
        return canonical(value.strip())
    except BadNameError:
        return value


def spaced(value: str) -> str:
    return " ".join(value.split())


def numbers_then_names(numbers: int) -> Callable[[str], str]:
    def read(value: str) -> str:
        parts = value.split()
        head = [str(int(part)) for part in parts[:numbers]]
        return " ".join(head + [name(part) for part in parts[numbers:]])

    return read


def soa(value: str) -> str:
    parts = value.split()
    return " ".join([name(part) for part in parts[:2]] + [str(int(part)) for part in parts[2:]])


def caa(value: str) -> str:
    flags, tag, rest = value.split(None, 2)
    return f"{int(flags)} {tag.lower()} {rest.strip().strip(chr(34))}"


NORMAL: dict[str, Callable[[str], str]] = {
    "A": str.strip,  # an IPv4 address has one spelling
    "AAAA": lambda value: str(ipaddress.IPv6Address(value.strip())),
    "CNAME": name,
    "NS": name,
    "PTR": name,
    "MX": numbers_then_names(1),
    "SRV": numbers_then_names(3),
    "SOA": soa,
    "TXT": text,
    "SPF": text,
    "CAA": caa,
    "DS": lambda value: spaced(value).lower(),
    "TLSA": lambda value: spaced(value).lower(),
    "SSHFP": lambda value: spaced(value).lower(),
}
