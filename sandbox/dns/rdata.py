"""Read the values of record sets into rdata that can go onto the wire.

A value that cannot be read is an error of its own, never a crash: one bad record set must not take
other answers with it. Escapes in values are octal, as Route 53 keeps them.
"""

import re
from functools import lru_cache
from typing import cast

import dns.exception
import dns.name
import dns.rdata
import dns.rdataclass
import dns.rdatatype
from dns.rdata import Rdata
from dns.rdtypes.ANY.SOA import SOA

from sandbox.route53.names import BadNameError, canonical

# A backslash takes the next character with it, so that an escaped backslash starts no escape.
ESCAPE = re.compile(r"\\(?:([0-3][0-7]{2})|.)", re.DOTALL)
# Enough for the names that one test or one laptop asks for again and again.
CACHED_VALUES_MAX = 8_192


class BadRdataError(ValueError):
    """A stored value that its type cannot hold."""


@lru_cache(maxsize=CACHED_VALUES_MAX)
def rdata(kind: str, value: str) -> Rdata:
    """Read one value; a name without its trailing dot is absolute all the same."""
    try:
        return dns.rdata.from_text(
            dns.rdataclass.IN,
            dns.rdatatype.from_text(kind),
            decimal_escapes(value),
            origin=dns.name.root,
            relativize=False,
        )
    except (dns.exception.DNSException, ValueError) as bad:
        raise BadRdataError(f"{kind} value {value!r}: {bad}") from bad


def decimal_escapes(value: str) -> str:
    """Rewrite octal escapes as zone files write them; leave every other escape alone."""
    return ESCAPE.sub(lambda found: f"\\{int(found[1], 8):03d}" if found[1] else found[0], value)


def target_name(kind: str, value: str) -> str:
    """Take the name that a CNAME, NS or PTR points at, in listing form."""
    try:
        return canonical(value.strip())
    except BadNameError as bad:
        raise BadRdataError(f"{kind} value {value!r}: {bad}") from bad


def soa_minimum_s(value: str) -> int:
    """Take the last field of an SOA: how long a negative answer may be kept."""
    # Whatever is read as type SOA is an SOA, in whichever syntax; rdata() declares the base class.
    return cast("SOA", rdata("SOA", value)).minimum
