"""Makes hostile bytes out of good ones: flips, cuts, doubles, splices, and words that matter.

A case depends on nothing but its seed, so that a number repeats it.
"""

import random
from collections.abc import Sequence

BYTES_MAX = 4_096
STEPS_MAX = 6
# Where decoders turn: ends of ranges, signs, escapes, nesting, and bytes that are no UTF-8.
WORDS = (
    b"\x00",
    b"\xff",
    b"\x7f",
    b"\x80",
    b"\xc0\x0c",
    b"\xc0\x00",
    b"\xed\xa0\x80",
    b"\xf4\x90\x80\x80",
    b"0",
    b"-1",
    b"1e400",
    b"NaN",
    b"9" * 30,
    b"9" * 5_000,
    b"4294967296",
    b"9223372036854775808",
    b'"',
    b"\\",
    b"\\000",
    b"\\u0000",
    b"\\ud800",
    b"'",
    b"{}",
    b"[]",
    b"[[[[[[[[",
    b"{{{{{{{{",
    b"null",
    b"true",
    b"\n",
    b"\r\n",
    b"\t",
    b"\xef\xbb\xbf",
    b"!!python/object:os.system ",
    b"&a ",
    b"*a",
    b"<<: ",
    b"---\n",
    b"? ",
    b"$GENERATE 1-99999 a A 192.0.2.1\n",
    b"$INCLUDE /etc/passwd\n",
    b"$ORIGIN .\n",
    b"*.",
    b"@",
    b"=",
    b"/",
    b"..",
    b" ",
    b"\x1b[2J",
    b"\xe2\x80\xae",
)


def hostile(chance: random.Random, seeds: Sequence[bytes]) -> bytes:
    """One case."""
    data = bytearray(chance.choice(seeds))
    for _ in range(chance.randint(1, STEPS_MAX)):
        _step(chance, data, seeds)
    return bytes(data[: max(BYTES_MAX, len(seeds[0]))])


def _step(chance: random.Random, data: bytearray, seeds: Sequence[bytes]) -> None:
    place = chance.randint(0, len(data))
    size = min(chance.choice((1, 2, 4, 16, 64)), max(0, len(data) - place))
    match chance.randrange(7):
        case 0 if place < len(data):
            data[place] ^= 1 << chance.randrange(8)
        case 1:
            data[place : place + size] = b""
        case 2:
            data[place:place] = data[place : place + size] * chance.choice((1, 2, 50))
        case 3:
            data[place : place + size] = chance.choice(WORDS)
        case 4:
            data[place:place] = chance.choice(WORDS)
        case 5:
            data[place : place + size] = chance.randbytes(size)
        case _:
            other = chance.choice(seeds)
            start = chance.randint(0, len(other))
            data[place:] = other[start:]
