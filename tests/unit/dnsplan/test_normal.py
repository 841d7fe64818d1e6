"""Route 53's normal form by record type."""

import pytest

from dnsplan.names import Name
from dnsplan.normal import is_same, normal_form, normal_values
from dnsplan.records import AliasTarget, RecordSet, Weighted


@pytest.mark.parametrize(
    ("record_type", "written", "normal"),
    [
        ("A", " 192.0.2.1 ", "192.0.2.1"),
        ("AAAA", "2001:DB8:0:0::1", "2001:db8::1"),
        ("CNAME", "WWW.Example.com", "www.example.com."),
        ("MX", "010  Mail.Example.COM", "10 mail.example.com."),
        ("SRV", "1 2  443 A.Example.com", "1 2 443 a.example.com."),
        ("SRV", "1 2 443 .", "1 2 443 ."),
        ("NS", "NS1.example.com.", "ns1.example.com."),
        ("CAA", '0 Issue "letsencrypt.org"', '0 issue "letsencrypt.org"'),
        ("TXT", '"a"   "b"', '"a" "b"'),
        ("TXT", '"\\101"', '"A"'),
        ("NAPTR", '10  10 "S" "SIP" "" x.example.', '10  10 "S" "SIP" "" x.example.'),
        ("SSHFP", "1  1   abcd", "1 1 abcd"),
        ("A", "no address", "no address"),
        ("MX", "ten mail.example.com.", "ten mail.example.com."),
    ],
)
def test_values(record_type: str, written: str, normal: str) -> None:
    """Each type has one canonical text; what cannot be read stays as it is."""
    assert normal_values(record_type, (written,)) == (normal,)


def test_values_sort_and_fold() -> None:
    """Two spellings of one value are one value; the rest is sorted."""
    written = ("2001:db8::2", "2001:DB8::1", "2001:db8:0::2")
    assert normal_values("AAAA", written) == ("2001:db8::1", "2001:db8::2")


def test_fields_that_a_kind_cannot_hold() -> None:
    """An alias has no TTL and no values, empty ids are none, the zone id loses its path."""
    written = RecordSet(
        Name("A.example.com"),
        "a",
        60,
        ("192.0.2.1",),
        set_id="",
        alias=AliasTarget("/hostedzone/Z1", Name("B.example.com"), evaluate_target_health=False),
        health_check_id="",
    )
    alias = AliasTarget("Z1", Name("b.example.com."), evaluate_target_health=False)
    assert normal_form(written) == RecordSet(Name("a.example.com."), "A", None, (), alias=alias)


def test_sameness() -> None:
    """A listed set in another spelling is the same; another TTL or weight is not."""
    name = Name("a.example.com.")
    desired = RecordSet(name, "TXT", 60, ('"A"',), set_id="x", routing=Weighted(1))
    listed = RecordSet(name, "TXT", 60, ('"\\101"',), set_id="x", routing=Weighted(1))
    assert is_same(listed, desired)
    assert not is_same(RecordSet(name, "TXT", 61, ('"A"',), "x", Weighted(1)), desired)
    assert not is_same(RecordSet(name, "TXT", 60, ('"A"',), "x", Weighted(2)), desired)
