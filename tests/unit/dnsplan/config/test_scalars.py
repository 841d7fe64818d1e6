"""Plain scalars: YAML 1.2 decides, and what YAML 1.1 reads otherwise is a trap."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dnsplan.runtime.config.scalars import ScalarValue, Trap, resolve_plain


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("", None),
        ("~", None),
        ("null", None),
        ("true", True),
        ("False", False),
        ("0", 0),
        ("-7", -7),
        ("+7", 7),
        ("300", 300),
        ("0.25", 0.25),
        (".5", 0.5),
        ("1e3", 1000.0),
        ("192.0.2.1", "192.0.2.1"),
        ("2001:db8::1", "2001:db8::1"),
        ("127.0.0.1:8053", "127.0.0.1:8053"),
        ("use1-az1", "use1-az1"),
        ("nobody", "nobody"),
        ("y", "y"),
        ("-", "-"),
        ("1" * 40, "1" * 40),
        ("_dmarc", "_dmarc"),
        ("0a", "0a"),
    ],
)
def test_values(text: str, value: ScalarValue) -> None:
    """Each text has the value that both versions of YAML give it."""
    assert resolve_plain(text) == value
    assert type(resolve_plain(text)) is type(value)


@pytest.mark.parametrize(
    "text",
    [
        *("yes", "No", "NO", "on", "OFF"),
        *("1:30", "190:20:30", "1:2:3:4", "0123", "-01", "0o17", "0b1", "0x1f", "1_000"),
        *("2001-12-14", "2001-12-14 21:59:43", ".inf", "-.INF", ".nan"),
    ],
)
def test_traps(text: str) -> None:
    """A text with two readings is a trap."""
    assert isinstance(resolve_plain(text), Trap)


@given(st.text())
def test_any_text_has_a_value(text: str) -> None:
    """No text breaks the reader, and a number is always a finite one."""
    value = resolve_plain(text)
    if isinstance(value, float):
        assert math.isfinite(value)
    if isinstance(value, str):
        assert value == text
