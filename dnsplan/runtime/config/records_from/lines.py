"""A zone file's logical lines, each with the number of its first physical line.

A logical line goes on while a bracket is open; a quote ends with its physical line. A mistake
therefore stays in its own logical line, and those after it can still be read.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import dns.exception
import dns.tokenizer


@dataclass(frozen=True, slots=True)
class Line:
    """A logical line, and the origin that its names lie below."""

    file: Path
    number: int
    text: str
    origin: str


def logical_lines(text: str) -> Iterator[tuple[int, str]]:
    """Lines with their numbers; those that hold nothing but blanks and comments are left out."""
    first, kept, depth = 1, list[str](), 0
    for number, line in enumerate(text.splitlines(), 1):
        if not kept:
            first = number
        kept.append(line)
        depth = max(0, depth + _opened(line))
        if depth == 0:
            joined = "\n".join(kept)
            if _says_something(joined):
                yield first, joined
            kept = []
    if kept:
        yield first, "\n".join(kept)


def words_of(text: str) -> list[str]:
    """A line's words as dnspython parts them; none of one that cannot be parted."""
    tokens = dns.tokenizer.Tokenizer(text)
    words = []
    try:
        while not (token := tokens.get()).is_eol_or_eof():
            words.append(token.value)
    except dns.exception.DNSException:
        return []
    return words


def _opened(line: str) -> int:
    """Brackets that the line opens, less those that it closes; none in quotes and comments."""
    depth, is_quoted, is_escaped = 0, False, False
    for character in line:
        if is_escaped:
            is_escaped = False
        elif character == "\\":
            is_escaped = True
        elif character == '"':
            is_quoted = not is_quoted
        elif is_quoted:
            continue
        elif character == ";":
            break
        else:
            depth += {"(": 1, ")": -1}.get(character, 0)
    return depth


def _says_something(line: str) -> bool:
    stripped = line.lstrip()
    return bool(stripped) and not stripped.startswith(";")
