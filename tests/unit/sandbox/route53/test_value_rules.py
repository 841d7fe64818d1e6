"""Names and values: their spelling, their bounds, and the syntax of each type."""

import pytest

from tests.unit.sandbox.route53.bench import Bench, record, text, weighted
from tests.unit.sandbox.route53.cases import rule

TTL_S_MAX = 2_147_483_647


@rule("name-fold", "name-escape")
def test_every_spelling_is_one_name() -> None:
    """Case, the last dot and escapes change nothing; listings show one form."""
    bench = Bench()
    assert bench.create(record("*.Example.COM.")) == ""
    assert [one.name for one in bench.held()] == ["\\052.example.com."]
    assert "already exists" in bench.create(record("\\052.example.com."))
    assert bench.delete(record("*.EXAMPLE.com.")) == ""


@rule("name-in-zone")
@pytest.mark.parametrize("name", ["evilexample.com.", "www.example.org.", "com."])
def test_names_lie_in_the_zone(name: str) -> None:
    """A longer first label is another name."""
    assert (
        f"InvalidChangeBatch: [RRSet with DNS name {name} is not permitted in zone example.com.]"
    ) == Bench().create(record(name))


@rule("name-lengths", "name-characters")
@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("x" * 64, "DomainLabelTooLong"),
        ("a..b", "DomainLabelEmpty"),
        (".".join(["x" * 60] * 5), "DomainNameTooLong"),
        ("a b", "UnsupportedCharacter"),
        ("bücher", "UnsupportedCharacter"),
    ],
)
def test_bad_names(name: str, kind: str) -> None:
    """Lengths and characters are bounded, in names and in alias targets."""
    bench = Bench()
    assert bench.create(record(name)).startswith(f"InvalidChangeBatch: [FATAL problem: {kind}")
    assert f"FATAL problem: {kind}" in bench.create(bench.alias("a", name))


@rule("root-as-host")
@pytest.mark.parametrize(("kind", "value"), [("MX", "0 ."), ("SRV", "0 0 0 .")])
def test_the_root_says_that_there_is_no_such_service(kind: str, value: str) -> None:
    """Nothing else may be empty."""
    assert Bench().create(record("x", kind, values=(value,))) == ""
    assert "DomainLabelEmpty" in Bench().create(record("x", kind, values=(value + ".",)))


@rule("types")
def test_unknown_types_are_malformed() -> None:
    """DNSKEY is no type that can be stored."""
    answer = Bench().create(record("x", "DNSKEY", values=("x",)))
    assert answer.startswith("InvalidInput: Invalid XML ; cvc-enumeration-valid: Value 'DNSKEY'")


@rule("ttl-bounds", "weight-bounds")
def test_numbers_are_bounded() -> None:
    """A TTL fits 31 bits, a weight 8."""
    bench = Bench()
    for bad in (record(ttl=-1), record(ttl=TTL_S_MAX + 1), weighted("a", 256), weighted("a", -1)):
        assert bench.create(bad).startswith("InvalidInput: Invalid XML")
    assert bench.create(record("t", ttl=TTL_S_MAX), record("u", ttl=0)) == ""
    assert bench.create(weighted("a", 255), weighted("b", 0)) == ""


@rule("ttl-bounds")
def test_a_failover_role_is_one_of_two() -> None:
    """Any other role is malformed."""
    assert "'[PRIMARY, SECONDARY]'" in Bench().create(record(set_id="a", failover="THIRD"))


@rule("duplicates")
def test_no_value_twice() -> None:
    """A repeated value is refused, also in another spelling."""
    assert (
        Bench().create(record(values=("192.0.2.1", "192.0.2.1")))
        == "InvalidChangeBatch: [Duplicate Resource Record: '192.0.2.1']"
    )
    answer = Bench().create(record("x", "AAAA", values=("2001:db8::1", "2001:db8:0::1")))
    assert "Duplicate Resource Record: '2001:db8:0::1'" in answer


@rule("values-400")
def test_at_most_400_values() -> None:
    """The 401st is too many."""
    values = tuple(f"10.0.{n // 250}.{n % 250}" for n in range(401))
    assert Bench().create(record(values=values[:400])) == ""
    assert "Cannot have more than 400 records in a RRSet." in Bench().create(record(values=values))


@rule("value-4000")
def test_a_value_has_at_most_4000_characters() -> None:
    """Whatever its strings."""
    long = " ".join(['"' + "x" * 248 + '"'] * 16)
    assert len(long) > 4000
    assert "Value is too long" in Bench().create(record("x", "TXT", values=(long,)))
    assert Bench().create(record("x", "TXT", values=(long[: 250 * 15 + 14],))) == ""


GOOD = {
    "A": ["192.0.2.1", "0.0.0.0", "255.255.255.255"],
    "AAAA": ["::", "2001:db8::1", "2001:DB8:0:0:0:0:0:1", "::ffff:192.0.2.1"],
    "CNAME": ["x.example.org", "X.example.org.", "_a.b.example.org."],
    "NS": ["ns1.example.org."],
    "PTR": ["host.example.org."],
    "MX": ["10 mail.example.org.", "0 mail.example.org", "65535 m.example.org"],
    "SRV": ["1 2 443 host.example.org."],
    "TXT": ['"plain"', '"two" "strings"', '"with \\"quotes\\""', '"\\040"', '""'],
    "SPF": ['"v=spf1 -all"'],
    "CAA": ['0 issue "ca.example.org"', '128 iodef "mailto:x@example.org"'],
    "DS": ["12345 13 2 ABCD"],
    "HTTPS": ["1 . alpn=h2"],
    "NAPTR": ['100 10 "U" "SIP" "" .'],
}
BAD = {
    "A": ["", "x", "192.0.2", "192.0.2.256", "192.0.2.01", " 192.0.2.1", "2001:db8::1"],
    "AAAA": ["", "192.0.2.1", "2001:db8:::1", "fe80::1%eth0"],
    "CNAME": ["", "a..b", "x y", "x" * 64 + ".org"],
    "NS": ["a..b"],
    "PTR": [" "],
    "MX": ["mail.example.org.", "10", "70000 mail.example.org.", "x mail.example.org.", "10 a..b"],
    "SRV": ["1 2 host.example.org.", "1 2 99999 host.example.org.", "1 2 3 4 host.example.org."],
    "TXT": ["plain", '"open', 'x "y"', '"a""b"', ""],
    "SPF": ["v=spf1"],
    "CAA": ["0 issue", '256 issue "x"', '0 is-sue "x"', "0 issue x"],
    "DS": [" "],
}


@rule("addresses", "txt-quoted", "other-values")
@pytest.mark.parametrize(("kind", "value"), [(kind, one) for kind in GOOD for one in GOOD[kind]])
def test_good_values_stand(kind: str, value: str) -> None:
    """A value in its type's syntax is kept as it was written."""
    bench = Bench()
    assert bench.create(record("x", kind, values=(value,))) == ""
    assert (value,) == bench.values("x", kind)


@rule("addresses", "txt-quoted", "other-values")
@pytest.mark.parametrize(("kind", "value"), [(kind, one) for kind in BAD for one in BAD[kind]])
def test_bad_values_are_refused(kind: str, value: str) -> None:
    """A value out of its type's syntax is named in the refusal."""
    answer = Bench().create(record("x", kind, values=(value,)))
    assert answer.startswith("InvalidChangeBatch: [Invalid Resource Record: 'FATAL problem: ")
    assert answer.endswith("']")


@rule("other-values")
def test_a_cname_and_a_soa_have_one_value() -> None:
    """Two targets of one CNAME are refused."""
    two = record("x", "CNAME", values=("a.example.org", "b.example.org"))
    assert "can hold one value only" in Bench().create(two)
    bench = Bench()
    soa = bench.zone.sets_at("example.com.")["SOA", ""]
    for bad in ("a b c", "ns.example.org. host.example.org. 1 2 3 4 99999999999"):
        assert "SOARRDATA" in bench.upsert(record("example.com.", "SOA", ttl=900, values=(bad,)))
    assert bench.upsert(record("example.com.", "SOA", ttl=60, values=soa.values)) == ""


@rule("txt-255")
def test_a_txt_string_has_at_most_255_characters() -> None:
    """Escapes count as the one character they stand for; a value may have several strings."""
    assert "CharacterStringTooLong (Value is too long)" in Bench().create(text("x", "y" * 256))
    assert Bench().create(text("x", "y" * 254 + "\\042")) == ""
    two = record("x", "TXT", values=('"' + "y" * 255 + '" "' + "z" * 255 + '"',))
    assert Bench().create(two) == ""


@rule("txt-characters")
@pytest.mark.parametrize("raw", ["größe", "a\nb", "\x7f"])
def test_txt_is_printable_ascii(raw: str) -> None:
    """Anything else must come as an escape."""
    assert "UnsupportedCharacter" in Bench().create(text("x", raw))
    escaped = "".join(f"\\{byte:03o}" for byte in raw.encode())
    assert Bench().create(text("x", escaped)) == ""


@rule("health-check")
def test_a_health_check_exists() -> None:
    """An unknown one is refused by its own code; DELETE may name one that is gone."""
    bench = Bench()
    checks = {"known"}
    bench.account.health_checks = checks
    assert bench.create(record("a", health_check_id="unknown")).startswith("NoSuchHealthCheck: ")
    assert bench.create(record("a", health_check_id="known")) == ""
    checks.clear()
    assert bench.delete(record("a", health_check_id="known")) == ""
