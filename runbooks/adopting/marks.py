"""Whose marks stand in a zone: TXT records by which other tools remember what they write.

A mark is recognised by its text, since prefixes and suffixes are every installation's own; which
record set it speaks of is told from its name, and left open where that cannot be told. It decides
nothing: a marked name can be adopted, and its other writer must be stopped by people.
Formats: external-dns, TXT registry (docs/registry/txt.md); octoDNS, OwnershipProcessor and
MetaProcessor.
"""

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from dnsplan.errors import InvalidName, InvalidRecord
from dnsplan.names import Name, parse_name
from dnsplan.records import RecordSet
from dnsplan.text import unquote

EXTERNAL_DNS = "external-dns"
OCTODNS = "octoDNS"

_HERITAGE = "heritage=external-dns"
_OWNER = re.compile(r"external-dns/owner=([^,]*)")
# external-dns states the type before the name; an alias that it makes as A is marked `cname-`.
_TYPED = re.compile(r"(?:a|aaaa|cname|ns|mx|srv|naptr|txt|ptr)-")
_SEAMS = ("-", "_", ".")
# What it is commonly told to write for `*` (`--txt-wildcard-replacement`).
_WILDCARD = "wildcard"
_OCTODNS_OWNED = "*octodns*"
_OCTODNS_META = re.compile(r"octodns-version=|provider=.*octodns", re.IGNORECASE)


@dataclass(frozen=True, slots=True, order=True)
class Mark:
    """One TXT record set that says who writes something here.

    `subject` is the name that it speaks of, None where that cannot be told; `owner` is what the
    other installation calls itself.
    """

    tool: str
    at: Name
    owner: str | None
    subject: Name | None


def marks_of(listed: Iterable[RecordSet], zone: Name) -> tuple[Mark, ...]:
    """Every mark in a listing, sorted; a mark counts once however many values it has."""
    record_sets = tuple(listed)
    texts = {one.name: tuple(_texts(one)) for one in record_sets if one.type == "TXT"}
    marked = {name for name, found in texts.items() if any(map(_tool, found))}
    # A mark may stand at the very name that it speaks of, so names with other types count too.
    names = {one.name for one in record_sets if one.type != "TXT" or one.name not in marked}
    found = (_mark(name, texts[name], names, zone) for name in marked)
    return tuple(sorted(found, key=lambda one: (one.tool, one.at)))


def _mark(at: Name, texts: Collection[str], names: Collection[Name], zone: Name) -> Mark:
    text = next(one for one in texts if _tool(one))
    if _tool(text) == EXTERNAL_DNS:
        owner = _OWNER.search(text)
        subject = at if at in names else _affixed(at, names, zone)
        return Mark(EXTERNAL_DNS, at, owner[1] if owner else None, subject)
    return Mark(OCTODNS, at, None, _octodns_subject(at, zone))


def _tool(text: str) -> str | None:
    if text.startswith(_HERITAGE):
        return EXTERNAL_DNS
    if text == _OCTODNS_OWNED or text.startswith("heritage=octodns") or _OCTODNS_META.match(text):
        return OCTODNS
    return None


def _affixed(at: Name, names: Collection[Name], zone: Name) -> Name | None:
    """The longest standing name that is the mark's without its type, its prefix or its suffix."""
    label, _, parent = at.partition(".")
    bare = _TYPED.sub("", label, count=1)
    fitting = []
    for name in names:
        first, _, rest = name.partition(".")
        before = at.removesuffix(name)
        prefixed = before != at and before.endswith(_SEAMS)
        suffixed = rest == parent and bare.removeprefix(first).startswith(_SEAMS)
        if name != zone and (prefixed or (suffixed and bare.startswith(first))):
            fitting.append(name)
    if not fitting and bare == _WILDCARD and f"\\052.{parent}" in names:
        return Name(f"\\052.{parent}")
    return max(fitting, key=lambda name: (len(name), name), default=None)


def _octodns_subject(at: Name, zone: Name) -> Name | None:
    """octoDNS writes `_owner.a.www`: its own label, the type, and the name, if it is not the
    apex."""
    relative = at.removesuffix(zone).removesuffix(".").split(".")
    if len(relative) < 2:
        return None
    labels = ["*" if label == "_wildcard" else label for label in relative[2:]]
    try:
        return parse_name(".".join([*labels, zone]))
    except InvalidName:
        return None


def _texts(record_set: RecordSet) -> Iterator[str]:
    """Each value as one text; external-dns writes quotes of its own around what Route 53 quotes."""
    for value in record_set.values:
        try:
            text = "".join(part.decode("latin-1") for part in unquote(value))
        except InvalidRecord:
            text = value
        yield text.strip().strip('"')
