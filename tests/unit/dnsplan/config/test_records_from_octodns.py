"""An octoDNS YAML file of `records_from:` says what octodns-route53 would have written."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from dnsplan.names import Name
from dnsplan.records import AliasTarget, RecordSet
from dnsplan.runtime.config import LoadedConfig, desired_static, load
from tests.unit.dnsplan.config.folders import problems

HEAD = "azs: [a]\nzones:\n  z:\n    name: z.test\n    id: Z9\n    records_from: z.yaml\n"


def write(folder: Path, text: str) -> Path:
    """Write a zone that reads from the file, and give dns.yaml."""
    (folder / "z.yaml").write_text(text)
    (folder / "dns.yaml").write_text(HEAD)
    return folder / "dns.yaml"


def loaded(folder: Path, text: str) -> LoadedConfig:
    """Load such a zone."""
    return load(write(folder, text), {})


def content(folder: Path, text: str) -> tuple[RecordSet, ...]:
    """The record sets that the file states."""
    return desired_static(loaded(folder, text).settings.zones["z"])


def said(folder: Path, text: str) -> list[str]:
    """What is said about the file."""
    return problems(write(folder, text))


ZONE = r"""
---
? ''
: - ttl: 60
    type: MX
    values:
    - {exchange: mail.example.net., preference: 10}
    - {priority: 20, value: mail2.example.net.}
  - type: NS
    values: [ns1.example.net.]
  - {type: TXT, values: ['v=spf1 -all', 'v=DKIM1\; k=rsa', 'say "hi"']}
'*.apps': {type: CNAME, value: www.z.test., ttl: 0}
bücher: {type: A, value: 192.0.2.3}
_sip._tcp: {type: SRV, value: {priority: 1, weight: 2, port: 5060, target: sip.z.test.}}
caa: {type: CAA, value: {tag: issue, value: ca.example}}
naptr:
  type: NAPTR
  value: {order: 1, preference: 2, flags: u, service: s, regexp: '!a!b!', replacement: .}
ds:
  type: DS
  octodns: {lenient: true}
  value: {key_tag: 1, algorithm: 8, digest_type: 2, digest:
    ABABABABABABABABABABABABABABABABABABABABABABABABABABABABABABABAB}
alias:
  type: Route53Provider/ALIAS
  values:
  - type: A
    name: x.eu-west-1.elb.amazonaws.com.
    hosted-zone-id: Z3
    evaluate-target-health: true
  - {type: AAAA, name: www, hosted-zone-id: null}
"""


def test_an_octodns_file(tmp_path: Path) -> None:
    """Names, one or many records, TTLs left out, fields, escapes and Route 53's own alias type."""
    simple = [
        f"{one.name} {one.ttl_s} {one.type} {' | '.join(one.values)}"
        for one in content(tmp_path, ZONE)
        if one.alias is None
    ]
    assert simple == [
        "\\052.apps.z.test. 0 CNAME www.z.test.",
        "_sip._tcp.z.test. 3600 SRV 1 2 5060 sip.z.test.",
        'caa.z.test. 3600 CAA 0 issue "ca.example"',
        "ds.z.test. 3600 DS 1 8 2 " + "ab" * 32,
        'naptr.z.test. 3600 NAPTR 1 2 "U" "s" "!a!b!" .',
        "xn--bcher-kva.z.test. 3600 A 192.0.2.3",
        "z.test. 60 MX 10 mail.example.net. | 20 mail2.example.net.",
        'z.test. 3600 TXT "say \\"hi\\"" | "v=DKIM1; k=rsa" | "v=spf1 -all"',
    ]
    aliases = [(one.type, one.alias) for one in content(tmp_path, ZONE) if one.alias]
    assert aliases == [
        ("A", AliasTarget("Z3", Name("x.eu-west-1.elb.amazonaws.com."), True)),
        ("AAAA", AliasTarget("Z9", Name("www.z.test."), False)),
    ]
    remark = f"{tmp_path}/z.yaml: left out the apex NS, which are Route 53's own"
    assert loaded(tmp_path, ZONE).remarks == (remark,)


def test_long_texts_are_cut_as_octodns_cuts_them(tmp_path: Path) -> None:
    """255 characters of the file's text to a string, so that octoDNS's zones show no change."""
    key = "v=DKIM1\\; k=rsa\\; p=" + "x" * 400
    (one,) = content(tmp_path, f"k: {{type: TXT, value: '{key}'}}\n")
    first = "v=DKIM1; k=rsa; p=" + "x" * (255 - len("v=DKIM1\\; k=rsa\\; p="))
    assert one.values == (f'"{first}" "{"x" * (400 - first.count("x"))}"',)


def script() -> Iterator[tuple[str, list[str]]]:
    """A record and what is said of it, of each case in octodns_mistakes.txt."""
    text = Path(__file__).with_name("octodns_mistakes.txt").read_text()
    for case in text.strip().split("\n\n"):
        record, *lines = case.splitlines()
        yield record, [line.strip() for line in lines]


@pytest.mark.parametrize(("record", "mistakes"), list(script()))
def test_mistakes(tmp_path: Path, record: str, mistakes: list[str]) -> None:
    """What cannot be taken over is refused with line, key, what was found and what is allowed."""
    found = said(tmp_path, f"ok: {{type: A, value: 192.0.2.9}}\nx: {record}\n")
    assert found == [f"z.yaml:2: {one}" for one in mistakes]


def test_mistakes_stand_together(tmp_path: Path) -> None:
    """All are found at once, those of YAML's traps too."""
    text = "NO: {type: A, value: 192.0.2.9}\na..b: {type: A, value: 192.0.2.9}\nx: 7\n"
    assert said(tmp_path, text) == [
        (
            "z.yaml:1: NO: the key NO, which YAML 1.1 reads as true or false;"
            ' allowed: the key in quotes: "NO"'
        ),
        (
            "z.yaml:2: \"a..b\": 'a..b.z.test.' has an empty label;"
            " allowed: a name relative to the zone"
        ),
        "z.yaml:3: x: the number 7; allowed: a record: type, ttl, value, values, octodns",
    ]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", "z.yaml: no names; allowed: a mapping of names to records"),
        ("[a]", "z.yaml: no names; allowed: a mapping of names to records"),
        ("a: {", "z.yaml:2: "),
    ],
)
def test_a_file_that_says_nothing(tmp_path: Path, text: str, found: str) -> None:
    """An empty or broken file is no instruction."""
    (line,) = said(tmp_path, text)
    assert line.startswith(found)


def test_two_of_one_name_and_type(tmp_path: Path) -> None:
    """octoDNS has one record a name and type; a second one is said."""
    text = "x:\n- {type: A, value: 192.0.2.1}\n- {type: A, value: 192.0.2.2}\n"
    assert said(tmp_path, text) == [
        (
            'z.yaml:3: zones.z.names."x.z.test.".records[1]: A a second time (first in records[0]);'
            " allowed: one record set with all values, or a set_id for each"
        )
    ]


@pytest.mark.parametrize(
    ("key", "text"),
    [
        ("@", 'which octoDNS takes for a label; allowed: "" for the zone itself'),
        ("www.z.test", 'which would become www.z.test.z.test.; allowed: "www"'),
        ("Z.test", 'which would become z.test.z.test.; allowed: ""'),
    ],
)
def test_a_key_that_names_the_zone_once_more_is_no_name(
    tmp_path: Path, key: str, text: str
) -> None:
    """It would stand below the zone, and the name that is meant would have nothing."""
    (line,) = said(tmp_path, f"'{key}': {{type: A, value: 192.0.2.1}}\n")
    assert line.endswith(f'the text "{key}", {text}')
