"""Names between the wire and the listing form."""

import dns.name
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox.dns.wire_names import listed, on_the_wire
from sandbox.route53.names import canonical

labels = st.lists(st.binary(min_size=1, max_size=30), max_size=6).map(tuple)


@given(labels)
def test_every_byte_survives_the_way_there_and_back(found: tuple[bytes, ...]) -> None:
    """A name from the wire, listed and put back, is the same name."""
    name = dns.name.Name((*found, b""))
    assert name == on_the_wire(listed(name))


@given(labels.filter(bool))
def test_a_listed_name_is_spelled_as_the_zone_spells_it(found: tuple[bytes, ...]) -> None:
    """The name that a question is looked up by is the one that the stand-in stores."""
    name = listed(dns.name.Name((*found, b"")))
    assert canonical(name) == name


@pytest.mark.parametrize(
    ("wire", "listing"),
    [
        ((b"WWW", b"Example", b"COM", b""), "www.example.com."),
        ((b"*", b"example", b"com", b""), "\\052.example.com."),
        ((b"a.b", b"com", b""), "a\\056b.com."),
        ((b"\x00\xff\\", b"com", b""), "\\000\\377\\134.com."),
        ((b"_dmarc-1", b"com", b""), "_dmarc-1.com."),
        ((b"",), "."),
    ],
)
def test_escapes_are_octal_and_case_is_folded(wire: tuple[bytes, ...], listing: str) -> None:
    """Listings escape in octal, where zone files would write the same digits in decimal."""
    assert listing == listed(dns.name.Name(wire))
