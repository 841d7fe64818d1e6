"""The one codec for DNS names. A `Name` is always in the form in which Route 53 lists it.

That form is lower case, ends with a dot, and writes every byte outside a-z, 0-9, hyphen and
underscore as a backslash and three octal digits (`*.example.com.` is listed as
`\\052.example.com.`). One form means that two names are equal exactly when their texts are.
Source: Route 53 Developer Guide, DNS domain name format.
"""

import re
import shlex
from collections.abc import Iterable, Iterator, Sequence
from typing import NewType

import idna

from dnsplan.errors import InvalidName

Name = NewType("Name", str)

LABEL_BYTES_MAX = 63
NAME_BYTES_MAX = 255

_WILDCARD = "\\052."
_PLAIN = frozenset(b"abcdefghijklmnopqrstuvwxyz0123456789-_")
_CANONICAL = re.compile(r"(?:[a-z0-9_-]{1,63}\.)+")
_PIECE = re.compile(r"\\([0-3][0-7]{2})|\\([^0-9])|([^\\])", re.DOTALL)


def parse_name(text: str) -> Name:
    """Read a name in any spelling that people and Route 53 use, or raise InvalidName.

    Case is folded, a missing last dot is added, octal escapes (three digits) and escaped
    characters are decoded, and non-ASCII labels become IDNA 2008 A-labels.
    """
    if _CANONICAL.fullmatch(text) and len(text) < NAME_BYTES_MAX:
        return Name(text)
    return from_labels(_split(text))


def from_labels(labels: Iterable[bytes]) -> Name:
    """Write labels (without the root) as a Name; each is 1 to 63 bytes, at most 255 on the wire."""
    folded = [label.lower() for label in labels]
    if not folded:
        raise InvalidName("the root name cannot be used; give a name with at least one label")
    for label in folded:
        if not 1 <= len(label) <= LABEL_BYTES_MAX:
            shown = ".".join(_escape(part) for part in folded)
            raise InvalidName(
                f"{shown!r} has a label of {len(label)} bytes; a label has 1 to {LABEL_BYTES_MAX}"
            )
    size = sum(len(label) + 1 for label in folded) + 1
    if size > NAME_BYTES_MAX:
        raise InvalidName(f"name of {size} bytes; a name has at most {NAME_BYTES_MAX}")
    return Name("".join(_escape(label) + "." for label in folded))


def to_labels(name: Name) -> tuple[bytes, ...]:
    """The labels' bytes, root left out; the inverse of `from_labels`."""
    return tuple(_split(name))


def display(name: Name) -> str:
    """The name as people write it: a leading wildcard shows as `*`, all else stays escaped."""
    return "*" + name[4:] if is_wildcard(name) else name


def is_wildcard(name: Name) -> bool:
    """Whether the name answers for others."""
    return name.startswith(_WILDCARD)


def typed(name: str) -> str:
    """The name as a word of a command line, which a shell takes as it is."""
    return shlex.quote(display(Name(name)))


def is_within(name: Name, zone: Name) -> bool:
    """Whether the name is the zone's apex or below it, compared label by label."""
    return name == zone or name.endswith("." + zone)


def join(relative: str, zone: Name) -> Name:
    """The full name of a key in `dns.yaml`: `@` is the apex, a last dot means already full."""
    if relative == "@":
        return zone
    if relative.endswith(".") and not relative.endswith("\\."):
        return parse_name(relative)
    return parse_name(f"{relative}.{zone}")


def upwards(name: Name, zone: Name) -> Iterator[tuple[Name, Name]]:
    """From the name up to below the apex: each name, and the wildcard that stands beside it."""
    labels = to_labels(name)
    for depth in range(len(labels) - len(to_labels(zone))):
        yield from_labels(labels[depth:]), from_labels((b"*", *labels[depth + 1 :]))


def longest_zone(name: Name, zones: Sequence[Name]) -> Name | None:
    """The zone that a name belongs to: of all that contain it, the one with the most labels."""
    return max((zone for zone in zones if is_within(name, zone)), key=len, default=None)


def listing_order(name: Name) -> str:
    """Sort key of ListResourceRecordSets: the name's bytes with its labels reversed.

    Bytes, not escapes: a wildcard sorts before digits. `a-b.` sorts before `a.`, since a hyphen is
    smaller than a dot. Source: API reference.
    """
    labels = name[:-1].split(".")
    if "\\" in name:
        labels = [label.decode("latin-1") for label in to_labels(name)]
    return ".".join(reversed(labels)) + "."


def _escape(label: bytes) -> str:
    return "".join(chr(byte) if byte in _PLAIN else f"\\{byte:03o}" for byte in label)


def _split(text: str) -> list[bytes]:
    labels: list[bytes] = []
    label = ""
    escaped = foreign = False
    position = 0
    while position < len(text):
        piece = _PIECE.match(text, position)
        if piece is None:
            raise InvalidName(f"{text!r} has a backslash that starts no escape (\\ooo or \\c)")
        position = piece.end()
        octal, character, plain = piece.groups()
        if plain == ".":
            labels.append(_label(label, text, escaped=escaped, foreign=foreign))
            label, escaped, foreign = "", False, False
            continue
        escaped = escaped or plain is None
        foreign = foreign or not (octal or (plain or character).isascii())
        label += plain or character or chr(int(octal, 8))
    if label:
        labels.append(_label(label, text, escaped=escaped, foreign=foreign))
    return labels


def _label(label: str, text: str, *, escaped: bool, foreign: bool) -> bytes:
    if not label:
        raise InvalidName(f"{text!r} has an empty label")
    if not foreign:
        return label.encode("latin-1")
    if escaped:
        raise InvalidName(f"{text!r} has a label with both escapes and letters outside ASCII")
    try:
        encoded = idna.encode(label, uts46=True)
    except idna.IDNAError as error:
        raise InvalidName(f"{text!r} cannot be written in IDNA: {error}") from error
    if b"." in encoded:
        raise InvalidName(f"{text!r} has a full stop that is no ASCII dot")
    return encoded
