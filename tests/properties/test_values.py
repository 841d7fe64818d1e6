"""Texts, normal form and diff: what is written is what is read, and sameness is an equivalence."""

from hypothesis import given
from hypothesis import strategies as st

from dnsplan.diff import apply, diff
from dnsplan.errors import InvalidRecord
from dnsplan.normal import is_same, normal_form, normal_values
from dnsplan.records import RecordSet, by_key, key_of
from dnsplan.text import STRING_BYTES_MAX, quote, unquote
from tests.properties.drawn import contents, record_sets, strings


@given(strings)
def test_quoted_strings_round_trip(row: tuple[bytes, ...]) -> None:
    """Quoted bytes come back whole; only strings over 255 bytes are cut, and none is longer."""
    read = unquote(quote(row))
    assert b"".join(read) == b"".join(row)
    assert max(map(len, read)) <= STRING_BYTES_MAX
    if max(map(len, row)) <= STRING_BYTES_MAX:
        assert read == row


@given(strings)
def test_quoted_is_printable_ascii(row: tuple[bytes, ...]) -> None:
    """A quoted value holds nothing but printable ASCII, so any tool can show it."""
    assert all(0x20 <= ord(character) < 0x7F for character in quote(row))


@given(st.text())
def test_unquote_reads_or_refuses(text: str) -> None:
    """Any text is a row of strings or InvalidRecord, and what is read can be written again."""
    try:
        row = unquote(text)
    except InvalidRecord:
        return
    assert b"".join(unquote(quote(row))) == b"".join(row)


@given(record_sets())
def test_normal_form_is_idempotent(one: RecordSet) -> None:
    """The normal form of a normal form is itself."""
    assert normal_form(one) == one
    assert is_same(one, one)


TYPES = st.sampled_from(
    [
        "A",
        "AAAA",
        "MX",
        "SRV",
        "CAA",
        "TXT",
        "CNAME",
        "NS",
        "NAPTR",
        "DS",
        "TLSA",
        "SSHFP",
        "SVCB",
        "HTTPS",
    ]
)


@given(TYPES, st.lists(st.text(max_size=40), max_size=4).map(tuple))
def test_any_values_have_one_normal_form(record_type: str, values: tuple[str, ...]) -> None:
    """Whatever the values are, normalising ends, and normalising again changes nothing."""
    once = normal_values(record_type, values)
    assert normal_values(record_type, once) == once
    assert len(once) <= len(values)


_PARAMETERS = st.lists(
    st.sampled_from(
        [
            *("alpn=h2", 'alpn="h3,h2"', "port=443", 'port="0443"', "no-default-alpn", "key7=x"),
            *("ipv6hint=2001:DB8::1", "mandatory=port,alpn", "key1=h2", "key65400=a\\001", "ohttp"),
            *("dohpath=/q{?dns}", "é=x", "key4", "port=", ";", "mandatory=key9"),
        ]
    ),
    max_size=5,
).map(" ".join)


@given(st.sampled_from(["0", "1", "01", "x"]), st.sampled_from([".", "A.b", "a..b"]), _PARAMETERS)
def test_service_values_have_one_normal_form(priority: str, target: str, stated: str) -> None:
    """Whatever parameters are stated in whatever order, normalising again changes nothing."""
    once = normal_values("SVCB", (f"{priority} {target} {stated}",))
    assert normal_values("SVCB", once) == once


@given(TYPES, st.lists(st.text(max_size=9), min_size=1, max_size=4), st.randoms())
def test_values_are_a_set(record_type: str, values: list[str], chance: object) -> None:
    """Order and doubles of values mean nothing."""
    shuffled = [*values, *values[:2]]
    chance.shuffle(shuffled)  # type: ignore[attr-defined]  # hypothesis gives a random.Random
    assert set(normal_values(record_type, tuple(shuffled))) == set(
        normal_values(record_type, tuple(values))
    )


@given(contents, contents)
def test_applying_a_diff_gives_the_desired(
    live: tuple[RecordSet, ...], desired: tuple[RecordSet, ...]
) -> None:
    """apply(diff(live, desired), live) is the desired content, from any zone to any other."""
    assert apply(diff(live, desired), live) == by_key(desired)


@given(contents, contents)
def test_diff_is_exact(live: tuple[RecordSet, ...], desired: tuple[RecordSet, ...]) -> None:
    """Every DELETE names a set that stands just so, every CREATE one that is wanted; sorted."""
    changes = diff(live, desired)
    there, wanted = by_key(live), by_key(desired)
    assert [change.name for change in changes] == sorted({change.name for change in changes})
    for change in changes:
        assert change.before or change.after
        assert all(there[key_of(one)] == one for one in change.before)
        assert all(wanted[key_of(one)] == one for one in change.after)
        assert {one.name for one in (*change.before, *change.after)} == {change.name}
        named = [one for one in desired if one.name == change.name]
        assert change.kept == len(named) - len(change.after)


@given(contents)
def test_same_content_has_no_diff(content: tuple[RecordSet, ...]) -> None:
    """A zone that holds what is desired needs no change, also when it lists it out of order."""
    assert diff(reversed(content), content) == ()


@given(contents, contents)
def test_order_of_input_means_nothing(
    live: tuple[RecordSet, ...], desired: tuple[RecordSet, ...]
) -> None:
    """The diff depends on what stands there, not on the order in which it was listed."""
    assert diff(live, desired) == diff(tuple(reversed(live)), tuple(reversed(desired)))
