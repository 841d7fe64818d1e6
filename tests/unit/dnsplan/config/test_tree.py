"""YAML as a tree with lines: what is read, what is a slip, and what cannot be read at all."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dnsplan.runtime.config import tree
from dnsplan.runtime.config.nodes import Listing, locate, plain, show_path, without
from dnsplan.runtime.config.tree import read_tree


def slips(text: str) -> list[tuple[int, str, str]]:
    """Line, path and finding of every slip."""
    return [(one.line, show_path(one.path), one.found) for one in read_tree(text, "f").slips]


def test_reading() -> None:
    """Mappings, lists, scalars, blocks and anchors are read; quotes make text."""
    text = 'a: 1\nb: [x, "2", {c: ~}]\nd: |\n  two\n  lines\ne: &s {f: 1}\ng: *s\n10: x\n'
    root = read_tree(text, "f").root
    assert root is not None
    assert plain(root) == {
        "a": 1,
        "b": ["x", "2", {"c": None}],
        "d": "two\nlines\n",
        "e": {"f": 1},
        "g": {"f": 1},
        "10": "x",
    }


def test_lines() -> None:
    """A key shows its own line, an item that of its text, an absent thing what is nearest."""
    root = read_tree("a:\n  b:\n    - x\n    - y: 1\n", "f").root
    assert root is not None
    lines = {
        (): 1,
        ("a",): 1,
        ("a", "b"): 2,
        ("a", "b", 0): 3,
        ("a", "b", 1): 4,
        ("a", "b", 1, "y"): 4,
        ("a", "z"): 1,
        ("a", "b", 7, "y"): 2,
    }
    assert {path: locate(root, path).line for path in lines} == lines


def test_slips_do_not_end_the_reading() -> None:
    """Every slip is noted at its line; of a doubled key the first value stays."""
    text = "a: 1\na: 2\nNO: 3\nb: [1:30]\nc: !!str 4\n<<: {d: 1}\n~: 5\nz: last\n"
    assert slips(text) == [
        (2, "a", "the key a a second time (first in line 1)"),
        (3, "NO", "the key NO, which YAML 1.1 reads as true or false"),
        (4, "b[0]", "a value that YAML 1.1 reads as a number in base 60"),
        (5, "c", "the tag !!str"),
        (6, '"<<"', "a merge key (<<)"),
        (7, '"~"', "the key ~"),
    ]
    root = read_tree(text, "f").root
    assert root is not None
    assert plain(root) == {"a": 1, "NO": 3, "b": ["1:30"], "c": "4", "~": 5, "z": "last"}


@pytest.mark.parametrize(
    ("text", "line", "found"),
    [
        ("a: [1\nb: 2", 2, "did not find"),
        ("a: b: c", 1, "`key:`"),
        ("a:\n\t- b", 2, "tab"),
        ("a: 1\n---\nb: 2", 2, "second document"),
        ("a: *b", 1, "alias *b"),
        ("a: &a [*a]", 1, "alias *a"),
        ("? [a]\n: b", 1, "as a key"),
        ("a: \x01", 1, "character"),
        ("a: 1\nb: \x00", 2, "character"),
        ("a: '1", 1, "end of stream"),
        ("[" * 30, 1, "levels"),
        ("a: " * 30, 1, "`key:`"),
        ("[" * 5_000, 1, "nesting"),
        ("%YAML 9.9\n---\na: 1", 1, "incompatible"),
        ("a: &x 1\n*x : 2", 2, "alias *x"),
        ("a: 1\n*.x: 2", 2, "stands in quotes"),
    ],
)
def test_what_cannot_be_read(text: str, line: int, found: str) -> None:
    """A syntax error gives no tree, and one last slip that names the line."""
    reading = read_tree(text, "f")
    assert reading.root is None
    assert reading.slips[-1].line == line
    assert found in reading.slips[-1].found


@pytest.mark.parametrize("text", ["", "\n", "# only words\n", "---\n"])
def test_nothing(text: str) -> None:
    """An empty text has no slips; it is no tree or an empty value."""
    reading = read_tree(text, "f")
    assert reading.slips == ()
    assert reading.root is None or plain(reading.root) is None


def test_aliases_cannot_grow_without_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    """A few lines that repeat themselves into billions are stopped by the count of values."""
    monkeypatch.setattr(tree, "NODES_MAX", 10_000)
    laughs = "a0: &a0 [x, x]\n" + "".join(
        f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}, *a{n - 1}, *a{n - 1}]\n" for n in range(1, 15)
    )
    reading = read_tree(laughs, "f")
    assert reading.root is None
    assert "more than 10000 values" in reading.slips[-1].found


def test_aliases_cannot_grow_too_deep() -> None:
    """An alias counts the levels of what it repeats."""
    deep = "a0: &a0 [x]\n" + "".join(f"a{n}: &a{n} [*a{n - 1}]\n" for n in range(1, 40))
    assert "levels" in read_tree(deep, "f").slips[-1].found


def test_cutting() -> None:
    """What is cut out is gone, the original stays, and items keep the numbers of the file."""
    root = read_tree("a: [x, y, z]\nb: 1\n", "f").root
    assert root is not None
    cut = without(without(root, ("a", 0)), ("b",))
    assert plain(cut) == {"a": ["y", "z"]}
    assert plain(root) == {"a": ["x", "y", "z"], "b": 1}
    assert show_path(locate(cut, ("a", 0)).path) == "a[1]"
    assert show_path(locate(without(cut, ("a", 0)), ("a", 0)).path) == "a[2]"
    assert without(root, ("c", 1)) == root
    assert isinstance(locate(cut, ("a",)).node, Listing)


@given(st.text(alphabet="ab:-[]{}&*!|>'\"#,? \n\t0123~<", max_size=60))
def test_any_text_is_read_or_refused(text: str) -> None:
    """Whatever the text, reading ends in a tree or in slips that name a line."""
    reading = read_tree(text, "f")
    assert all(slip.line >= 1 and slip.found and slip.allowed for slip in reading.slips)
    if reading.root is not None:
        plain(reading.root)
