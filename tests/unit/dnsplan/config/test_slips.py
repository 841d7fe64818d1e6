"""What reads as a name and was hardly meant so is said, with what may be meant."""

from pathlib import Path

import pytest

from dnsplan.runtime.config.slips import name_in, slip_in_name, slip_in_target
from tests.unit.dnsplan.config.texts import said, with_name, zone, zones

ADDRESS = "{type: A, values: [192.0.2.1]}"


@pytest.mark.parametrize(
    ("text", "is_slip"),
    [
        ("www", False),
        ("_dmarc.www", False),
        ("*.a", False),
        ("Printer Room._ipp._tcp", False),
        ("www\\040", False),
        ("www\\ ", False),
        (" www", True),
        ("www ", True),
        ("www .a", True),
        ("a.\twww", True),
        ("https://www", True),
        ("@", False),
        ("_sip._tls.@", True),
        ("a\\@b", False),
    ],
)
def test_slips_in_names(text: str, is_slip: bool) -> None:
    """A blank at the edge of a label, unless escaped, a web address, and @ below others."""
    assert (slip_in_name(text) is not None) == is_slip


@pytest.mark.parametrize(
    ("text", "is_slip"),
    [
        ("mail", True),
        ("mail.", False),
        (".", False),
        ("@", True),
        ("mail.example.com", False),
        ("192.0.2.1", True),
        ("192.0.2.1.", True),
        ("2001:db8::1", True),
        ("1.0/26.2.0.192.in-addr.arpa.", False),
        ("https://mail.example.com", True),
        ("mail.example.com:443", True),
        ("mail.example.com:443.", True),
        ("mail.example.com\\072443.", False),
        ("mail.example.com/path", True),
        ("a.example.arpa.example.com/path", True),
    ],
)
def test_slips_in_targets(text: str, is_slip: bool) -> None:
    """A name of more than one label, or with a last dot; no address, no port and no path."""
    assert (slip_in_target(text) is not None) == is_slip


@pytest.mark.parametrize(
    ("record_type", "value", "name"),
    [
        ("CNAME", "x.example.", "x.example."),
        ("MX", "10 x.example.", "x.example."),
        ("SRV", "0 5 5060 x.example.", "x.example."),
        ("NAPTR", '1 1 "s" "a b" "" x.example.', "x.example."),
        ("HTTPS", "1 x.example. alpn=h2", "x.example."),
        ("SVCB", "0 x.example.", "x.example."),
        ("TXT", "x.example.", None),
        ("MX", "10", None),
    ],
)
def test_the_name_in_a_value(record_type: str, value: str, name: str | None) -> None:
    """What each type leads to."""
    assert name_in(record_type, value) == name


@pytest.mark.parametrize(
    ("record_type", "value", "what"),
    [
        ("CNAME", "192.0.2.1", "192.0.2.1 is no name"),
        ("MX", "10 192.0.2.1", "192.0.2.1 is no name"),
        ("SRV", "0 5 5060 sip", "sip would be a top-level domain"),
        ("HTTPS", "1 svc alpn=h2", "svc would be a top-level domain"),
        ("SVCB", "1 192.0.2.1.", "192.0.2.1. is no name"),
        ("CNAME", "https://x.example.net", "https://x.example.net is a web address"),
        (
            "PTR",
            "h.0.192.in-addr.arpa.",
            "h.0.192.in-addr.arpa. lies in a reverse zone, where no host is",
        ),
    ],
)
def test_values(tmp_path: Path, record_type: str, value: str, what: str) -> None:
    """Said of the value, at its line."""
    record = f'{{type: {record_type}, values: ["{value}"]}}'
    (found,) = said(tmp_path, with_name(f"{{records: [{record}]}}"))
    assert f'records[0].values[0]: the text "{value}", where {what}; allowed: ' in found


def test_a_naptr_value(tmp_path: Path) -> None:
    """Its replacement is the last word."""
    record = """{type: NAPTR, values: ['1 1 "s" "SIP+D2U" "" _sip']}"""
    (found,) = said(tmp_path, with_name(f"{{records: [{record}]}}"))
    assert "where _sip would be a top-level domain" in found


@pytest.mark.parametrize("key", [" www", "www ", "https://www"])
def test_names(tmp_path: Path, key: str) -> None:
    """A name that would be another than the one meant."""
    (found,) = said(tmp_path, with_name(f"{{records: [{ADDRESS}]}}", key=key))
    assert found.startswith("dns.yaml:5: zones.shop.names.")
    assert f'the text "{key}", which ' in found


@pytest.mark.parametrize(
    ("apex", "key", "short"),
    [
        ("bücher.example", "www.bücher.example", "www"),
        ("bücher.example", "www.xn--bcher-kva.example", "www"),
        ("xn--bcher-kva.example", "a.b.Bücher.example", "a.b"),
        ("bücher.example", "bücher.example", "@"),
    ],
)
def test_a_zone_is_named_once_in_whatever_letters(
    tmp_path: Path, apex: str, key: str, short: str
) -> None:
    """The name would stand below the zone's own name once more."""
    names = f'{{"{key}": {{records: [{ADDRESS}]}}}}'
    (found,) = said(tmp_path, zones(f"a: {{name: {apex}, names: {names}}}"))
    assert "xn--bcher-kva.example.xn--bcher-kva.example.; " in found
    assert f'allowed: "{short}", or the full name' in found


BLOCK = """azs: [a]
zones:
  shop:
    name: example.com
    names:
      www:
        records:
        - type: TXT
          values:
          - """


@pytest.mark.parametrize("text", ["|\n            v=spf1 -all\n", '"v=DKIM1;\\n p=abc"\n'])
def test_a_block_of_yaml_leaves_no_line_end_in_a_text(tmp_path: Path, text: str) -> None:
    """Nobody who reads such a record expects one."""
    (found,) = said(tmp_path, BLOCK + text)
    assert "which holds a line end; allowed: one line" in found


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("v=spf1\u00a0-all", "no-break space"),
        ("v=spf1 -all\u200b", "zero width space"),
        ("\u201cv=spf1 -all\u201d", "left double quotation mark"),
    ],
)
def test_what_a_copied_text_brings_along_is_said(tmp_path: Path, text: str, what: str) -> None:
    """Whoever reads the record would find no mechanism, and no eye the reason."""
    (found,) = said(tmp_path, f"{BLOCK}'{text}'\n")
    assert f"which holds {what}; allowed: plain blanks" in found


def test_letters_of_any_script_may_stand_in_a_text(tmp_path: Path) -> None:
    """They are written as their bytes."""
    assert said(tmp_path, f"{BLOCK}'caf\u00e9 \u201equoted\u201c \u65e5\u672c'\n") == []


@pytest.mark.parametrize(
    ("text", "is_slip"),
    [
        ('v=DKIM1; p=MIIB""IjAN', True),
        ('v=DKIM1; p=MIIB" "IjAN', True),
        ('"v=DKIM1; p=MIIB" "IjAN"', False),
        ('"v=DKIM1; p=MIIB""IjAN"', False),
        ('say "hi" "there"', False),
        ('key="" other=""', False),
        ('in"ter"ior', False),
        ('a\\" "b', False),
    ],
)
def test_quotes_that_another_tool_takes_away(tmp_path: Path, text: str, is_slip: bool) -> None:
    """Terraform's texts are cut so, and nobody's key holds two quotes in its middle."""
    found = said(tmp_path, f"{BLOCK}'{text}'\n")
    said_of_quotes = [
        "which would hold the quotes between strings; allowed: one text" in one for one in found
    ]
    assert said_of_quotes == [True] * is_slip


def test_lines_that_yaml_joins_are_one(tmp_path: Path) -> None:
    """As keys of DKIM are written."""
    assert said(tmp_path, f"{BLOCK}>-\n            v=DKIM1;\n            p=abc\n") == []


def test_a_name_in_an_octodns_file(tmp_path: Path) -> None:
    """The same there."""
    (tmp_path / "z.yaml").write_text('"www ": {type: A, value: 192.0.2.1}\n')
    (found,) = said(tmp_path, zones(zone("a", "x.test", "records_from: z.yaml, ")))
    assert found.startswith('z.yaml:1: "www ": the text "www ", which has a label')


@pytest.mark.parametrize("name", ['"example.com "', '"https://example.com"'])
def test_zones(tmp_path: Path, name: str) -> None:
    """No hosted zone would be found by it."""
    (found,) = said(tmp_path, zones(zone("a", name)))
    assert found.startswith("dns.yaml:3: zones.a.name: the text ")


@pytest.mark.parametrize("name", ["web", "192.0.2.1", '"https://d1.cloudfront.net"'])
def test_aliases(tmp_path: Path, name: str) -> None:
    """What an alias leads to is a full name."""
    record = f"{{type: A, alias: {{name: {name}, zone_id: Z2}}}}"
    (found,) = said(tmp_path, with_name(f"{{records: [{record}]}}"))
    assert found.startswith("dns.yaml:5: zones.shop.names.www.records[0].alias.name: the text ")
