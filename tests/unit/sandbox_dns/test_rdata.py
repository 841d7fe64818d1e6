"""Values of record sets, as they go onto the wire."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox.dns.rdata import BadRdataError, decimal_escapes, rdata, soa_minimum_s, target_name
from sandbox.route53.model import TYPES

VALID = {
    "A": ("192.0.2.1", "192.0.2.1"),
    "AAAA": ("2001:DB8::1", "2001:db8::1"),
    "CNAME": ("www.example.com", "www.example.com."),
    "NS": ("ns-1.example.com.", "ns-1.example.com."),
    "PTR": ("host.example.com", "host.example.com."),
    "MX": ("10 mail.example.com", "10 mail.example.com."),
    "SRV": ("1 2 443 host.example.com", "1 2 443 host.example.com."),
    "TXT": ('"a b" "c"', '"a b" "c"'),
    "SPF": ('"v=spf1 -all"', '"v=spf1 -all"'),
    "CAA": ('0 issue "ca.example.net; policy=ev"', '0 issue "ca.example.net; policy=ev"'),
    "NAPTR": ('1 2 "u" "E2U" "!^.*$!x!" .', '1 2 "u" "E2U" "!^.*$!x!" .'),
    "DS": ("1 8 2 " + "AB" * 32, "1 8 2 " + "ab" * 32),
    "TLSA": ("3 1 1 " + "ab" * 32, "3 1 1 " + "ab" * 32),
    "SSHFP": ("1 1 " + "ab" * 20, "1 1 " + "ab" * 20),
    "SVCB": ("1 host.example.com alpn=h2", '1 host.example.com. alpn="h2"'),
    "HTTPS": ("0 host.example.com", "0 host.example.com."),
    "SOA": ("ns.x. h.x. 1 2 3 4 5", "ns.x. h.x. 1 2 3 4 5"),
}


def test_every_type_of_route_53_has_an_example() -> None:
    """No type that the stand-in stores goes untested here."""
    assert set(TYPES) == set(VALID)


@pytest.mark.parametrize(("kind", "value", "text"), [(k, *pair) for k, pair in VALID.items()])
def test_a_value_of_each_type_is_read(kind: str, value: str, text: str) -> None:
    """Names in values are absolute, with or without their trailing dot."""
    assert text == rdata(kind, value).to_text()


@pytest.mark.parametrize("kind", sorted(VALID))
@pytest.mark.parametrize("value", ["", "x y z", '"', "\\", "\\400", "\x00", "é", "1 " * 500])
def test_a_value_that_cannot_be_read_is_one_error(kind: str, value: str) -> None:
    """Bad text is BadRdataError or an rdata that can be written, never another exception."""
    try:
        assert rdata(kind, value).to_wire() is not None
    except BadRdataError as bad:
        assert kind in str(bad)  # noqa: PT017 - reading may also succeed


@given(st.sampled_from(TYPES), st.text(max_size=40))
def test_no_text_raises_anything_else(kind: str, value: str) -> None:
    """Whatever stands in a zone, reading it ends in rdata or in BadRdataError."""
    try:
        rdata(kind, value)
    except BadRdataError:
        return


@pytest.mark.parametrize(
    ("octal", "decimal"),
    [
        (r"\052", r"\042"),
        (r"\000\377", r"\000\255"),
        (r"\"", r"\""),
        (r"\\052", r"\\052"),  # an escaped backslash, then plain digits
        (r"\\\052", r"\\\042"),
        (r"\# 2 abcd", r"\# 2 abcd"),
        (r"\400", r"\400"),
        ("plain", "plain"),
    ],
)
def test_octal_escapes_become_decimal(octal: str, decimal: str) -> None:
    """Only an escape of three octal digits is rewritten, and an escaped backslash starts none."""
    assert decimal == decimal_escapes(octal)


def test_escaped_bytes_of_a_text_reach_the_wire() -> None:
    """TXT bytes written in octal are those bytes."""
    assert rdata("TXT", r'"a\"\377\\n"').to_wire() == b'\x05a"\xff\\n'


def test_unknown_types_are_read_in_the_generic_form() -> None:
    """A type without a name of its own is taken as bytes."""
    assert rdata("TYPE65280", r"\# 2 abcd").to_wire() == b"\xab\xcd"


def test_a_type_that_does_not_exist_is_an_error() -> None:
    """A made-up type is BadRdataError, as a bad value is."""
    with pytest.raises(BadRdataError, match="NOSUCHTYPE"):
        rdata("NOSUCHTYPE", "x")


def test_targets_are_folded() -> None:
    """A CNAME's target is looked up in listing form."""
    assert target_name("CNAME", " *.WWW.example.com ") == "\\052.www.example.com."


def test_a_target_that_is_no_name_is_an_error() -> None:
    """A damaged target is BadRdataError and names the value."""
    with pytest.raises(BadRdataError, match=r"a\.\.b"):
        target_name("CNAME", "a..b")


def test_the_minimum_is_the_last_field() -> None:
    """The SOA's minimum is what negative answers lean on."""
    assert soa_minimum_s("ns.x. h.x. 1 2 3 4 86400") == 86_400
