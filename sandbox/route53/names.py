"""Write a domain name the one way Route 53 lists it, and say where it sorts.

Lower case, trailing dot, every byte outside a-z 0-9 - _ as \\ooo. Two spellings of one name must
never survive as two names, and no byte may be lost on the way.
"""

import re
from functools import lru_cache

PLAIN = frozenset(b"abcdefghijklmnopqrstuvwxyz0123456789-_")
LABEL_BYTES_MAX = 63
NAME_BYTES_MAX = 255
ESCAPE = re.compile(r"\\([0-7]{3}|.)", re.DOTALL)
SIMPLE_NAME = re.compile(r"(?:[a-z0-9_-]{1,63}\.)+").fullmatch


class BadNameError(ValueError):
    """The name cannot stand in a zone; the text is Route 53's own."""


@lru_cache(maxsize=65_536)
def canonical(name: str) -> str:
    """Fold every spelling of a name to the one that listings show."""
    if name.isascii() and len(name) < NAME_BYTES_MAX:
        folded = name.lower()  # beyond ASCII, lower() would turn other letters into these
        dotted = folded if folded.endswith(".") else folded + "."
        if SIMPLE_NAME(dotted):
            return dotted
    found = labels(name)
    if not found:
        raise BadNameError(fatal("DomainNameEmpty", "Domain name is empty", name))
    return "".join(escape_label(label) + "." for label in found)


def labels(name: str) -> tuple[bytes, ...]:
    """Split a name into its labels' bytes, folded to lower case."""
    found = [bytearray()]
    at = 0
    while at < len(name):
        if name[at] == "\\":
            byte, width = escaped_byte(name, at)
            found[-1].append(byte)
            at += width
            continue
        if name[at] == ".":
            found.append(bytearray())
        else:
            found[-1].append(plain_byte(name[at]))
        at += 1
    if not found[-1]:
        found.pop()  # the trailing dot is optional
    folded = tuple(bytes(label).lower() for label in found)
    check_lengths(name, folded)
    return folded


def escaped_byte(name: str, at: int) -> tuple[int, int]:
    """Read one escape: three octal digits, or any one printable character taken as it is."""
    match = ESCAPE.match(name, at)
    if match is None:
        raise BadNameError(
            fatal("UnsupportedCharacter", "Value contains unsupported characters", name)
        )
    text = match[1]
    byte = int(text, 8) if len(text) == 3 else ord(text)
    if byte > 0xFF:
        raise BadNameError(
            fatal("UnsupportedCharacter", "Value contains unsupported characters", name)
        )
    return byte, len(match[0])


def plain_byte(character: str) -> int:
    """Take a printable ASCII character; anything else must come as an escape."""
    if not "!" <= character <= "~":
        raise BadNameError(
            fatal("UnsupportedCharacter", "Value contains unsupported characters", character)
        )
    return ord(character)


def check_lengths(name: str, found: tuple[bytes, ...]) -> None:
    """Refuse an empty label, a label over 63 bytes, a name over 255."""
    for label in found:
        if not label:
            raise BadNameError(fatal("DomainLabelEmpty", "Domain label is empty", name))
        if len(label) > LABEL_BYTES_MAX:
            raise BadNameError(fatal("DomainLabelTooLong", "Domain label is too long", name))
    if sum(len(label) + 1 for label in found) + 1 > NAME_BYTES_MAX:
        raise BadNameError(fatal("DomainNameTooLong", "Domain name is too long", name))


def escape_label(label: bytes) -> str:
    """Write one label as listings do; a dot inside a label is escaped too, or it would split it."""
    return "".join(chr(byte) if byte in PLAIN else f"\\{byte:03o}" for byte in label)


def fatal(kind: str, meaning: str, found: str) -> str:
    """Word a complaint as Route 53 words it."""
    return f"FATAL problem: {kind} ({meaning}) encountered with '{found}'"


# Separates the parts of a sort key. Bytes 0 and 1 of a name, and a dot inside a label, are moved
# out of its way, so that a key stands for exactly one name.
SEPARATOR = "\0"
MOVED = {"\0": "\1\1", "\1": "\1\2", ".": "\1\3"}


@lru_cache(maxsize=65_536)
def order(name: str) -> str:
    """Give the text by which Route 53 sorts: labels reversed, trailing dot kept, real bytes."""
    if "\\" not in name:
        return ".".join(reversed(name[:-1].split("."))) + "."
    turned = (label.decode("latin-1") for label in reversed(labels(name)))
    return "".join("".join(MOVED.get(c, c) for c in label) + "." for label in turned)


def lies_in(name: str, zone: str) -> bool:
    """Is the name the zone's own or below it, label by label?"""
    return name == zone or name.endswith("." + zone)


def ancestors(name: str, zone: str) -> list[str]:
    """List the names above this one, up to and with the zone's own."""
    found = []
    while name != zone and lies_in(name, zone):
        name = name.partition(".")[2]
        found.append(name)
    return found
