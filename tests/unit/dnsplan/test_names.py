"""Names as people spell them, and the texts that are none."""

import shlex

import pytest

from dnsplan.errors import InvalidName
from dnsplan.names import (
    Name,
    display,
    is_within,
    join,
    listing_order,
    longest_zone,
    parse_name,
    typed,
)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Example.COM", "example.com."),
        ("example.com.", "example.com."),
        ("*.example.com", "\\052.example.com."),
        ("\\052.example.com.", "\\052.example.com."),
        ("\\*.example.com.", "\\052.example.com."),
        ("a\\.b.example.com", "a\\056b.example.com."),
        ("_srv._tcp.example.com", "_srv._tcp.example.com."),
        ("\\101.example.com", "a.example.com."),
        ("a b.example.com", "a\\040b.example.com."),
        ("bücher.example", "xn--bcher-kva.example."),
        ("BÜCHER.example", "xn--bcher-kva.example."),
        ("日本語.jp", "xn--wgv71a119e.jp."),
        ("\\303\\251.example.com", "\\303\\251.example.com."),
        ("a" * 63 + ".com", "a" * 63 + ".com."),
    ],
)
def test_spellings(text: str, name: str) -> None:
    """Every spelling of a name is read as the one form that Route 53 lists."""
    assert parse_name(text) == name


@pytest.mark.parametrize(
    "text",
    [
        "",
        ".",
        "..",
        "a..b",
        ".a",
        "a" * 64 + ".com",
        ".".join(["a" * 63] * 4),
        "a\\",
        "a\\9",
        "a\\12",
        "\\777.com",
        "☃.com",
        "a。b.com",
        "é\\052.com",
        "é\\141.com",
        "\u00ad.com",
    ],
)
def test_no_names(text: str) -> None:
    """A text that can be no name is refused, and the message shows it or its size."""
    with pytest.raises(InvalidName, match=r"label|escape|empty|bytes|IDNA|root|dot"):
        parse_name(text)


def test_longest_name() -> None:
    """255 bytes on the wire fit, 256 do not."""
    fits = ".".join(["a" * 63, "b" * 63, "c" * 63, "d" * 61])
    assert parse_name(fits) == fits + "."
    assert parse_name(fits + ".") == fits + "."
    for dot in ("", "."):
        with pytest.raises(InvalidName, match="256"):
            parse_name(fits.replace("d" * 61, "d" * 62) + dot)


def test_within() -> None:
    """A zone holds its apex and what is below, not what merely ends in its letters."""
    zone = Name("example.com.")
    assert is_within(Name("example.com."), zone)
    assert is_within(Name("a.b.example.com."), zone)
    assert not is_within(Name("evilexample.com."), zone)
    assert not is_within(Name("com."), zone)


def test_join_keys() -> None:
    """Keys of the config: the apex, relative, wildcard and full."""
    zone = Name("example.com.")
    assert join("@", zone) == zone
    assert join("www", zone) == "www.example.com."
    assert join("*", zone) == "\\052.example.com."
    assert join("www.example.com.", zone) == "www.example.com."
    assert join("www.example.net.", zone) == "www.example.net."


def test_longest_zone() -> None:
    """The zone with the most labels wins; a name outside all of them has none."""
    zones = [Name("example.com."), Name("b.example.com.")]
    assert longest_zone(Name("a.b.example.com."), zones) == "b.example.com."
    assert longest_zone(Name("a.example.com."), zones) == "example.com."
    assert longest_zone(Name("a.test."), zones) is None


@pytest.mark.parametrize("name", ["\\052.example.com.", "www.example.com.", "a\\052.example.com."])
def test_a_shell_takes_a_name_in_a_command_as_it_is(name: str) -> None:
    """A wildcard is no pattern there, and a backslash no escape."""
    assert shlex.split(f"explain {typed(name)}") == ["explain", display(Name(name))]
    assert typed("www.example.com.") == "www.example.com."


def test_display() -> None:
    """A leading wildcard is shown as people write it; an asterisk elsewhere stays escaped."""
    assert display(Name("\\052.example.com.")) == "*.example.com."
    assert display(Name("a\\052.example.com.")) == "a\\052.example.com."


def test_listing_order() -> None:
    """Names sort as the list of Route 53 does: by labels from the root down."""
    names = ["b.example.com.", "a.b.example.com.", "example.com.", "\\052.example.com.", "c.com."]
    ordered = ["c.com.", "example.com.", "\\052.example.com.", "b.example.com.", "a.b.example.com."]
    assert sorted(map(Name, names), key=listing_order) == ordered
