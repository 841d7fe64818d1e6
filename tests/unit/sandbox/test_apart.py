"""The stand-in is an oracle: it shares no code with the product; its core knows no AWS library."""

import ast
from pathlib import Path

import pytest

import sandbox

ROOT = Path(sandbox.__path__[0])
PURE_FORBIDS = {"moto", "botocore", "boto3", "aiobotocore", "aiohttp", "asyncio", "time", "random"}
PRODUCT = {"dnsplan", "planner", "enactor", "sentinel", "runbooks"}


def imported(path: Path) -> set[str]:
    """Name the top-level packages that a module imports."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module.partition(".")[0])
    return found


@pytest.mark.parametrize("room", ["route53", "aws"])
def test_no_module_imports_the_product(room: str) -> None:
    """A mistake in the product's own codec must not hide in its judge."""
    modules = sorted((ROOT / room).glob("*.py"))
    assert len(modules) > 5
    assert {path.name: imported(path) & PRODUCT for path in modules} == {
        path.name: set() for path in modules
    }


def test_the_core_is_pure() -> None:
    """Time and chance are passed in; nothing waits; nothing speaks HTTP."""
    modules = sorted((ROOT / "route53").glob("*.py"))
    assert {path.name: imported(path) & PURE_FORBIDS for path in modules} == {
        path.name: set() for path in modules
    }
