"""A BIND zone file read by dnspython, logical line by logical line, so that every mistake is found.

The SOA and the apex NS are Route 53's own, and are left out with a remark. `$INCLUDE` reads files
beside the including one, and only inside the config's folder: a zone file from elsewhere must not
be able to show what else is on the machine.
"""

import re
from dataclasses import dataclass
from pathlib import Path

import dns.exception
import dns.name
import dns.rdata
import dns.rdataclass
import dns.rdatatype
import dns.tokenizer
import dns.transaction
import dns.zonefile

from dnsplan.errors import InvalidName
from dnsplan.formats.bind import route53_name, route53_value
from dnsplan.names import Name, display, to_labels
from dnsplan.runtime.config.nodes import Node, Scalar
from dnsplan.runtime.config.records_from.last_dot import lost_dot
from dnsplan.runtime.config.records_from.lines import Line, logical_lines, words_of
from dnsplan.runtime.config.records_from.stated import (
    Gathered,
    StatedRecord,
    Statement,
    simple_record,
)
from dnsplan.runtime.config.slips import name_in

INCLUDES_DEEP_MAX = 8
LINE_FORM = "a line of a zone file, as www 300 IN A 192.0.2.1"
# Made by whoever signs the zone; Route 53 signs its zones itself.
SIGNING_TYPES = frozenset({"RRSIG", "NSEC", "NSEC3", "NSEC3PARAM", "CDS", "CDNSKEY"})
SHOWN_CHARACTERS_MAX = 60
# One line states one record, or with $GENERATE a row of them: a /16 network's at the most, and no
# more by all such lines of a file together. Counted before any is made: making them takes time.
RECORDS_A_LINE_MAX = 65_536
RANGE_FORM = f"a range as 1-99 or 1-99/2, and {RECORDS_A_LINE_MAX} generated records a file"
ALIAS_FORM = "an alias under names: in the config, with name and zone_id"
NO_JSON = "a zone file, or octoDNS in a file .yaml; dns-runbook restore takes a plan file"
NO_AT = "@ alone, for the origin; below it, the name without @"
APEX_OWN = {"SOA": "the SOA", "NS": "the apex NS"}
# What an included file may change, and the including one finds as it was (RFC 1035, section 5.1).
READER_STATE = (
    "current_origin",
    "last_name",
    "last_ttl",
    "last_ttl_known",
    "default_ttl",
    "default_ttl_known",
    "default_ttl_from_soa",
)

_GENERATE = re.compile(
    r"\$GENERATE\s+([0-9]{1,9})-([0-9]{1,9})(?:/([1-9][0-9]{0,8}))?\s", re.IGNORECASE
)
_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
# How cli53 exports weights, places and the like: the values alone would become one simple set.
_ROUTED = re.compile(r";\s*AWS\s+routing=", re.IGNORECASE)
# And aliases, in a class of its own.
_ALIAS = re.compile(r"\S*\s+(?:\S+\s+)?AWS\s+ALIAS\s", re.IGNORECASE)
_BEFORE_REASON = re.compile(r"^.*?:\d+: |caught exception <class '[^']*'>: ", re.DOTALL)
_TOKEN_NUMBER = re.compile(r"got [0-9]+ ")


def read_bind(path: Path, text: str, apex: Name, folder: Path, gathered: Gathered) -> None:
    """Add what a zone file states to what was gathered."""
    if text.lstrip().startswith("{"):
        gathered.note(path, 1, "", "JSON, as a plan file has", NO_JSON)
        return
    _BindFile(apex, folder, gathered).read(path, text)


class _Sink(dns.transaction.Transaction):
    """Takes the records that dnspython's reader finds, one after the other."""

    def __init__(self) -> None:
        super().__init__(_Origin())
        self.found: list[tuple[dns.name.Name, int, dns.rdata.Rdata]] = []

    def add(self, *args: object) -> None:
        """Take one record; dnspython's reader gives name, TTL and rdata."""
        match args:
            case (dns.name.Name() as name, int(ttl_s), dns.rdata.Rdata() as rdata):
                if len(self.found) >= RECORDS_A_LINE_MAX:
                    raise ValueError(f"more than {RECORDS_A_LINE_MAX} records")
                self.found.append((name, ttl_s, rdata))

    def add_unicode(self, value: str) -> None:
        """Leave $UNICODE alone: names in Unicode are always read by IDNA 2008."""

    def _set_origin(self, origin: dns.name.Name | None) -> None:
        """The reader keeps the present origin itself."""


class _Origin(dns.transaction.TransactionManager):
    """Everything is inside the root, so that no line is skipped for being outside the zone."""

    def origin_information(self) -> tuple[dns.name.Name | None, bool, dns.name.Name | None]:
        return dns.name.root, False, dns.name.root

    def get_class(self) -> dns.rdataclass.RdataClass:
        return dns.rdataclass.IN


@dataclass(slots=True)
class _Group:
    """The record set that lines of one name and type make together."""

    line: int
    file: str
    ttl_s: int
    values: list[Node]


class _BindFile:
    """One zone file and what it includes; dnspython's reader keeps origin, last name and TTLs."""

    def __init__(self, apex: Name, folder: Path, gathered: Gathered) -> None:
        self._apex = apex
        self._folder = folder.resolve()
        self._gathered = gathered
        self._groups: dict[tuple[Name, str], _Group] = {}
        self._sink = _Sink()
        empty = dns.tokenizer.Tokenizer("")
        self._reader = dns.zonefile.Reader(empty, dns.rdataclass.IN, self._sink)
        origin = self._reader.current_origin = dns.name.Name((*to_labels(apex), b""))
        self._spelled = (origin, str(apex))
        self._reader.last_name = None
        self._left_out: set[str] = set()
        self._may_generate = RECORDS_A_LINE_MAX

    def read(self, path: Path, text: str) -> None:
        self._file(path, text, ())
        for (name, record_type), group in self._groups.items():
            ttl = Scalar(group.file, group.line, group.ttl_s)
            node = simple_record(group.file, group.line, record_type, ttl, group.values)
            self._gathered.records.append(StatedRecord(name, record_type, node))
        if self._left_out:
            kinds = " and ".join(sorted(self._left_out))
            self._gathered.remarks.append(f"{path}: left out {kinds}, which are Route 53's own")

    def _file(self, path: Path, text: str, within: tuple[Path, ...]) -> None:
        for line, one in logical_lines(text):
            word = one.split(None, 1)[0].upper()
            if word == "$INCLUDE":
                self._include(path, line, one, (*within, path.resolve()))
            elif word == "$GENERATE" and not self._is_affordable(one):
                self._gathered.note(path, line, "", _short(one), RANGE_FORM)
            else:
                self._line(path, line, one)

    def _is_affordable(self, text: str) -> bool:
        """Whether a range can be read and fits into what is left; it is taken off if so."""
        match = _GENERATE.match(text)
        if match is None:
            return False
        first, last, step = (int(number or 1) for number in match.groups())
        count = max(0, last - first) // step + 1
        if count > self._may_generate:
            return False
        self._may_generate -= count
        return True

    def _line(self, path: Path, line: int, text: str) -> None:
        if routed := _ROUTED.search(_QUOTED.sub(_blank, text)):
            found = f"{_short(text[: routed.start()])}: a routing policy in a comment"
            allowed = "names: in the config, one record set with set_id and its policy a line"
            self._gathered.note(path, line, "", found, allowed)
            return
        if _ALIAS.match(text):
            self._gathered.note(path, line, "", f"{_short(text)}, as cli53 writes", ALIAS_FORM)
            return
        codec, origin = dns.name.IDNA_2008_UTS_46, self._origin()
        self._reader.tok = dns.tokenizer.Tokenizer(text, str(path), idna_codec=codec)
        try:
            self._reader.read()
        except (dns.exception.DNSException, ValueError) as error:
            self._gathered.note(path, line, "", f"{_short(text)}: {_reason(error)}", LINE_FORM)
        at = Line(path, line, text, origin)
        self._is_dotless(at, (self._origin(),))
        for name, ttl_s, rdata in self._sink.found:
            try:
                self._record(at, ttl_s, name, rdata)
            except InvalidName as error:
                self._gathered.note(path, line, "", str(error), "a DNS name")
        self._sink.found.clear()

    def _record(self, at: Line, ttl_s: int, owner: dns.name.Name, rdata: dns.rdata.Rdata) -> None:
        path, line, name = at.file, at.number, route53_name(owner)
        if b"@" in owner.labels:  # as in _sip._tls.@, which means _sip._tls to its writers
            self._gathered.note(path, line, "", f"the label @ in {display(Name(name))}", NO_AT)
            return
        record_type = dns.rdatatype.to_text(rdata.rdtype)
        if name == self._apex and record_type in APEX_OWN:
            self._left_out.add(APEX_OWN[record_type])
            return
        if record_type in SIGNING_TYPES:
            found = f"{record_type} of {display(Name(name))}"
            allowed = "the zone before it is signed; Route 53 signs zones itself"
            self._gathered.note(path, line, "", found, allowed)
            return
        text = route53_value(rdata)
        if self._is_dotless(at, (name, name_in(record_type, text) or name)):
            return
        value = Scalar(str(path), line, text)
        group = self._groups.setdefault(
            (Name(name), record_type), _Group(line, str(path), ttl_s, [])
        )
        group.values.append(value)
        if group.ttl_s != ttl_s:
            found = f"TTL {ttl_s} for {display(Name(name))} {record_type}"
            allowed = f"{group.ttl_s}, as in {group.file}:{group.line}; a record set has one TTL"
            self._gathered.note(path, line, "", found, allowed)

    def _origin(self) -> str:
        """The present origin; spelled once, since most lines share it."""
        present = self._reader.current_origin or dns.name.root
        if self._spelled[0] is not present:
            self._spelled = (present, route53_name(present))
        return self._spelled[1]

    def _is_dotless(self, at: Line, names: tuple[str, ...]) -> bool:
        """Whether one of the names was hardly meant; it is said then."""
        lost = lost_dot(at.text, names, origin=at.origin, apex=self._apex)
        if lost is not None:
            found = f"{lost[0]}, which would become {display(lost[1])}"
            allowed = f"{lost[0]}. with its last dot"
            self._gathered.note(at.file, at.number, "", found, allowed)
        return lost is not None

    def _include(self, path: Path, line: int, text: str, within: tuple[Path, ...]) -> None:
        words = words_of(text)
        if not 2 <= len(words) <= 3:
            self._gathered.note(path, line, "", _short(text), "$INCLUDE FILE [ORIGIN]")
            return
        if "\0" in words[1]:
            found = "a file name with the byte 0"
            self._gathered.note(path, line, "", found, "$INCLUDE FILE [ORIGIN]")
            return
        there = path.parent / words[1]
        if not there.resolve().is_relative_to(self._folder):
            allowed = f"a file inside {self._folder}, where the config is"
            self._gathered.note(path, line, "", f"{words[1]}, which is outside", allowed)
            return
        if there.resolve() in within or len(within) > INCLUDES_DEEP_MAX:
            found = f"{words[1]}, which includes itself or is {len(within)} files deep"
            allowed = f"at most {INCLUDES_DEEP_MAX} files, each including the next"
            self._gathered.note(path, line, "", found, allowed)
            return
        reader, outer = self._reader, {key: getattr(self._reader, key) for key in READER_STATE}
        try:
            if len(words) == 3:
                reader.current_origin = dns.name.from_text(words[2], reader.current_origin)
        except dns.exception.DNSException as error:
            self._gathered.note(path, line, "", f"{words[2]}: {_reason(error)}", "an origin")
        inner = self._gathered.read(there, Statement(path, line, ""))
        self._file(there, inner or "", within)
        for key, value in outer.items():
            setattr(reader, key, value)


def _blank(quoted: re.Match[str]) -> str:
    return " " * len(quoted[0])


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= SHOWN_CHARACTERS_MAX else f"{line[: SHOWN_CHARACTERS_MAX - 3]}..."


def _reason(error: Exception) -> str:
    """dnspython's words without the place and the class that it puts before them."""
    return _TOKEN_NUMBER.sub("found ", _BEFORE_REASON.sub("", str(error))) or "unreadable"
