"""Which file is read, what it includes, and what is said of files that are none."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from dnsplan.runtime.config import files, load
from tests.unit.dnsplan.config.folders import AZS, problems, write, zone
from tests.unit.dnsplan.config.texts import SOUND


def test_the_search(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """--config, DNSPLAN_CONFIG, ./dns.yaml, /etc/dnsplan/dns.yaml: the first that there is."""
    system = tmp_path / "etc.yaml"
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(files, "SYSTEM", system)
    assert problems(None) == [
        (
            "dns.yaml: no config file; allowed: --config FILE, DNSPLAN_CONFIG, ./dns.yaml or"
            " /etc/dnsplan/dns.yaml"
        )
    ]
    system.write_text(SOUND)
    assert load(None, {}).path == system
    write(tmp_path, dns=SOUND, stated=SOUND, given=SOUND)
    assert load(None, {}).path == Path("dns.yaml")
    assert load(None, {"DNSPLAN_CONFIG": "stated.yaml"}).path == Path("stated.yaml")
    assert load(Path("given.yaml"), {"DNSPLAN_CONFIG": "stated.yaml"}).path == Path("given.yaml")


def test_a_stated_file_that_is_missing_is_not_replaced(tmp_path: Path) -> None:
    """Who names a file means that file: nothing else is tried."""
    write(tmp_path, dns=SOUND)
    gone = tmp_path / "gone.yaml"
    said = "gone.yaml: no such file or directory; allowed: a readable file of YAML text"
    assert problems(gone) == [said]
    assert problems(None, {"DNSPLAN_CONFIG": str(gone)}) == [f"{tmp_path}/{said}"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "an empty file; allowed: a mapping with zones, pools and more; see docs/examples"),
        (
            "# x\n",
            "an empty file; allowed: a mapping with zones, pools and more; see docs/examples",
        ),
        ("- a\n", "no key: value lines; allowed: a mapping with zones, pools and more"),
        ("a: [b\n", "did not find expected ',' or ']'"),
    ],
)
def test_files_that_are_no_config(tmp_path: Path, text: str, said: str) -> None:
    """An empty file, one of another kind, a syntax error: one problem each."""
    (found,) = problems(write(tmp_path, dns=text))
    assert said in found


def folder_as_file(path: Path) -> None:
    """A folder where a file should be."""
    path.mkdir()


def pipe(path: Path) -> None:
    """A pipe into which nobody writes."""
    os.mkfifo(path)


def not_text(path: Path) -> None:
    """Bytes that are no text."""
    path.write_bytes(b"a: 1\nb: \xff\xfe")


def too_large(path: Path) -> None:
    """One byte more than is read."""
    with path.open("wb") as file:
        file.truncate(files.FILE_BYTES_MAX + 1)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (folder_as_file, "dns.yaml: is a directory; allowed: a readable file of YAML text"),
        (pipe, "dns.yaml: not a regular file; allowed: a readable file of YAML text"),
        (not_text, "dns.yaml:2: the byte 0xff, which is no UTF-8; allowed: text in UTF-8"),
        (too_large, f"dns.yaml: more than {files.FILE_BYTES_MAX} bytes; allowed: smaller files"),
    ],
)
def test_files_that_cannot_be_read(tmp_path: Path, make: Callable[[Path], None], said: str) -> None:
    """A folder, a pipe that would never end, bytes that are no text, a file without end."""
    make(tmp_path / "dns.yaml")
    (found,) = problems(tmp_path / "dns.yaml")
    assert found.startswith(said)


def test_a_byte_order_mark_is_no_key(tmp_path: Path) -> None:
    """What some editors put before the text is not part of it."""
    file = tmp_path / "dns.yaml"
    file.write_bytes(b"\xef\xbb\xbf" + SOUND.encode())
    assert load(file, {}).settings.azs == ["use1-az1", "use1-az2"]


def test_includes_bring_zones_and_pools(tmp_path: Path) -> None:
    """Zones and pools of all files stand side by side, whichever file uses them."""
    file = write(
        tmp_path,
        dns=AZS + "include: [zones/*.yaml, extra.yaml]\n",
        zones__a="zones:\n  a: {name: a.test, names: {w: {pool: p}}}\n",
        zones__b="zones:\n  b: " + zone("b.test") + "\n",
        extra="pools:\n  p: {targets: [{id: x, address: 192.0.2.1}]}\n",
    )
    config = load(file, {})
    assert sorted(config.settings.zones) == ["a", "b"]
    assert list(config.settings.pools) == ["p"]
    read = [path.relative_to(tmp_path) for path in config.files]
    assert read == [
        Path("dns.yaml"),
        Path("zones/a.yaml"),
        Path("zones/b.yaml"),
        Path("extra.yaml"),
    ]


def test_a_file_is_included_once(tmp_path: Path) -> None:
    """Two patterns may name one file, and a pattern the file itself."""
    main = AZS + f"include: ['*.yaml', a.yaml, ../{tmp_path.name}/a.yaml]\n"
    file = write(tmp_path, dns=main, a="zones:\n  a: " + zone("a.test") + "\n")
    assert [path.name for path in load(file, {}).files] == ["dns.yaml", "a.yaml"]


def test_absolute_patterns(tmp_path: Path) -> None:
    """An include may be absolute."""
    file = write(
        tmp_path,
        dns=AZS + f"include: ['{tmp_path}/z*/*.yaml']\n",
        zones__a="zones:\n  a: " + zone("a.test") + "\n",
    )
    assert list(load(file, {}).settings.zones) == ["a"]


def test_the_same_label_twice_names_both_places(tmp_path: Path) -> None:
    """A label of two files is a mistake that names both files and lines; pools too."""
    pool = "pools:\n  p: {targets: [{id: x, address: 192.0.2.1}]}\n"
    file = write(
        tmp_path,
        dns=AZS + "include: [a.yaml, b.yaml]\nzones:\n  shop: " + zone("x.test") + "\n",
        a="zones:\n  other: " + zone("o.test") + "\n  shop: " + zone("a.test") + "\n" + pool,
        b=pool,
    )
    assert problems(file) == [
        (
            "a.yaml:3: zones.shop: shop again; it is stated in dns.yaml:4 already;"
            " allowed: each label once"
        ),
        "b.yaml:2: pools.p: p again; it is stated in a.yaml:5 already; allowed: each label once",
    ]


def test_mistakes_name_their_own_file(tmp_path: Path) -> None:
    """A mistake in an included file is said with that file and line, all files at once."""
    file = write(
        tmp_path,
        dns=AZS + "include: [a.yaml, b.yaml, c.yaml, none/*.yaml]\nfoo: 1\n",
        a="zones:\n  a:\n    name: a.test\n    mode: x\n    names: {w: {pool: p}}\n",
        b="azs: [x]\nzones: []\n",
        c="zones: [\n",
    )
    assert problems(file) == [
        'a.yaml:4: zones.a.mode: the text "x"; allowed: enforce or observe',
        (
            "b.yaml:1: azs: an unknown key azs; allowed: one of defaults, pools, zones"
            " (in an included file)"
        ),
        "b.yaml:2: zones: no key: value lines; allowed: a mapping",
        "c.yaml:2: did not find expected node content; allowed: YAML",
        (
            "dns.yaml:2: include: none/*.yaml, which names no file; allowed: a path or pattern that"
            " names a file"
        ),
        (
            "dns.yaml:3: foo: an unknown key foo; allowed: one of account_requests_per_s, azs,"
            " cleanup, defaults, enactor, guardrails, include, paging, planner, pools, sentinel,"
            " signing, ..."
        ),
    ]


def test_a_pool_of_an_unread_file_is_not_called_unknown(tmp_path: Path) -> None:
    """While a file or the list of pools cannot be read, no pool is said not to exist."""
    zones = "zones:\n  a: {name: a.test, names: {w: {pool: p}}}\n"
    file = write(tmp_path, dns=AZS + "include: [pools.yaml]\n" + zones, pools="pools: {p: [\n")
    assert [one.partition(":")[0] for one in problems(file)] == ["pools.yaml"]
    file = write(tmp_path, dns=AZS + "include: [gone.yaml]\n" + zones)
    assert len(problems(file)) == 1
    file = write(tmp_path, dns=AZS + zones + "pools: 5\n")
    assert problems(file) == [
        "dns.yaml:4: pools: the number 5; allowed: a mapping of key: value lines"
    ]
    file = write(tmp_path, dns=AZS + zones)
    assert problems(file) == [
        (
            "dns.yaml:3: zones.a.names.w.pool: p, a pool that does not exist; allowed: a pool:"
            " none here"
        )
    ]


@pytest.mark.parametrize("pattern", ["/", "a**b.yaml", "x" * 300, "x" * 300 + "/*", "a\\0b"])
def test_an_include_that_can_name_no_file(tmp_path: Path, pattern: str) -> None:
    """A root, a pattern that is none and a name that no file can have are mistakes like others."""
    main = AZS + f'include: ["{pattern}"]\nzones:\n  shop: ' + zone("x.test") + "\n"
    (found,) = problems(write(tmp_path, dns=main))
    assert found.startswith("dns.yaml:2: include: ")
    assert "which names no file; allowed: a path or pattern that names a file" in found


def test_an_include_that_is_no_list(tmp_path: Path) -> None:
    """`include:` is a list of texts."""
    body = "zones:\n  a: " + zone("a.test") + "\n"
    assert problems(write(tmp_path, dns=AZS + "include: a.yaml\n" + body)) == [
        'dns.yaml:2: include: the text "a.yaml"; allowed: a list'
    ]
    assert problems(write(tmp_path, dns=AZS + "include: [1]\n" + body)) == [
        "dns.yaml:2: include[0]: the number 1; allowed: text"
    ]


def test_too_many_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The number of included files is bounded, and what is over is said, not dropped."""
    monkeypatch.setattr(files, "INCLUDED_FILES_MAX", 2)
    texts = {f"z__{n}": f"zones:\n  z{n}: " + zone(f"z{n}.test") + "\n" for n in range(3)}
    main = AZS + "include: ['z/*.yaml']\nzones:\n  a: " + zone("a.test") + "\n"
    assert problems(write(tmp_path, dns=main, **texts)) == [
        "dns.yaml:1: include: 3 files; allowed: 2 files"
    ]
