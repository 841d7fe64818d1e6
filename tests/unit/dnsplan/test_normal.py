"""Route 53's normal form by record type."""

import ipaddress

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from dnsplan.names import Name
from dnsplan.normal import ipv4_form, is_same, normal_form, normal_values
from dnsplan.records import AliasTarget, OtherPolicy, RecordSet, Weighted
from dnsplan.values import value_problem


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
        ("NAPTR", '10  10 "S" "SIP" "" x.example.', '10 10 "S" "SIP" "" x.example.'),
        ("NAPTR", '010 10 S SIP+D2U ""\tX.Example', '10 10 "S" "SIP+D2U" "" x.example.'),
        ("NAPTR", '1 1 "U" "a" "!^(.*)$!\\\\1;x!" .', '1 1 "U" "a" "!^(.*)$!\\\\1;x!" .'),
        ("TLSA", "3 1 1 " + "AB cd" * 16, "3 1 1 " + "abcd" * 16),
        ("TLSA", "3 0 0 " + "AB" * 300, "3 0 0 " + "ab" * 300),
        ("DS", "60485 8  2 " + "AB" * 32, "60485 8 2 " + "ab" * 32),
        (
            "SVCB",
            "01 SVC.example.net port=8443 alpn=h2",
            '1 svc.example.net. alpn="h2" port="8443"',
        ),
        ("HTTPS", '1 . ipv6hint=2001:DB8:0::1 alpn="h2"', '1 . alpn="h2" ipv6hint="2001:db8::1"'),
        ("HTTPS", "0 Svc.example.net", "0 svc.example.net."),
        (
            "HTTPS",
            '1 . key7="/q{?dns}" no-default-alpn alpn=h3',
            '1 . alpn="h3" no-default-alpn key7="/q{?dns}"',
        ),
        ("SVCB", "1 . dohpath=/q{?dns} alpn=h3", '1 . alpn="h3" dohpath="/q{?dns}"'),
        ("SVCB", "1 A.b key65400=a\\001", "1 a.b. key65400=a\\001"),
        ("SVCB", "1 A.b key1=h2", "1 A.b key1=h2"),
        ("LOC", "1  2", "1 2"),
        ("SSHFP", "1  1   " + "AbCd" * 10, "1 1 " + "abcd" * 10),
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


@given(
    st.one_of(
        st.text(max_size=20),
        st.text("0123456789.", max_size=16),
        st.ip_addresses(v=4).map(str),
        st.lists(st.integers(0, 300).map(str), min_size=3, max_size=5).map(".".join),
    )
)
def test_an_ipv4_address_is_what_python_takes_for_one(text: str) -> None:
    """Whoever reads it, and in the same text."""
    try:
        expected = str(ipaddress.IPv4Address(text))
    except ValueError:
        assert value_problem("A", text) is not None
    else:
        assert value_problem("A", text) is None
        assert ipv4_form(f" {text} ") == expected


@pytest.mark.parametrize(
    ("listed", "normal"),
    [
        (
            '{"GeoProximityLocation":{"AWSRegion":"eu-west-1","Bias":0}}',
            '{"GeoProximityLocation":{"AWSRegion":"eu-west-1"}}',
        ),
        (
            '{"GeoProximityLocation":{"AWSRegion":"eu-west-1","Bias":-9}}',
            '{"GeoProximityLocation":{"AWSRegion":"eu-west-1","Bias":-9}}',
        ),
        ('{"TrafficPolicyInstanceId":"x"}', '{"TrafficPolicyInstanceId":"x"}'),
    ],
)
def test_a_bias_of_nothing_is_none(listed: str, normal: str) -> None:
    """Route 53 lists one where nobody stated it: such a set would be written for ever."""
    there = RecordSet(Name("w.example.com."), "A", 60, ("192.0.2.1",), "x", OtherPolicy(listed))
    desired = structs.replace(there, routing=OtherPolicy(normal))
    assert normal_form(there) == desired
    assert is_same(there, desired)
