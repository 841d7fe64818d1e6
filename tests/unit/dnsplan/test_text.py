"""TXT values in quotes: the edges that examples show best."""

import pytest

from dnsplan.errors import InvalidRecord
from dnsplan.text import quote, unquote


def test_quote_escapes() -> None:
    """Quotes and backslashes are escaped, bytes outside ASCII become octal."""
    assert quote((b'a"b\\c', b"\xff\n")) == '"a\\"b\\\\c" "\\377\\012"'


def test_long_strings_are_cut() -> None:
    """A string of 300 bytes becomes two, of 255 and 45."""
    assert unquote(quote((b"x" * 300,))) == (b"x" * 255, b"x" * 45)


def test_empty_string_is_a_string() -> None:
    """An empty string keeps its place."""
    assert unquote(quote((b"", b"a"))) == (b"", b"a")


def test_strings_that_touch_are_two() -> None:
    """Route 53 keeps and lists them so, and they equal strings with a space between."""
    assert unquote('"v=spf1 a ""ip4:192.0.2.1" "~all"') == (b"v=spf1 a ", b"ip4:192.0.2.1", b"~all")


@pytest.mark.parametrize(
    "value", ["", "  ", "bare", '"open', '"a"b"', '"a\\"', '"a" bare', '"\\9"']
)
def test_what_is_no_row_of_strings(value: str) -> None:
    """Anything but strings in quotes is refused."""
    with pytest.raises(InvalidRecord):
        unquote(value)
