"""A BIND zone file of `records_from:` says what `names:` would, and its mistakes have its lines."""

from pathlib import Path

import pytest

from dnsplan.records import RecordSet
from dnsplan.runtime.config import LoadedConfig, desired_static, load
from tests.unit.dnsplan.config.folders import problems

HEAD = "azs: [a]\nzones:\n  z:\n    name: z.test\n"


def write(folder: Path, more: str = "records_from: z.db", **texts: str) -> Path:
    """Write a zone that reads `z_db` (z.db), `sub__x_db` (sub/x.db), and give dns.yaml."""
    for name, text in texts.items():
        file = folder / name.replace("__", "/").replace("_", ".")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    (folder / "dns.yaml").write_text(f"{HEAD}    {more}\n")
    return folder / "dns.yaml"


def loaded(folder: Path, more: str = "records_from: z.db", **texts: str) -> LoadedConfig:
    """Load such a zone."""
    return load(write(folder, more, **texts), {})


def content(folder: Path, more: str = "records_from: z.db", **texts: str) -> list[str]:
    """The record sets stated, one line each."""
    zone = loaded(folder, more, **texts).settings.zones["z"]
    return [in_a_line(one) for one in desired_static(zone)]


def in_a_line(one: RecordSet) -> str:
    """A simple record set as text."""
    return f"{one.name} {one.ttl_s} {one.type} {' | '.join(one.values)}"


def said(folder: Path, more: str = "records_from: z.db", **texts: str) -> list[str]:
    """What is said about a zone's files."""
    return problems(write(folder, more, **texts))


ZONE = r"""
$TTL 1h
@   IN SOA ns.z.test. root.z.test. (
        1      ; serial
        2 3 4 5 )
    IN NS  ns1.example.net.
    IN NS  ns2.example.net.
    IN MX  10 mail
       MX  20 mail.example.net.
    IN TXT ( "v=spf1 -all"   ; comment (
             "second \"string\" \195\188" )
mail 300 A 192.0.2.1
     300 A 192.0.2.2
     AAAA 2001:DB8::1
*.apps   CNAME www
bücher   A 192.0.2.3
_sip._tcp SRV 1 2 5060 mail
$ORIGIN sub.z.test.
www 60 IN CNAME @
@   CAA 0 issue "ca.example; x=1"
a\042b A 192.0.2.4
$GENERATE 1-2 h$ A 192.0.2.$
"""


def test_a_zone_file(tmp_path: Path) -> None:
    """Origins, TTLs, inherited names, brackets, escapes are read; SOA and apex NS are left out."""
    assert sorted(content(tmp_path, z_db=ZONE)) == [
        "\\052.apps.z.test. 3600 CNAME www.z.test.",
        "_sip._tcp.z.test. 3600 SRV 1 2 5060 mail.z.test.",
        "a\\052b.sub.z.test. 3600 A 192.0.2.4",
        "h1.sub.z.test. 3600 A 192.0.2.1",
        "h2.sub.z.test. 3600 A 192.0.2.2",
        "mail.z.test. 300 A 192.0.2.1 | 192.0.2.2",
        "mail.z.test. 3600 AAAA 2001:db8::1",
        'sub.z.test. 3600 CAA 0 issue "ca.example; x=1"',
        "www.sub.z.test. 60 CNAME sub.z.test.",
        "xn--bcher-kva.z.test. 3600 A 192.0.2.3",
        "z.test. 3600 MX 10 mail.z.test. | 20 mail.example.net.",
        'z.test. 3600 TXT "v=spf1 -all" "second \\"string\\" \\303\\274"',
    ]
    config = loaded(tmp_path, z_db=ZONE)
    remark = f"{tmp_path}/z.db: left out the SOA and the apex NS, which are Route 53's own"
    assert config.remarks == (remark,)
    assert config.files == (tmp_path / "dns.yaml", tmp_path / "z.db")


def test_included_files(tmp_path: Path) -> None:
    """$INCLUDE is relative to its file; origin, last name and TTL are as before when it ends."""
    outer = "$TTL 60\nw A 192.0.2.1\n$INCLUDE sub/in.db in.z.test.\n  A 192.0.2.2\nx A 192.0.2.3\n"
    inner = "$TTL 5\ny A 192.0.2.4\n$INCLUDE more.db\n"
    texts = {"z_db": outer, "sub__in_db": inner, "sub__more_db": "v A 192.0.2.5\n"}
    assert sorted(content(tmp_path, **texts)) == [
        "v.in.z.test. 5 A 192.0.2.5",
        "w.z.test. 60 A 192.0.2.1 | 192.0.2.2",
        "x.z.test. 60 A 192.0.2.3",
        "y.in.z.test. 5 A 192.0.2.4",
    ]


def test_paths_are_relative_to_the_file_that_names_them(tmp_path: Path) -> None:
    """An included config file names records files beside itself."""
    (tmp_path / "zones").mkdir()
    (tmp_path / "zones" / "z.yaml").write_text(
        "zones: {z: {name: z.test, records_from: [a.db, ../b.zone]}}"
    )
    (tmp_path / "zones" / "a.db").write_text("a 60 A 192.0.2.1\n")
    (tmp_path / "b.zone").write_text("b 60 A 192.0.2.2\n")
    (tmp_path / "dns.yaml").write_text("azs: [a]\ninclude: [zones/*.yaml]\n")
    zone = load(tmp_path / "dns.yaml", {}).settings.zones["z"]
    assert [one.name for one in desired_static(zone)] == ["a.z.test.", "b.z.test."]


def test_every_mistake_at_its_line(tmp_path: Path) -> None:
    """A bad line hides no other, neither before nor after, and each check of `names:` holds."""
    text = (
        "$TTL 60\n"
        "a A 192.0.2.300\n"
        "b A (\n"
        "  192.0.2.1\n"
        "  x )\n"
        "c NOTYPE x\n"
        'd TXT "open\n'
        "e 30 A 192.0.2.1\n"
        "e 40 A 192.0.2.2\n"
        "f CNAME x.example.net.\n"
        "f A 192.0.2.1\n"
        "elsewhere.example. A 192.0.2.1\n"
        "_dnsplan A 192.0.2.1\n"
        "g RRSIG A 8 2 60 20260101000000 20250101000000 1 z.test. AAAA\n"
        "@ CNAME x.example.net.\n"
        "$FOO bar\n"
        "h A\n"
        "i A 192.0.2.9\n"
    )
    form = "allowed: a line of a zone file, as www 300 IN A 192.0.2.1"
    assert said(tmp_path, z_db=text) == [
        f"z.db:2: a A 192.0.2.300: Text input is malformed.; {form}",
        f'z.db:3: b A ( 192.0.2.1 x ): expected EOL or EOF, found "x"; {form}',
        f"z.db:6: c NOTYPE x: unknown rdatatype 'NOTYPE'; {form}",
        f'z.db:7: d TXT "open: Text input ended unexpectedly.; {form}',
        "z.db:9: TTL 40 for e.z.test. A; allowed: 30, as in z.db:8; a record set has one TTL",
        (
            'z.db:10: zones.z.names."f.z.test.".records: a CNAME cannot stand beside A;'
            " allowed: record sets that can stand together"
        ),
        (
            'z.db:12: zones.z.names."elsewhere.example.": elsewhere.example.,'
            " which is outside the zone; allowed: a name in z.test."
        ),
        (
            'z.db:13: zones.z.names."_dnsplan.z.test.": _dnsplan.z.test., the fence\'s name;'
            " allowed: any other name"
        ),
        (
            "z.db:14: RRSIG of g.z.test.;"
            " allowed: the zone before it is signed; Route 53 signs zones itself"
        ),
        (
            'z.db:15: zones.z.names."z.test.".records[0]: a CNAME cannot stand at the zone\'s apex;'
            " allowed: use an alias or addresses"
        ),
        f"z.db:16: $FOO bar: zone file directive '$FOO' is not allowed; {form}",
        f"z.db:17: h A: expecting an identifier; {form}",
    ]


def test_a_record_without_a_ttl(tmp_path: Path) -> None:
    """A zone file that leaves the TTL open is not guessed at."""
    assert said(tmp_path, z_db="a A 192.0.2.1\n") == [
        (
            "z.db:1: a A 192.0.2.1: Missing default TTL value;"
            " allowed: a line of a zone file, as www 300 IN A 192.0.2.1"
        )
    ]


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("$INCLUDE ../out.db", "z.db:1: ../out.db, which is outside; allowed: a file inside"),
        ("$INCLUDE /etc/hostname", "z.db:1: /etc/hostname, which is outside; allowed: a file"),
        ("$INCLUDE z.db", "z.db:1: z.db, which includes itself or is 1 files deep; allowed: at"),
        ("$INCLUDE", "z.db:1: $INCLUDE; allowed: $INCLUDE FILE [ORIGIN]"),
        ("$INCLUDE \\000", "z.db:1: \\000: no such file or directory; allowed: a readable file"),
        ("$INCLUDE \x00", "z.db:1: a file name with the byte 0; allowed: $INCLUDE FILE [ORIGIN]"),
        (f"$INCLUDE {'x' * 300}", f"z.db:1: {'x' * 300}: file name too long; allowed: a readable"),
        ("$INCLUDE none.db", "z.db:1: none.db: no such file or directory; allowed: a readable"),
        ("$INCLUDE x.db a..b", "z.db:1: a..b: A DNS label is empty.; allowed: an origin"),
    ],
)
def test_includes_that_are_refused(tmp_path: Path, line: str, found: str) -> None:
    """A zone file reaches no file outside the config's folder, none that is absent, no loop."""
    (only,) = said(tmp_path, z_db=f"{line}\n", x_db="")
    assert only.startswith(found)


def test_a_link_out_of_the_folder(tmp_path: Path) -> None:
    """What a link leads to counts, not where it stands."""
    inner = tmp_path / "conf"
    inner.mkdir()
    (tmp_path / "secret").write_text("a 60 A 192.0.2.1\n")
    (inner / "link.db").symlink_to(tmp_path / "secret")
    (only,) = said(inner, z_db="$INCLUDE link.db\n")
    assert only.startswith("z.db:1: link.db, which is outside; allowed: a file inside")


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    """Absence is never an instruction."""
    assert said(tmp_path, "records_from: none.db") == [
        (
            "dns.yaml:5: zones.z.records_from: none.db: no such file or directory;"
            " allowed: a readable file"
        )
    ]


def test_generated_records_are_counted_before_they_are_made(tmp_path: Path) -> None:
    """All lines of a file together have one bound, and a range that cannot be read has none."""
    many = "$TTL 60\n$GENERATE 1-600 h$ A 192.0.2.1\n$GENERATE 1-65000 i$ A 192.0.2.1\n"
    text = f"{many}$GENERATE 1-99999999999 j$ A 192.0.2.1\n"
    found = said(tmp_path, "records_from: z.db", z_db=text)
    assert [one.partition(" $GENERATE ")[2].partition(";")[0] for one in found] == [
        "1-65000 i$ A 192.0.2.1",
        "1-99999999999 j$ A 192.0.2.1",
    ]


def test_a_plan_file_is_one_mistake(tmp_path: Path) -> None:
    """Not one a line: a plan file has a line a record set."""
    assert said(tmp_path, z_db='\n{\n  "format": "dnsplan plan file 1",\n  "records": []\n}\n') == [
        (
            "z.db:1: JSON, as a plan file has; allowed: a zone file, or octoDNS in a file .yaml;"
            " dns-runbook restore takes a plan file"
        )
    ]


def test_a_path_that_is_none(tmp_path: Path) -> None:
    """A path with the byte 0 is no path, and is refused before any file is opened."""
    assert said(tmp_path, 'records_from: ["z\\0.db"]') == [
        'dns.yaml:5: zones.z.records_from[0]: the text "z\\x00.db"; allowed: the path of a file'
    ]


BOTH = "names: {w: {records: [{type: A, values: [192.0.2.9]}, {type: TXT, values: [x]}]}}"


def test_one_name_and_type_in_two_places(tmp_path: Path) -> None:
    """A name and type of the config and a file, or of two files, is said with both places."""
    text = "w 60 A 192.0.2.1\n  60 AAAA 2001:db8::1\n"
    found = said(
        tmp_path, f"records_from: [z.db, y.db]\n    {BOTH}", z_db=text, y_db="W 60 AAAA ::1\n"
    )
    assert found == [
        (
            "y.db:1: w.z.test. AAAA, which z.db:2 states already;"
            " allowed: each name and type in one place"
        ),
        (
            "z.db:1: w.z.test. A, which dns.yaml:6 states already;"
            " allowed: each name and type in one place"
        ),
    ]


def test_one_name_in_two_places(tmp_path: Path) -> None:
    """Other types of a name come together, whoever states them."""
    names = "names: {w: {ttl_s: 7, records: [{type: TXT, values: [x]}]}}"
    found = content(tmp_path, f"records_from: z.db\n    {names}", z_db="w 60 A 192.0.2.1\n")
    assert found == [
        "w.z.test. 60 A 192.0.2.1",
        'w.z.test. 7 TXT "x"',
    ]


def test_a_pool_and_a_file(tmp_path: Path) -> None:
    """What a pool answers cannot stand in a file too."""
    pools = "names: {w: {pool: p}}\npools: {p: {targets: [{id: a, address: 192.0.2.1}]}}"
    assert said(tmp_path, f"records_from: z.db\n    {pools}", z_db="\nw 60 A 192.0.2.2\n") == [
        (
            "z.db:2: zones.z.names.w.records[0]: A beside pool p, which answers A;"
            " allowed: the pool or the record"
        )
    ]


ROUTED = """$TTL 60
www A 192.0.2.1 ; AWS routing="WEIGHTED" weight=1 identifier="a"
www A 192.0.2.2 ; AWS routing="WEIGHTED" weight=3 identifier="b"
txt TXT "; AWS routing=none"
"""


def test_a_routing_policy_in_a_comment_is_not_lost(tmp_path: Path) -> None:
    """cli53 exports weights so; the values alone would become one simple set."""
    allowed = "names: in the config, one record set with set_id and its policy a line"
    assert said(tmp_path, z_db=ROUTED) == [
        f"z.db:{line}: www A 192.0.2.{line - 1}: a routing policy in a comment; allowed: {allowed}"
        for line in (2, 3)
    ]


def test_an_alias_of_cli53_is_told_from_a_slip(tmp_path: Path) -> None:
    """No line of a zone file could say it otherwise."""
    text = (
        "$TTL 60\nal 86400 AWS ALIAS A x.elb.amazonaws.com. Z3 false\n@ AWS ALIAS A w $self true\n"
    )
    allowed = "allowed: an alias under names: in the config, with name and zone_id"
    assert said(tmp_path, z_db=text) == [
        (f"z.db:2: al 86400 AWS ALIAS A x.elb.amazonaws.com. Z3 false, as cli53 writes; {allowed}"),
        f"z.db:3: @ AWS ALIAS A w $self true, as cli53 writes; {allowed}",
    ]


def test_a_label_that_is_the_origins_sign_is_no_label(tmp_path: Path) -> None:
    """Some exports write it so, and the name would stand below one that nobody has."""
    text = "$TTL 60\n_sip._tls.@ SRV 100 1 443 sip.example.net.\na\\@b A 192.0.2.1\n"
    allowed = "@ alone, for the origin; below it, the name without @"
    assert said(tmp_path, z_db=text) == [
        f"z.db:2: the label @ in _sip._tls.\\100.z.test.; allowed: {allowed}"
    ]


ESCAPED = r"""$TTL 60
n NAPTR 1 2 "U" "s" "caf\195\169\127" .
s SVCB 1 a\032b.example.net. alpn=h2
"""


def test_escapes_of_rarer_types_are_decimal_too(tmp_path: Path) -> None:
    """Route 53 would read them as octal, which is another text or none."""
    assert content(tmp_path, z_db=ESCAPED) == [
        r'n.z.test. 60 NAPTR 1 2 "U" "s" "caf\303\251\177" .',
        r's.z.test. 60 SVCB 1 a\040b.example.net. alpn="h2"',
    ]


DOTLESS = """$TTL 60
a CNAME www.z.test
b 60 IN MX 10 Mail.Z.test ; mail
*.z.test A 192.0.2.1
z.test A 192.0.2.1
c CNAME ( x.z.test )
$ORIGIN sub.z.test.
d SRV 1 2 3 e.z.test
$ORIGIN z.test
"""


def test_a_name_without_its_last_dot_is_put_below_the_zone_by_no_slip(tmp_path: Path) -> None:
    """The origin behind a name that ends with the zone leads nowhere, and nobody asks there."""
    found = said(tmp_path, z_db=DOTLESS)
    assert [one.partition(";")[0] for one in found] == [
        "z.db:2: www.z.test, which would become www.z.test.z.test.",
        "z.db:3: Mail.Z.test, which would become mail.z.test.z.test.",
        "z.db:4: *.z.test, which would become *.z.test.z.test.",
        "z.db:5: z.test, which would become z.test.z.test.",
        "z.db:6: x.z.test, which would become x.z.test.z.test.",
        "z.db:8: e.z.test, which would become e.z.test.sub.z.test.",
        "z.db:9: z.test, which would become z.test.sub.z.test.",
    ]
    assert found[0].endswith("; allowed: www.z.test. with its last dot")


def test_a_host_without_its_last_dot_is_put_below_no_reverse_zone(tmp_path: Path) -> None:
    """A CNAME may lead there, as to a classless zone; a host is never there."""
    (tmp_path / "dns.yaml").write_text(
        "azs: [a]\nzones: {z: {name: 2.0.192.in-addr.arpa, records_from: z.db}}\n"
    )
    (tmp_path / "z.db").write_text("$TTL 60\n1 CNAME 1.0/25\n5 PTR h.example.com\n")
    (found,) = problems(tmp_path / "dns.yaml")
    assert found.startswith("z.db:3: ")
    assert "h.example.com.2.0.192.in-addr.arpa. lies in a reverse zone, where no host is" in found


DOTTED = """$TTL 60
www.z.test. CNAME a.z.test.
b TXT z.test
c.z.test.z.test. A 192.0.2.1
$ORIGIN .
z.test A 192.0.2.2
$ORIGIN test.
d.z A 192.0.2.3
"""


def test_the_zone_s_name_may_stand_wherever_it_is_meant(tmp_path: Path) -> None:
    """With its dot, in a text, or below an origin above the zone."""
    assert content(tmp_path, z_db=DOTTED) == [
        'b.z.test. 60 TXT "z.test"',
        "c.z.test.z.test. 60 A 192.0.2.1",
        "d.z.test. 60 A 192.0.2.3",
        "www.z.test. 60 CNAME a.z.test.",
        "z.test. 60 A 192.0.2.2",
    ]
