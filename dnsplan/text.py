"""TXT values as DNS reads them: a row of quoted strings of at most 255 bytes each.

Route 53 wants every string in double quotes, `\\"` for a quote, `\\\\` for a backslash and three
octal digits for bytes outside printable ASCII. Source: Route 53 Developer Guide, TXT record type.
It also keeps, and lists, strings with no space between them (github.com/DNSControl/dnscontrol,
issue 2854); they are the same strings.
"""

import re

from dnsplan.errors import InvalidRecord

TEXT_TYPES = frozenset({"TXT", "SPF"})
STRING_BYTES_MAX = 255

_STRING = re.compile(r'\s*"((?:[^"\\]|\\[0-3][0-7]{2}|\\[^0-9])*)"(?=[\s"]|$)', re.DOTALL)
_ESCAPED = re.compile(r"\\([0-3][0-7]{2})|\\([^0-9])|([^\\]+)", re.DOTALL)


def quote(strings: tuple[bytes, ...]) -> str:
    """Write strings as one value; a string of more than 255 bytes is split."""
    pieces: list[bytes] = []
    for string in strings:
        starts = range(0, max(1, len(string)), STRING_BYTES_MAX)
        pieces.extend(string[start : start + STRING_BYTES_MAX] for start in starts)
    return " ".join(f'"{_escape(piece)}"' for piece in pieces)


def unquote(value: str) -> tuple[bytes, ...]:
    """The strings of a value, or InvalidRecord when it is not a row of quoted strings."""
    strings: list[bytes] = []
    position = 0
    text = value.strip()
    while position < len(text):
        match = _STRING.match(text, position)
        if match is None:
            raise InvalidRecord(f"TXT value {value!r} is not a row of strings in double quotes")
        try:
            strings.append(_unescape(match[1]))
        except UnicodeEncodeError as error:  # half of a pair of surrogates, which is no character
            raise InvalidRecord(f"TXT value {value!a} is no text") from error
        position = match.end()
    if not strings:
        raise InvalidRecord("a TXT value holds at least one string in double quotes")
    return tuple(strings)


def _escape(string: bytes) -> str:
    return "".join(
        "\\" + chr(byte)
        if byte in b'"\\'
        else chr(byte)
        if 0x20 <= byte < 0x7F
        else f"\\{byte:03o}"
        for byte in string
    )


def _unescape(text: str) -> bytes:
    out = bytearray()
    for octal, character, plain in _ESCAPED.findall(text):
        out += bytes([int(octal, 8)]) if octal else (character or plain).encode()
    return bytes(out)
