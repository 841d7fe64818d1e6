"""Record sets as a BIND zone file (RFC 1035, master file format), and its values as Route 53's.

Only the spelling differs: a zone file escapes bytes in decimal, Route 53 in octal. Nothing here
decides what may stand in a zone; see `validation`.
"""

import re
from collections.abc import Iterable

import dns.exception
import dns.name
import dns.rdata
from dns.rdtypes.ANY.CAA import CAA
from dns.rdtypes.IN.NAPTR import NAPTR
from dns.rdtypes.IN.SRV import SRV
from dns.rdtypes.mxbase import MXBase
from dns.rdtypes.nsbase import NSBase
from dns.rdtypes.svcbbase import SVCBBase
from dns.rdtypes.txtbase import TXTBase

from dnsplan.errors import InvalidName, InvalidRecord
from dnsplan.formats.unsaid import Unsaid, Written, simple_form, unsaid
from dnsplan.names import Name, from_labels, parse_name, to_labels
from dnsplan.normal import normal_values
from dnsplan.records import RecordSet
from dnsplan.text import quote

# The types whose values Route 53 reads with octal escapes; other values are texts to it.
_ESCAPING_TYPES = frozenset({"CAA", "CNAME", "MX", "NAPTR", "NS", "PTR", "SPF", "SRV", "TXT"})
_SERVICE_TYPES = frozenset({"HTTPS", "SVCB"})
_ESCAPE = re.compile(r"\\(?:([0-3][0-7]{2})|.)", re.DOTALL)


def route53_value(rdata: dns.rdata.Rdata) -> str:
    """A value that dnspython read, as Route 53 spells it; InvalidName for a name that cannot be."""
    match rdata:
        case TXTBase():
            return quote(tuple(rdata.strings))
        case CAA():
            return f"{rdata.flags} {rdata.tag.decode()} {quote((rdata.value,))}"
        case MXBase():
            return f"{rdata.preference} {route53_name(rdata.exchange)}"
        case SRV():
            numbers = f"{rdata.priority} {rdata.weight} {rdata.port}"
            return f"{numbers} {route53_name(rdata.target)}"
        case NSBase():
            return route53_name(rdata.target)
        case NAPTR():
            texts = (quote((text,)) for text in (rdata.flags, rdata.service, rdata.regexp))
            numbers = f"{rdata.order} {rdata.preference}"
            return " ".join((numbers, *texts, route53_name(rdata.replacement)))
        case SVCBBase():
            _, _, *parameters = rdata.to_text().split(" ", 2)
            return " ".join((str(rdata.priority), route53_name(rdata.target), *parameters))
        case _:
            return rdata.to_text()


def route53_name(name: dns.name.Name) -> str:
    """A name that dnspython read, in our one form; the root stays a dot."""
    return "." if name == dns.name.root else from_labels(name.labels[:-1])


def zone_text(zone: Name, content: Iterable[RecordSet]) -> Written:
    """A zone file of the record sets, less its SOA and apex NS, which Route 53 keeps."""
    lines = [f"$ORIGIN {_bind_name(zone)}"]
    left_out: list[Unsaid] = []
    for one in content:
        try:
            lines.extend(_lines(one))
        except InvalidRecord as error:
            left_out.append(unsaid(one, str(error)))
    return Written("".join(f"{line}\n" for line in lines), tuple(left_out))


def _lines(one: RecordSet) -> list[str]:
    if why := simple_form(one):
        raise InvalidRecord(why)
    start = f"{_bind_name(one.name)} {one.ttl_s} IN {one.type}"
    return [f"{start} {_bind_value(one.type, value)}" for value in one.values]


def _bind_name(name: str) -> str:
    if name == ".":
        return name
    return dns.name.Name((*to_labels(parse_name(name)), b"")).to_text()


def _bind_value(record_type: str, value: str) -> str:
    """The value in a zone file's spelling, if reading it there gives this very value.

    Where Route 53 takes any spelling (HTTPS, DS), the value is written as it stands, but for the
    name in it.
    """
    if record_type in _SERVICE_TYPES:
        priority, target, *parameters = value.split(" ", 2)
        value = " ".join((priority, _bind_name(target), *parameters))
    is_ours = record_type in _ESCAPING_TYPES
    spelled = _ESCAPE.sub(_decimal, value) if is_ours else value
    try:
        rdata = dns.rdata.from_text("IN", record_type, spelled)
        back = route53_value(rdata)
    except (dns.exception.DNSException, InvalidName, ValueError) as error:
        raise InvalidRecord(f"{value!r} cannot be written in a zone file: {error}") from error
    if not is_ours:
        return value
    if normal_values(record_type, (back,)) != normal_values(record_type, (value,)):
        raise InvalidRecord(f"{value!r} would read as {back!r} in a zone file")
    return rdata.to_text()


def _decimal(escape: re.Match[str]) -> str:
    return f"\\{int(escape[1], 8):03d}" if escape[1] else escape[0]
