"""What a plain (unquoted) YAML scalar means: the YAML 1.2 core rules, and the traps of YAML 1.1.

A text that the two versions read differently is never guessed: it is a `Trap`, and its writer is
told to put it in quotes. `NO` is a country to one reader and false to another; `1:30` is 90.
Sources: YAML 1.2.2 section 10.3, YAML 1.1 type repository (bool, int, float, timestamp, merge).
"""

import re
from typing import TypeAlias

from msgspec import Struct

ScalarValue: TypeAlias = str | int | float | bool | None


class Trap(Struct, frozen=True):
    """A text with two readings; `reading` says what YAML 1.1 makes of it."""

    reading: str


_WORDS: dict[str, bool | None] = {
    "": None,
    "~": None,
    "null": None,
    "Null": None,
    "NULL": None,
    "true": True,
    "True": True,
    "TRUE": True,
    "false": False,
    "False": False,
    "FALSE": False,
}

_YES_NO = frozenset(
    word
    for one in ("yes", "no", "on", "off")
    for word in (one.lower(), one.capitalize(), one.upper())
)

# 18 digits fit every number of ours; a longer row of digits is text.
_INTEGER = re.compile(r"[-+]?(?:0|[1-9][0-9]{0,17})")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]{1,18}|[0-9]{1,18}(?:\.[0-9]{0,18})?)(?:[eE][-+]?[0-9]{1,3})?")

_TRAPS = (
    (re.compile(r"[-+]?0[0-9_]+"), "a number in base 8"),
    (re.compile(r"[-+]?0[bo][0-9_]+"), "a number in another base"),
    (re.compile(r"[-+]?0x[0-9a-fA-F_]+"), "a number in base 16"),
    (re.compile(r"[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?"), "a number in base 60"),
    (re.compile(r"[-+]?[0-9][0-9_]*_[0-9_]*(?:\.[0-9_]*)?"), "a number"),
    (re.compile(r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[Tt \t].*)?"), "a date"),
    (re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)"), "a number that is none"),
)


def resolve_plain(text: str) -> ScalarValue | Trap:
    """The value of a plain scalar, or the trap that it is."""
    if text in _WORDS:
        return _WORDS[text]
    if text in _YES_NO:
        return Trap("true or false")
    if text[0] not in "+-.0123456789":
        return text
    if _INTEGER.fullmatch(text):
        return int(text)
    for pattern, reading in _TRAPS:
        if pattern.fullmatch(text):
            return Trap(reading)
    return float(text) if _FLOAT.fullmatch(text) else text
