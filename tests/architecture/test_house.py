"""The house's own rules: imports, sizes, names, and documents that tell the truth."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = ("dnsplan", "planner", "enactor", "sentinel", "runbooks", "sandbox")

# A file is read in one sitting: about 250 lines; a tenth more is a reason to look, not to fail.
LINES_MAX = 280
FUNCTION_LINES_MAX = 50

NAMES_THAT_SAY_NOTHING = {
    "base",
    "common",
    "data",
    "handler",
    "helper",
    "helpers",
    "info",
    "manager",
    "misc",
    "util",
    "utils",
}


def modules() -> Iterator[Path]:
    """Every module of the product."""
    for package in PACKAGES:
        yield from sorted((ROOT / package).rglob("*.py"))


def test_imports_go_one_way() -> None:
    """The layers of docs/architecture.md, as import-linter reads them from pyproject.toml."""
    found = subprocess.run(
        [Path(sys.executable).parent / "lint-imports", "--no-cache"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=100,
    )
    assert found.returncode == 0, found.stdout + found.stderr


def test_files_are_read_in_one_sitting() -> None:
    """A file that grows past the limit wants a new room."""
    sizes = {path: len(path.read_text().splitlines()) for path in modules()}
    long = {str(p.relative_to(ROOT)): n for p, n in sizes.items() if n > LINES_MAX}
    assert long == {}


def test_functions_fit_a_screen() -> None:
    """Docstring and signature included."""
    long = {}
    for path in modules():
        for node in ast.walk(ast.parse(path.read_text())):
            if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                continue
            lines = (node.end_lineno or node.lineno) - node.lineno + 1
            if lines > FUNCTION_LINES_MAX and "typer" not in path.read_text():
                long[f"{path.relative_to(ROOT)}:{node.name}"] = lines
    assert long == {}


def test_modules_are_nouns() -> None:
    """No module is named for nothing."""
    bad = [str(p.relative_to(ROOT)) for p in modules() if p.stem in NAMES_THAT_SAY_NOTHING]
    assert bad == []


def test_every_module_opens_with_what_it_does() -> None:
    """A reader may stop after the first paragraph."""
    bad = [
        str(path.relative_to(ROOT))
        for path in modules()
        if path.read_text().strip() and not ast.get_docstring(ast.parse(path.read_text()))
    ]
    assert bad == []


def test_every_test_states_a_law() -> None:
    """Each test function has a docstring."""
    bad = []
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                continue
            if node.name.startswith("test_") and not ast.get_docstring(node):
                bad.append(f"{path.relative_to(ROOT)}:{node.name}")
    assert bad == []


def test_suppressions_have_reasons() -> None:
    """Each ignore names what it ignores and says why on its line."""
    marks = re.compile(r"#\s*(type:\s*ignore|noqa|pragma:\s*no cover)")
    reasoned = re.compile(
        r"(type:\s*ignore\[[a-z-]+\]|noqa:\s*[A-Z0-9, ]+|pragma:\s*no cover)\s*(#|-)"
    )
    bad = []
    for path in (*modules(), *sorted((ROOT / "tests").rglob("*.py"))):
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if marks.search(line) and not reasoned.search(line):
                bad.append(f"{path.relative_to(ROOT)}:{number}: {line.strip()}")
    assert bad == []


LINK = re.compile(r"\[[^\]]+\]\(([^)#\s]+)(?:#[^)]*)?\)")


@pytest.mark.parametrize(
    "page", sorted(ROOT.glob("*.md")) + sorted(ROOT.glob("docs/**/*.md")), ids=str
)
def test_links_lead_somewhere(page: Path) -> None:
    """Every relative link of a document is a file."""
    for target in LINK.findall(page.read_text()):
        if "://" not in target:
            assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_constraints_name_versions_only() -> None:
    """Any package index serves: no addresses, no paths."""
    lines = (ROOT / "constraints.txt").read_text().splitlines()
    pins = [line for line in lines if line and not line.startswith("#")]
    assert pins
    assert [
        line for line in pins if not re.fullmatch(r"[A-Za-z0-9._-]+==[A-Za-z0-9.+!]+", line)
    ] == []


TEST = re.compile(r"`(tests/[\w/]+\.py)(?:::(\w+))?`")


def test_promises_name_tests_that_exist() -> None:
    """docs/promises.md is a map; a road on it that is not there is worse than none."""
    text = (ROOT / "docs" / "promises.md").read_text()
    named = TEST.findall(text)
    assert len(named) >= 14
    missing = [
        f"{file}::{name}"
        for file, name in named
        if not (ROOT / file).exists() or (name and f"def {name}(" not in (ROOT / file).read_text())
    ]
    assert missing == []
