"""Say what is wrong with the values of one record set: count, repeats, and the syntax of each type.

The words are Route 53's where a public report quotes them (marks.py says which).
"""

import ipaddress
import re
from collections.abc import Callable

from sandbox.route53.model import StoredRecordSet
from sandbox.route53.names import BadNameError, canonical, fatal
from sandbox.route53.normal import CHARACTER_STRING, STRING_ESCAPE, normal_value

VALUES_MAX = 400
VALUE_CHARS_MAX = 4_000
STRING_CHARS_MAX = 255
QUOTED_STRINGS = re.compile(r'\s*"(?:[^"\\]|\\.)*"(?:\s+"(?:[^"\\]|\\.)*")*\s*', re.DOTALL)
OCTET = r"(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])"
IPV4 = re.compile(rf"{OCTET}(?:\.{OCTET}){{3}}").fullmatch
PRINTABLE = re.compile(r"[ -~\t]*").fullmatch
CAA_TAG = re.compile(r"[A-Za-z0-9]+")
ONE_VALUE = ("CNAME", "SOA")


# "No mail host" in an MX (RFC 7505) and "no such service" in an SRV (RFC 2782).
ROOT = "."


def value_faults(record: StoredRecordSet) -> list[str]:
    """List every complaint about a record set's values."""
    found = []
    values = record.values
    if len(values) > VALUES_MAX:
        found.append(f"Cannot have more than {VALUES_MAX} records in a RRSet.")
    if record.type in ONE_VALUE and len(values) > 1:
        found.append(
            f"RRSet of type {record.type} with DNS name {record.name} can hold one value only."
        )
    found += repeats(record)
    check = SYNTAX.get(record.type, free_text)
    for value in values:
        complaint = too_long(value) or check(value)
        if complaint is not None:
            found.append(f"Invalid Resource Record: '{complaint}'")
    return found


def repeats(record: StoredRecordSet) -> list[str]:
    """Complain once of each value that stands twice."""
    if len(record.values) < 2:
        return []
    seen: set[str] = set()
    twice = []
    for value in record.values:
        form = normal_value(record.type, value)
        if form in seen:
            twice.append(f"Duplicate Resource Record: '{value}'")
        seen.add(form)
    return twice


def too_long(value: str) -> str | None:
    """Complain of a value over 4,000 characters."""
    if len(value) <= VALUE_CHARS_MAX:
        return None
    return fatal("RRDATATooLong", "Value is too long", value)


def free_text(value: str) -> str | None:
    """Complain of an empty value; the rarer types are not looked into."""
    if value.strip():
        return None
    return fatal("RRDATAEmpty", "Value is empty", value)


def ipv4(value: str) -> str | None:
    if IPV4(value):
        return None
    return fatal("ARRDATAIllegalIPv4Address", "Value is not a valid IPv4 address", value)


def ipv6(value: str) -> str | None:
    try:
        address = ipaddress.IPv6Address(value)
    except ValueError:
        return fatal("AAAARRDATAIllegalIPv6Address", "Value is not a valid IPv6 address", value)
    if address.scope_id is not None:
        return fatal("AAAARRDATAIllegalIPv6Address", "Value is not a valid IPv6 address", value)
    return None


def text(value: str) -> str | None:
    if not QUOTED_STRINGS.fullmatch(value):
        return fatal("InvalidCharacterString", "Value should be enclosed in quotation marks", value)
    if not PRINTABLE(value):
        return fatal("UnsupportedCharacter", "Value contains unsupported characters", value)
    for part in CHARACTER_STRING.findall(value):
        if len(STRING_ESCAPE.sub("x", part)) > STRING_CHARS_MAX:
            return fatal("CharacterStringTooLong", "Value is too long", value)
    return None


def domain(value: str) -> str | None:
    try:
        canonical(value)
    except BadNameError as bad:
        return str(bad)
    return None


def numbered(kind: str, limits: tuple[int, ...], names: int) -> Callable[[str], str | None]:
    """Check values of so many bounded numbers followed by so many names."""

    def check(value: str) -> str | None:
        parts = value.split()
        if len(parts) != len(limits) + names:
            return fatal(
                f"{kind}RRDATANotEnoughFields",
                f"{kind} record has the wrong number of fields",
                value,
            )
        for part, most in zip(parts, limits, strict=False):
            if not part.isascii() or not part.isdigit() or int(part) > most:
                return fatal(f"{kind}RRDATAIllegalNumber", "Value is not a number in range", value)
        hosts = [one for one in parts[len(limits) :] if one != ROOT]
        return next((bad for bad in map(domain, hosts) if bad), None)

    return check


def soa(value: str) -> str | None:
    parts = value.split()
    if len(parts) != 7:
        return fatal("SOARRDATANotEnoughFields", "SOA record has the wrong number of fields", value)
    if any(not part.isascii() or not part.isdigit() or int(part) >= 2**32 for part in parts[2:]):
        return fatal("SOARRDATAIllegalNumber", "Value is not a number in range", value)
    return domain(parts[0]) or domain(parts[1])


def caa(value: str) -> str | None:
    parts = value.split(None, 2)
    if len(parts) != 3:
        return fatal("CAARRDATANotEnoughFields", "CAA record has the wrong number of fields", value)
    flags, tag, rest = parts
    if not flags.isascii() or not flags.isdigit() or int(flags) > 255:
        return fatal("CAARRDATAIllegalFlags", "Flags must be between 0 and 255", value)
    if not CAA_TAG.fullmatch(tag):
        return fatal("CAARRDATAIllegalTag", "Tag must be letters and digits", value)
    return text(rest)


SYNTAX: dict[str, Callable[[str], str | None]] = {
    "A": ipv4,
    "AAAA": ipv6,
    "CNAME": domain,
    "NS": domain,
    "PTR": domain,
    "MX": numbered("MX", (65_535,), 1),
    "SRV": numbered("SRV", (65_535, 65_535, 65_535), 1),
    "SOA": soa,
    "TXT": text,
    "SPF": text,
    "CAA": caa,
}
