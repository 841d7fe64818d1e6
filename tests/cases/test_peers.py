"""docs/peers.md and the cases agree: each row has its tests, and each case its row."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "peers.md").read_text()

ROW = re.compile(r"^\| (B\d+) \| ([HML]) \| [^|]+ \| [^|]+ \| ([^|]*) \|$", re.MULTILINE)
NAMED = re.compile(r"`(\w+)::(test_b(\d+)_\w+)`")
CASE = re.compile(r"^(?:async )?def (test_b\d+_\w+)\(", re.MULTILINE)


def rows() -> list[tuple[str, str, str]]:
    """Number, weight and tests of each row."""
    found = ROW.findall(PAGE)
    assert len(found) == PAGE.count("\n| B")
    return found


def test_every_row_that_must_be_there_is_there_once() -> None:
    """The lists above the table name what may never be dropped from it."""
    for weight in "HM":
        (listed,) = re.findall(rf"^\* {weight}: (.+)$", PAGE, re.MULTILINE)
        assert listed.split() == [number for number, its, _ in rows() if its == weight]
    numbers = [number for number, _, _ in rows()]
    assert len(set(numbers)) == len(numbers) >= 99


def test_every_row_names_tests_of_its_number() -> None:
    """A row without a test, or with another row's, claims what nobody has shown."""
    for number, _, cell in rows():
        named = NAMED.findall(cell)
        assert named, number
        assert {f"B{int(its):02d}" for _, _, its in named} == {number}


def test_the_table_and_the_cases_name_the_same_tests() -> None:
    """No road on the map that is not there, and none that is missing on it."""
    written = {
        f"{path.stem.removeprefix('test_')}::{name}"
        for path in sorted((ROOT / "tests" / "cases").glob("test_*.py"))
        for name in CASE.findall(path.read_text())
    }
    named = {f"{module}::{name}" for module, name, _ in NAMED.findall(PAGE)}
    assert named == written
