"""Values of DS, TLSA, SSHFP, NAPTR, SVCB and HTTPS: each read by dnspython and written in one text.

A fingerprint is one run of small hexadecimal digits, a name is folded, texts stand in quotes, and
service parameters in the order of their keys, each with its value in quotes. What dnspython cannot
read is InvalidRecord; nothing is guessed, and no other type is touched.
Source: RFC 4034 (DS), 4255 (SSHFP), 6698 (TLSA), 3403 (NAPTR), 9460 (SVCB and HTTPS).
"""

import re
from collections.abc import Callable, Mapping
from typing import Any

import dns.exception
import dns.name
import dns.rdata
import dns.rdataclass
import dns.rdatatype
from dns.rdtypes.svcbbase import ParamKey, SVCBBase

from dnsplan.errors import InvalidRecord
from dnsplan.names import parse_name
from dnsplan.text import quote, unquote

# dnspython reads values as a zone file would; Route 53 takes neither comments nor RFC 3597 forms.
_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
_FILE_SYNTAX = re.compile(r"[;()\r\n]|\\#")
_TEXT = re.compile(r'"(?:[^"\\]|\\.)*"|[^\s"]+', re.DOTALL)
_KEY = re.compile(r"(?:^|\s)([A-Za-z0-9-]+)")

# Keys above this have a name in some programs and only a number in others: the writer's is kept.
_NAMED_KEY_MAX = ParamKey.IPV6HINT


def read_rdata(record_type: str, text: str, *, value: str) -> dns.rdata.Rdata:
    """What dnspython reads in a text made from `value`, or InvalidRecord. Escapes are decimal."""
    if _FILE_SYNTAX.search(_QUOTED.sub("", text)):
        raise InvalidRecord(
            f"{value!r} holds zone file syntax; a value has no comment, bracket or line end"
        )
    try:
        rdtype = dns.rdatatype.from_text(record_type)
        root = dns.name.root
        return dns.rdata.from_text(dns.rdataclass.IN, rdtype, text, origin=root, relativize=False)
    except (dns.exception.DNSException, ValueError) as error:
        raise InvalidRecord(f"{value!r} is no {record_type} value: {error}") from error


def name_form(value: str) -> str:
    """A name inside a value, folded; the root stays a dot."""
    return "." if value == "." else parse_name(value)


def _fingerprint(record_type: str, fields: int) -> Callable[[str], str]:
    """Numbers, then hexadecimal digits, which people write in either case and with spaces."""

    def form(value: str) -> str:
        parts = read_rdata(record_type, value, value=value).to_text().split()
        return " ".join([*parts[:fields], "".join(parts[fields:])])

    return form


def _naptr(value: str) -> str:
    parts = _TEXT.findall(value)
    if len(parts) != 6 or _TEXT.sub("", value).strip():
        raise InvalidRecord(
            f"{value!r} is no NAPTR value; order, preference, flags, service, regexp, replacement"
        )
    texts = [unquote(one if one.startswith('"') else f'"{one}"') for one in parts[2:5]]
    if parts[5].startswith('"'):
        raise InvalidRecord(f"{value!r} is no NAPTR value; the replacement is a name, unquoted")
    read_rdata("NAPTR", " ".join([*parts[:2], '"" "" "" .']), value=value)
    numbers = [str(int(part)) for part in parts[:2]]
    return " ".join([*numbers, *map(quote, texts), name_form(parts[5])])


def _service(record_type: str) -> Callable[[str], str]:
    """SVCB and HTTPS: priority, target, parameters.

    Parameters with escapes keep their text: programs differ in how they read them.
    """

    def form(value: str) -> str:
        parts = value.split(None, 2)
        if len(parts) < 2:
            raise InvalidRecord(
                f"{value!r} is no {record_type} value; priority, target, parameters"
            )
        target, stated = name_form(parts[1]), (*parts, "")[2].strip()
        text = f"{parts[0]} . {stated}"
        read = _through_wire(read_rdata(record_type, text, value=value), value)
        written = stated if "\\" in stated else _parameters(read.params, stated)
        return " ".join(filter(None, (str(read.priority), target, written)))

    return form


def _through_wire(read: dns.rdata.Rdata, value: str) -> SVCBBase:
    """The same as its bytes say it, where an address or a key has one spelling only."""
    wire = read.to_digestable()
    try:
        back = dns.rdata.from_wire(read.rdclass, read.rdtype, wire, 0, len(wire))
    except dns.exception.DNSException as error:
        raise InvalidRecord(f"{value!r} has a parameter that means nothing: {error}") from error
    if not isinstance(back, SVCBBase):
        raise InvalidRecord(f"{value!r} is no service binding")
    return back


def _parameters(params: Mapping[int, Any], stated: str) -> str:
    # dnspython types no parameter: each has to_text(), and None stands for a key without a value.
    spelled = {
        int(ParamKey.from_text(key.replace("-", "_"))): key.lower()
        for key in _KEY.findall(_QUOTED.sub("", stated))
    }
    written = []
    for number, param in sorted(params.items()):
        known = ParamKey.to_text(number).replace("_", "-").lower()
        key = known if number <= _NAMED_KEY_MAX else spelled.get(number, known)
        written.append(key if param is None else f"{key}={param.to_text()}")
    return " ".join(written)


FORMS: Mapping[str, Callable[[str], str]] = {
    "DS": _fingerprint("DS", 3),
    "HTTPS": _service("HTTPS"),
    "NAPTR": _naptr,
    "SSHFP": _fingerprint("SSHFP", 2),
    "SVCB": _service("SVCB"),
    "TLSA": _fingerprint("TLSA", 3),
}
