"""Mistakes in a config, through the command line: file, line and key, all at once, exit 2."""

import re
from pathlib import Path

import pytest

from tests.integration.sandbox_process import run_to_end

GOOD = """\
azs: [use1-az1]
zones:
  shop:
    name: example.com
    names:
      "@": {pool: web, ttl_s: 30}
      www: {records: [{type: CNAME, ttl_s: 300, values: [example.com.]}]}
pools:
  web:
    targets:
      - {id: a, address: 192.0.2.10}
      - {id: b, address: 192.0.2.11}
"""


def changed(old: str, new: str) -> str:
    """The good config with one text replaced; the text must be there."""
    assert GOOD.count(old) == 1, old
    return GOOD.replace(old, new)


MISTAKES = {
    "unknown key": (changed("web, ttl_s: 30", "web, tttl_s: 30"), 6, "tttl_s"),
    "duplicate key": (changed("azs: [use1-az1]", "azs: [use1-az1]\nazs: [use1-az2]"), 2, "azs"),
    "bad address": (changed("192.0.2.10", "192.0.2.300"), 11, "address"),
    "TTL as text": (changed("web, ttl_s: 30", 'web, ttl_s: "30"'), 6, "ttl_s"),
    "weight over 255": (
        changed(
            "{type: CNAME, ttl_s: 300, values: [example.com.]}",
            "{type: CNAME, ttl_s: 300, values: [example.com.], set_id: x, weight: 256}",
        ),
        7,
        "weight",
    ),
    "duplicate target": (changed("id: b", "id: a"), 12, "id"),
    "duplicate address": (changed("192.0.2.11", "192.0.2.10"), 12, "address"),
    "name outside the zone": (changed("      www:", "      www.example.org.:"), 7, "www"),
    "pool that does not exist": (changed("pool: web", "pool: wbe"), 6, "pool"),
    "empty pool": (
        changed(
            "    targets:\n      - {id: a, address: 192.0.2.10}\n"
            "      - {id: b, address: 192.0.2.11}\n",
            "    targets: []\n",
        ),
        10,
        "targets",
    ),
    "NO": (changed("      www:", "      NO:"), 7, "NO"),
    "1:30": (changed("web, ttl_s: 30", "web, ttl_s: 1:30"), 6, "ttl_s"),
    "syntax": (changed("azs: [use1-az1]", "azs: [use1-az1"), 2, ""),
}


@pytest.mark.parametrize("kind", MISTAKES)
def test_a_mistake_names_file_line_and_key(tmp_path: Path, kind: str) -> None:
    """Nothing is started, nothing is printed on standard output, and no traceback is shown."""
    text, line, key = MISTAKES[kind]
    path = tmp_path / "dns.yaml"
    path.write_text(text)
    done = run_to_end("run", "--config", str(path))
    assert (done.returncode, done.stdout) == (2, "")
    assert "Traceback" not in done.stderr
    assert re.search(
        rf"^{re.escape(str(path))}:{line}: .*{re.escape(key)}", done.stderr, re.MULTILINE
    ), done.stderr
    assert "allowed:" in done.stderr


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda _: None, "no such file|not found|does not exist|no file"),
        (lambda path: path.write_text(""), "empty"),
        (lambda path: path.mkdir(), "folder|directory"),
        (lambda path: path.write_bytes(b"\x00\xff\xfe\x01"), "text|UTF-8|binary"),
    ],
    ids=["missing", "empty", "directory", "binary"],
)
def test_a_file_that_is_no_config_is_said_plainly(tmp_path: Path, make: object, words: str) -> None:
    """Missing, empty, a directory, binary: one sentence each, exit 2."""
    path = tmp_path / "dns.yaml"
    assert callable(make)
    make(path)
    done = run_to_end("run", "--config", str(path))
    assert (done.returncode, done.stdout) == (2, "")
    assert str(path) in done.stderr
    assert re.search(words, done.stderr, re.IGNORECASE), done.stderr
    assert "Traceback" not in done.stderr


def test_all_mistakes_are_told_at_once(tmp_path: Path) -> None:
    """A person mends a file once, not once a run; the order is the file's."""
    path = tmp_path / "dns.yaml"
    path.write_text(
        GOOD.replace("web, ttl_s: 30", 'web, ttl_s: "30"')
        .replace("192.0.2.10", "192.0.2.300")
        .replace("id: b", "id: a")
        .replace("www:", "NO:")
    )
    done = run_to_end("run", "--config", str(path))
    lines = [int(found) for found in re.findall(rf"^{path}:(\d+):", done.stderr, re.MULTILINE)]
    assert {6, 7, 11, 12} <= set(lines)
    assert sorted(lines) == lines


@pytest.mark.parametrize(
    "arguments", [("run", "--nonsense"), ("nonsense",), ("aws", "--port", "x")]
)
def test_wrong_options_are_exit_2(arguments: tuple[str, ...]) -> None:
    """A wrong call is told from a failure."""
    done = run_to_end(*arguments)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
