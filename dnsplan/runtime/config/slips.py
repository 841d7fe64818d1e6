"""Texts that can be read as DNS names and were hardly meant so: slips of the hand in `dns.yaml`.

Route 53 would take them, and the name would be another one, or lead nowhere. Only what people wrote
is asked; what a zone holds already is taken as it is.
"""

import re
import unicodedata

from dnsplan.errors import InvalidRecord
from dnsplan.names import Name, display, is_within, join, parse_name, to_labels
from dnsplan.runtime.config.explain import Finding, show
from dnsplan.runtime.config.nodes import Path
from dnsplan.text import TEXT_TYPES, unquote

_BLANK_AT_EDGE = re.compile(r"(?:^|\.)\s|(?<!\\)\s(?:\.|$)")
# A port or a path behind a host name; a slash stands in names of classless reverse zones alone.
_PORT = re.compile(r"(?<!\\):[0-9]+\.?$")
_PATH = re.compile(r"(?<!\\)/(?!.*\.arpa\.?$)", re.IGNORECASE)
# What a zone file makes of a host's name without its last dot.
_REVERSE = re.compile(r"\.(?:in-addr|ip6)\.arpa\.?$", re.IGNORECASE)
_LINE_END = re.compile(r"[\r\n]")
# What a copied text brings along, and no eye tells from a blank, from nothing or from a quote.
_UNSEEN = re.compile("[\u00a0\u200b\u2060\ufeff]|^[\u201c\u201d\u201e]")
# How Terraform cuts a long text into strings, inside quotes that it adds itself.
_CUT = re.compile(r'[^\s"\\]" ?"[^\s"]')
_BEFORE_NAME = {
    **dict.fromkeys(("CNAME", "NS", "PTR"), 0),
    **dict.fromkeys(("HTTPS", "MX", "SVCB"), 1),
    "SRV": 3,
    "NAPTR": 5,
}

# What is wrong, after the words "where NAME", and what is meant instead.
Slip = tuple[str, str]


def slip_in_name(text: str) -> Slip | None:
    """Why a text is hardly the name that is meant, wherever a name may stand."""
    if "://" in text:
        return "is a web address", "the DNS name in it"
    if _BLANK_AT_EDGE.search(text):
        return "has a label that begins or ends with a blank", "no blank, or \\040 if one is meant"
    if text != "@" and "@" in text.split("."):
        return "has a label @, which stands for the zone only alone", "the name without it"
    return None


def place_again(key: str, apex: Name) -> tuple[str, str] | None:
    """What a key would become that names its zone once more, and the relative name that is meant.

    The zone may be stated in letters outside ASCII, and the key in A-labels, or the other way.
    """
    if key.endswith("."):
        return None
    # Most of 300,000 keys are plain, and need not be parsed for it.
    is_plain = key.isascii() and "\\" not in key
    whole = Name(f"{key.lower()}.") if is_plain else parse_name(key)
    if not is_within(whole, apex):
        return None
    short = key.split(".")[: -len(to_labels(apex))]
    return display(join(f"{key}.{apex}", apex)), ".".join(short)


def slip_in_target(text: str) -> Slip | None:
    """The same for a name that something leads to, which is always a full one.

    Route 53 would read `mail` as the top-level domain `mail.`; a BIND file would mean the zone's.
    """
    if slip := slip_in_name(text):
        return slip
    if "." not in text:
        return "would be a top-level domain", "the full name with a last dot"
    if text.rstrip(".").rpartition(".")[2].isdecimal():
        return "is no name", "a name; addresses stand in A and AAAA records"
    if _PORT.search(text) or _PATH.search(text):
        return "has a port or a path", "the DNS name alone"
    return None


def name_in(record_type: str, value: str) -> str | None:
    """The name that a value of this type leads to; None for a type without one."""
    before = _BEFORE_NAME.get(record_type)
    words = value.split()
    if before is None or len(words) <= before:
        return None
    return words[-1] if record_type == "NAPTR" else words[before]


def value_finding(record_type: str, value: str, path: Path) -> Finding | None:
    """A slip in a text, or in the name that a value leads to."""
    if record_type in TEXT_TYPES:
        return _text_finding(value, path)
    name = name_in(record_type, value)
    slip = None if name is None else slip_in_target(name)
    if record_type == "PTR" and slip is None and _REVERSE.search(value):
        slip = "lies in a reverse zone, where no host is", "the host's full name with a last dot"
    return (
        None if slip is None else Finding(path, f"{show(value)}, where {name} {slip[0]}", slip[1])
    )


def _text_finding(value: str, path: Path) -> Finding | None:
    """What was hardly meant to be in a text: a block's line end, what no eye sees, quotes that
    another tool takes away."""
    if _LINE_END.search(value):
        allowed = "one line (>- joins several), or \\012 in quotes if a line end is meant"
        return Finding(path, f"{show(value)}, which holds a line end", allowed)
    if unseen := _UNSEEN.search(value):
        found = f"{show(value)}, which holds {unicodedata.name(unseen[0]).lower()}"
        return Finding(path, found, "plain blanks and quotes, or its bytes in octal if it is meant")
    if _CUT.search(value) and _is_row(f'"{value}"'):
        allowed = 'one text, which is cut for you, or each string in quotes: "first" "second"'
        return Finding(path, f"{show(value)}, which would hold the quotes between strings", allowed)
    return None


def _is_row(text: str) -> bool:
    try:
        return bool(unquote(text))
    except InvalidRecord:
        return False
