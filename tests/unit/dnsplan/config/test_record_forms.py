"""Every form of record that Route 53 holds can be stated in `dns.yaml`, up to its limits."""

from pathlib import Path

import pytest

from dnsplan.names import Name
from dnsplan.records import AliasTarget, Failover, Geolocation, RecordSet, Weighted
from dnsplan.runtime.config import desired_static
from dnsplan.text import unquote
from tests.unit.dnsplan.config.texts import loaded, said


def config(names: str, zone: str = "") -> str:
    """A config of one zone with these names, on line 3."""
    return f"azs: [a]\nzones:\n  z: {{name: z.test, {zone} names: {{{names}}}}}\n"


def stated(folder: Path, names: str, zone: str = "") -> tuple[RecordSet, ...]:
    """The record sets of a zone with these names."""
    return desired_static(loaded(folder, config(names, zone)).settings.zones["z"])


@pytest.mark.parametrize(
    ("key", "name"),
    [
        ('"@"', "z.test."),
        ('"*"', "\\052.z.test."),
        ('"*.a"', "\\052.a.z.test."),
        ("_dmarc", "_dmarc.z.test."),
        ("_443._tcp", "_443._tcp.z.test."),
        ("bücher", "xn--bcher-kva.z.test."),
        ("XN--BCHER-KVA", "xn--bcher-kva.z.test."),
        ('"a\\057b"', "a\\057b.z.test."),
        ("www.z.test.", "www.z.test."),
    ],
)
def test_names(tmp_path: Path, key: str, name: str) -> None:
    """Apex, wildcard, underscore, Unicode and escaped names are each one name of the zone."""
    text = key.replace("\\", "\\\\") if key.startswith('"') else key
    (one,) = stated(tmp_path, f"{text}: {{records: [{{type: A, values: [192.0.2.1]}}]}}")
    assert one.name == name


@pytest.mark.parametrize(
    ("record_type", "value", "normal"),
    [
        ("CNAME", "Bücher.Example.", "xn--bcher-kva.example."),
        ("MX", "10 bücher.example.", "10 xn--bcher-kva.example."),
        ("SRV", "1 2 3 host.example.", "1 2 3 host.example."),
        ("PTR", "host.example.", "host.example."),
        ("AAAA", "2001:DB8:0:0::1", "2001:db8::1"),
        ("CAA", "0 issue ca.example", '0 issue "ca.example"'),
        ("HTTPS", "1 . alpn=h2", '1 . alpn="h2"'),
        ("SVCB", "0 svc.example.", "0 svc.example."),
        ("SSHFP", "1 1 " + "AB" * 20, "1 1 " + "ab" * 20),
        ("TLSA", "3 1 1 " + "AB" * 32, "3 1 1 " + "ab" * 32),
        ("NAPTR", '1 2 "u" "s" "!a!b!" .', '1 2 "u" "s" "!a!b!" .'),
        ("DS", "1 8 2 " + "AB" * 32, "1 8 2 " + "ab" * 32),
    ],
)
def test_types(tmp_path: Path, record_type: str, value: str, normal: str) -> None:
    """Each type has its values as Route 53 spells them; those it does not look into stay whole."""
    quoted = "'" + value.replace("'", "''") + "'"
    (one,) = stated(tmp_path, f"w: {{records: [{{type: {record_type}, values: [{quoted}]}}]}}")
    assert one.values == (normal,)


def test_members_of_one_name(tmp_path: Path) -> None:
    """Set identifiers, health checks and aliases go with any one policy."""
    alias = (
        "alias: {name: lb.eu-west-1.elb.amazonaws.com, zone_id: Z3, evaluate_target_health: true}"
    )
    names = (
        "w: {records: ["
        "{type: A, set_id: one, weight: 0, values: [192.0.2.1], health_check_id: hc},"
        f"{{type: A, set_id: two, weight: 255, {alias}}}]}},"
        "f: {ttl_s: 5, records: ["
        "{type: A, set_id: p, failover: PRIMARY, values: [192.0.2.1], health_check_id: hc},"
        "{type: A, set_id: s, failover: SECONDARY, values: [192.0.2.2]}]},"
        "g: {records: ["
        "{type: A, set_id: us, geo: {country: US, subdivision: CA}, values: [192.0.2.1]},"
        '{type: A, set_id: rest, geo: {country: "*"}, values: [192.0.2.2]}]}'
    )
    balancer = AliasTarget("Z3", Name("lb.eu-west-1.elb.amazonaws.com."), True)
    assert stated(tmp_path, names) == (
        RecordSet(
            *(Name("f.z.test."), "A", 5, ("192.0.2.1",), "p", Failover("PRIMARY")),
            health_check_id="hc",
        ),
        RecordSet(Name("f.z.test."), "A", 5, ("192.0.2.2",), "s", Failover("SECONDARY")),
        RecordSet(Name("g.z.test."), "A", 60, ("192.0.2.2",), "rest", Geolocation(None, "*", None)),
        RecordSet(Name("g.z.test."), "A", 60, ("192.0.2.1",), "us", Geolocation(None, "US", "CA")),
        RecordSet(
            Name("w.z.test."), "A", 60, ("192.0.2.1",), "one", Weighted(0), health_check_id="hc"
        ),
        RecordSet(Name("w.z.test."), "A", None, (), "two", Weighted(255), alias=balancer),
    )


def test_an_alias_into_its_own_zone(tmp_path: Path) -> None:
    """With the zone's id stated, an alias into the zone needs none; out of it, it does."""
    inside = "w: {records: [{type: A, alias: {name: z.test}}]}"
    (one,) = stated(tmp_path, inside, "id: Z9,")
    assert one.alias == AliasTarget("Z9", Name("z.test."), False)
    outside = "w: {records: [{type: A, alias: {name: x.net}}]}"
    assert said(tmp_path, config(outside, "id: Z9,")) == [
        (
            "dns.yaml:3: zones.z.names.w.records[0].alias: x.net, which is outside the zone,"
            " without zone_id; allowed: a name in this zone, or a zone_id"
        )
    ]


@pytest.mark.parametrize(("count", "is_taken"), [(400, True), (401, False)])
def test_values_of_a_set(tmp_path: Path, count: int, *, is_taken: bool) -> None:
    """A record set has at most 400 values."""
    values = ", ".join(f"10.0.{n >> 8}.{n & 255}" for n in range(count))
    found = said(tmp_path, config(f"w: {{records: [{{type: A, values: [{values}]}}]}}"))
    refusal = "dns.yaml:3: zones.z.names.w.records[0]: 401 values; allowed: at most 400"
    assert [line.startswith(refusal) for line in found] == ([] if is_taken else [True])


@pytest.mark.parametrize(("count", "is_taken"), [(100, True), (101, False)])
def test_sets_of_a_name(tmp_path: Path, count: int, *, is_taken: bool) -> None:
    """A name and type has at most 100 record sets."""
    sets = ", ".join(
        f"{{type: A, set_id: s{n}, weight: 1, values: [10.0.0.{n}]}}" for n in range(count)
    )
    found = said(tmp_path, config(f"w: {{records: [{sets}]}}"))
    refusal = "dns.yaml:3: zones.z.names.w.records: A has 101 record sets; allowed: at most 100"
    assert found == ([] if is_taken else [refusal])


@pytest.mark.parametrize(("ttl_s", "is_taken"), [(0, True), (2**31 - 1, True), (2**31, False)])
def test_ttls(tmp_path: Path, ttl_s: int, *, is_taken: bool) -> None:
    """A TTL is 0 to 2147483647 seconds."""
    names = f"w: {{records: [{{type: A, ttl_s: {ttl_s}, values: [192.0.2.1]}}]}}"
    assert (said(tmp_path, config(names)) == []) == is_taken


@pytest.mark.parametrize(
    ("written", "strings"),
    [
        ("v=spf1 -all", (b"v=spf1 -all",)),
        ("x" * 256, (b"x" * 255, b"x")),
        ('"a" "b"', (b"a", b"b")),
        ('say "hi"; \\ end', (b'say "hi"; \\ end',)),
        ("grün", ("grün".encode(),)),
    ],
)
def test_text(tmp_path: Path, written: str, strings: tuple[bytes, ...]) -> None:
    """Raw text is quoted and split for its writer; what is quoted already is kept as it is cut."""
    quoted = "'" + written + "'"
    (one,) = stated(tmp_path, f"w: {{records: [{{type: TXT, values: [{quoted}]}}]}}")
    assert unquote(one.values[0]) == strings
