"""Names: one form, whatever bytes they are made of and however they are spelt."""

import re

from hypothesis import given
from hypothesis import strategies as st

from dnsplan.errors import InvalidName
from dnsplan.names import (
    Name,
    display,
    from_labels,
    is_within,
    join,
    longest_zone,
    parse_name,
    to_labels,
)
from tests.properties.drawn import label_rows, labels, names

LISTED = re.compile(r"(?:(?:[a-z0-9_-]|\\[0-3][0-7]{2})+\.)+")


@given(label_rows)
def test_labels_round_trip(row: list[bytes]) -> None:
    """A name made of labels gives back the same labels, folded to lower case."""
    assert to_labels(from_labels(row)) == tuple(label.lower() for label in row)


@given(names)
def test_listed_form(name: Name) -> None:
    """Every name is written as Route 53 lists names, and reading it changes nothing."""
    assert LISTED.fullmatch(name)
    assert parse_name(name) == name
    assert parse_name(name.removesuffix(".")) == name
    assert parse_name(display(name)) == name


@given(label_rows)
def test_every_byte_may_be_escaped(row: list[bytes]) -> None:
    """Writing every byte of a name in octal names the same name."""
    spelt = ".".join("".join(f"\\{byte:03o}" for byte in label) for label in row)
    assert parse_name(spelt) == from_labels(row)


@given(names, names)
def test_equal_names_are_equal_texts(one: Name, other: Name) -> None:
    """Two names are the same exactly when their labels are."""
    assert (one == other) == (to_labels(one) == to_labels(other))


@given(st.text())
def test_text_is_a_name_or_an_error(text: str) -> None:
    """Any text is a name in the one form, or InvalidName; nothing else leaves the codec."""
    try:
        name = parse_name(text)
    except InvalidName:
        return
    assert LISTED.fullmatch(name)
    assert parse_name(name) == name


@given(names, st.lists(labels, max_size=2))
def test_within_is_by_labels(zone: Name, above: list[bytes]) -> None:
    """A name is within a zone exactly when its last labels are the zone's."""
    try:
        name = from_labels([*above, *to_labels(zone)])
    except InvalidName:
        return
    assert is_within(name, zone)
    glued = from_labels([b"z" + to_labels(zone)[0][:62], *to_labels(zone)[1:]])
    assert is_within(glued, zone) == (glued == zone)


@given(names, st.lists(names, max_size=5))
def test_longest_zone_wins(name: Name, others: list[Name]) -> None:
    """Of all zones that contain a name, the one with the most labels is its zone."""
    row = to_labels(name)
    zones = [*others, *(from_labels(row[start:]) for start in range(len(row)))]
    assert longest_zone(name, zones) == name


@given(names)
def test_join(zone: Name) -> None:
    """`@` is the apex, a short key is put before the zone, a full one stays as it is."""
    assert join("@", zone) == zone
    assert join(zone, parse_name("elsewhere.test.")) == zone
    if len(zone) < 200:
        try:
            joined = join("www", zone)
        except InvalidName:
            return
        assert to_labels(joined) == (b"www", *to_labels(zone))
