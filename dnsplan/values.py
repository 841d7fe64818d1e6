"""What is wrong with one value of a record set, as Route 53 would judge it.

Values are read by dnspython; those of types that nobody knows yet pass as they are.
Source: Route 53 Developer Guide, supported resource record types.
"""

import ipaddress

from dnsplan.errors import InvalidName, InvalidRecord
from dnsplan.normal import ipv4_form
from dnsplan.rdata import FORMS, name_form, read_rdata
from dnsplan.text import STRING_BYTES_MAX, TEXT_TYPES, quote, unquote

VALUE_CHARACTERS_MAX = 4_000

# What Route 53 takes today; SOA is its own. A type that nobody knows yet passes as it is stated.
TYPES = (
    *("A", "AAAA", "CAA", "CNAME", "DS", "HTTPS", "MX", "NAPTR", "NS", "PTR", "SOA", "SPF"),
    *("SRV", "SSHFP", "SVCB", "TLSA", "TXT"),
)

_ADDRESS_TYPES = frozenset({"A", "AAAA"})
_NAME_TYPES = frozenset({"CNAME", "MX", "NS", "PTR", "SRV"})
# Those of which the root says nothing: for MX and SRV it says that there is no such service.
_LEADING_TYPES = frozenset({"CNAME", "NS", "PTR"})


def value_problem(record_type: str, value: str) -> str | None:
    """Why one value cannot stand in a set of this type, or None."""
    if problem := _length_problem(value):
        return problem
    if record_type in TEXT_TYPES:
        return _text_problem(value)
    if record_type not in TYPES:
        return None if value.strip() else "an empty value"
    if record_type in _ADDRESS_TYPES:
        return _address_problem(record_type, value)
    return _rdata_problem(record_type, value)


def _text_problem(value: str) -> str | None:
    try:
        strings = unquote(value)
    except InvalidRecord as error:
        return str(error)
    longest = max(map(len, strings))
    if longest > STRING_BYTES_MAX:
        return f"a string of {longest} bytes; at most {STRING_BYTES_MAX} between two quotes"
    # One character is written as sixteen at the most: four bytes, each an escape of four.
    if 16 * len(value) > VALUE_CHARACTERS_MAX:
        return _length_problem(quote(strings))
    return None


def _address_problem(record_type: str, value: str) -> str | None:
    if not _is_address(record_type, value):
        return (
            f"{value!r} is no {record_type} value; an IPv4 address for A, an IPv6 address for AAAA"
        )
    return None


def _is_address(record_type: str, value: str) -> bool:
    try:
        if record_type == "A":
            return ipv4_form(value) == value
        address = ipaddress.IPv6Address(value)
    except ValueError:
        return False
    # A scope names an interface of one machine: it means nothing in DNS.
    return "%" not in value and not is_mapped(address)


def is_mapped(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> bool:
    """Whether it is an IPv4 address in the form of an IPv6 one, to which no client connects.

    Python 3.13 spells it otherwise than those before: two planners would never agree about it.
    """
    return isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped is not None


def _rdata_problem(record_type: str, value: str) -> str | None:
    try:
        if record_type in FORMS:
            written = FORMS[record_type](value)
            if record_type == "NAPTR" and _answers_twice(written):
                return f"{value!r} has a regexp and a replacement; one of them"
        elif record_type == "CAA" and len(value.split(None, 2)) == 3:
            return _caa_problem(value)
        elif record_type in _NAME_TYPES and value.split():
            # Names are read by our own codec: dnspython takes \052 for decimal, Route 53 for octal.
            *fields, name = value.split()
            if name == "." and record_type in _LEADING_TYPES:
                return f"{value!r}, the root, which answers nothing; a name"
            name_form(name)
            read_rdata(record_type, " ".join([*fields, "name."]), value=value)
        else:
            read_rdata(record_type, value, value=value)
    except (InvalidName, InvalidRecord) as error:
        return str(error)
    return None


def _answers_twice(naptr: str) -> bool:
    """Route 53 wants one of the two (github.com/kubernetes-sigs/external-dns, issue 3979)."""
    texts, replacement = naptr.rsplit(" ", 1)
    return replacement != "." and not texts.endswith(' ""')


def _length_problem(value: str) -> str | None:
    if len(value) > VALUE_CHARACTERS_MAX:
        return f"a value of {len(value)} characters; at most {VALUE_CHARACTERS_MAX}"
    return None


def _caa_problem(value: str) -> str | None:
    """Its text is read by our own codec, as names are: dnspython takes \\303 for decimal."""
    *first, text = value.split(None, 2)
    read_rdata("CAA", " ".join([*first, '"x"']), value=value)
    strings = unquote(text)
    if len(strings) > 1 or len(strings[0]) > STRING_BYTES_MAX:
        return f"{value!r} is no CAA value; one string of at most {STRING_BYTES_MAX} bytes"
    return None
