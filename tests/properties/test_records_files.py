"""Records files of any content are read, or refused at a line: never a traceback, never a guess."""

import tempfile
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from dnsplan.errors import ConfigError, Problem
from dnsplan.runtime.config import desired_static, load
from dnsplan.runtime.config.records_from.lines import logical_lines

words = st.sampled_from(
    [
        "$TTL 60",
        "$ORIGIN sub",
        "$INCLUDE z.db",
        "$INCLUDE",
        "$GENERATE 1-3 h$ A 192.0.2.$",
        "$X",
        "@",
        "www",
        "a..b",
        "*",
        "é",
        "\\",
        "\\300",
        "300",
        "-1",
        "IN",
        "CH",
        "A",
        "AAAA",
        "TXT",
        "MX",
        "CNAME",
        "SOA",
        "NS",
        "SRV",
        "CAA",
        "NSEC",
        "TYPE65534",
        "\\# 1 00",
        "192.0.2.1",
        "::1",
        "10 mail",
        '"text"',
        '"',
        "(",
        ")",
        ";",
        "\n",
        "\n",
        "\n ",
        "\t",
        "x" * 70,
        "\x00",
        "\ud7ff",
    ]
)
zone_files = st.lists(words, max_size=30).map(" ".join) | st.text(max_size=60)

scalars = (
    st.sampled_from(
        [
            "A",
            "TXT",
            "MX",
            "CNAME",
            "NS",
            "Route53Provider/ALIAS",
            "192.0.2.1",
            "x\\",
            '"',
            "",
            "a.b.",
        ]
    )
    | st.none()
    | st.booleans()
    | st.integers(-1, 9)
)
keys = st.sampled_from(
    ["type", "ttl", "value", "values", "octodns", "dynamic", "preference", "exchange", "name", "x"]
)
trees = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=4),
    max_leaves=10,
)
octodns_files = st.dictionaries(st.sampled_from(["", "www", "*", "@", "a..b", "x."]), trees).map(
    repr
) | st.text(max_size=60)


def problems(text: str, file: str) -> tuple[Problem, ...]:
    """What is said of a records file; what it states is made into record sets."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / file).write_text(text, encoding="utf-8")
        config = Path(folder) / "dns.yaml"
        config.write_text(f"azs: [a]\nzones: {{z: {{name: z.test, records_from: {file}}}}}\n")
        try:
            desired_static(load(config, {}).settings.zones["z"])
        except ConfigError as error:
            return error.problems
    return ()


@given(zone_files)
def test_any_zone_file(text: str) -> None:
    """Every mistake of a zone file has its file, a line, and what is allowed."""
    for one in problems(text, "z.db"):
        assert one.file.endswith("z.db")
        assert one.line
        assert one.found
        assert one.allowed


@given(octodns_files)
def test_any_octodns_file(text: str) -> None:
    """Every mistake of an octoDNS file, too."""
    for one in problems(text, "z.yaml"):
        assert one.file.endswith("z.yaml")
        assert one.found
        assert one.allowed


@given(st.lists(st.text('ab;"()\\ \n', max_size=12), max_size=6).map("\n".join))
def test_lines_hold_the_whole_file(text: str) -> None:
    """Every line that says something is in one logical line, in order, under its own number."""
    physical = text.splitlines()
    last = 0
    for first, joined in logical_lines(text):
        lines = joined.splitlines()
        assert first > last
        assert physical[first - 1 : first - 1 + len(lines)] == lines
        skipped = physical[last : first - 1]
        assert [one for one in skipped if one.strip() and not one.strip().startswith(";")] == []
        last = first - 1 + len(lines)
