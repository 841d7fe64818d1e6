"""The stand-in's own names codec: every byte survives, every spelling folds to one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox.route53.names import BadNameError, ancestors, canonical, labels, lies_in, order

any_label = st.binary(min_size=1, max_size=20)
any_labels = st.lists(any_label, min_size=1, max_size=5)


def spelt(parts: list[bytes], *, upper: bool, escape_all: bool) -> str:
    """Write labels in one of the spellings that a client may choose."""
    plain = b"abcdefghijklmnopqrstuvwxyz0123456789-_"
    out = []
    for part in parts:
        for byte in part:
            character = chr(byte)
            if escape_all or byte not in plain:
                out.append(f"\\{byte:03o}")
            else:
                out.append(character.upper() if upper else character)
        out.append(".")
    return "".join(out)


@given(st.binary(min_size=1, max_size=63))
def test_every_byte_survives(label: bytes) -> None:
    """A label's bytes, folded, are what its listing form says."""
    written = "".join(f"\\{byte:03o}" for byte in label) + ".example.com."
    assert (label.lower(), b"example", b"com") == labels(canonical(written))


@given(any_labels, st.booleans(), st.booleans(), st.booleans())
def test_spellings_fold_to_one(
    parts: list[bytes], upper: bool, escape_all: bool, dotted: bool
) -> None:
    """Case, escapes and the last dot make no other name."""
    folded = [part.lower() for part in parts]
    other = spelt(folded, upper=upper, escape_all=escape_all)
    one = spelt(folded, upper=False, escape_all=False)
    assert canonical(one) == canonical(other if dotted else other[:-1])


@given(any_labels)
def test_listing_form_is_stable(parts: list[bytes]) -> None:
    """What a listing shows can be sent back."""
    listed = canonical(spelt(parts, upper=False, escape_all=True))
    assert listed == canonical(listed)


@given(any_labels, any_labels)
def test_sort_keys_tell_names_apart(one: list[bytes], other: list[bytes]) -> None:
    """Two names never share a sort key."""
    first = canonical(spelt(one, upper=False, escape_all=True))
    second = canonical(spelt(other, upper=False, escape_all=True))
    assert (first == second) == (order(first) == order(second))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("\\000.example.com", "\\001\\001.example.com"),
        ("\\056.example.com", "\\001\\003.example.com"),
        ("a\\056b.example.com", "a.b.example.com"),
        ("\\001.example.com", "\\001\\002.example.com"),
    ],
)
def test_the_lowest_bytes_and_dots_make_no_twins(one: str, other: str) -> None:
    """A dot inside a label and the bytes below it are other names, with other keys."""
    assert order(canonical(one)) != order(canonical(other))


def test_order_is_by_reversed_labels_with_the_dot() -> None:
    """Characters below the dot sort before it, as the API reference warns."""
    names = [
        "a.b.example.com.",
        "a-b.example.com.",
        "b.example.com.",
        "example.com.",
        "a.example.com.",
    ]
    assert sorted(names, key=order) == [
        "example.com.",
        "a-b.example.com.",
        "a.example.com.",
        "b.example.com.",
        "a.b.example.com.",
    ]


@pytest.mark.parametrize(
    ("name", "listed"),
    [
        ("WWW.Example.COM", "www.example.com."),
        ("*.example.com", "\\052.example.com."),
        ("\\052.example.com.", "\\052.example.com."),
        ("\\101.example.com", "a.example.com."),
        ("a\\056b.example.com", "a\\056b.example.com."),
        ("a\\.b.example.com", "a\\056b.example.com."),
        ("_dnsplan.example.com", "_dnsplan.example.com."),
        ("a!b.example.com", "a\\041b.example.com."),
    ],
)
def test_listing_forms(name: str, listed: str) -> None:
    """Known spellings and what Route 53 lists for them."""
    assert listed == canonical(name)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("", "DomainNameEmpty"),
        ("a..example.com", "DomainLabelEmpty"),
        (".example.com", "DomainLabelEmpty"),
        ("x" * 64 + ".example.com", "DomainLabelTooLong"),
        (".".join(["x" * 50] * 6), "DomainNameTooLong"),
        ("a b.example.com", "UnsupportedCharacter"),
        ("é.example.com", "UnsupportedCharacter"),
        ("\u212a.example.com", "UnsupportedCharacter"),  # a sign that lower() would make a k
        ("a\\777.example.com", "UnsupportedCharacter"),
        ("a\\", "UnsupportedCharacter"),
    ],
)
def test_bad_names_are_named(name: str, kind: str) -> None:
    """A name that cannot stand is refused in Route 53's words."""
    with pytest.raises(BadNameError, match=f"FATAL problem: {kind}"):
        canonical(name)


def test_the_longest_name_stands() -> None:
    """255 bytes on the wire is the most, not one less."""
    longest = ".".join(["x" * 63, "x" * 63, "x" * 63, "x" * 61])
    assert canonical(longest) == longest + "."
    with pytest.raises(BadNameError):
        canonical("x" + longest)


def test_zones_are_told_by_whole_labels() -> None:
    """A longer first label is another zone's name."""
    assert lies_in("www.example.com.", "example.com.")
    assert lies_in("example.com.", "example.com.")
    assert not lies_in("evilexample.com.", "example.com.")


def test_ancestors_end_at_the_zone() -> None:
    """Every name between a name and its zone, and the zone, exists."""
    assert ancestors("a.b.example.com.", "example.com.") == ["b.example.com.", "example.com."]
    assert ancestors("example.com.", "example.com.") == []
