"""Whatever command a message names is taken by the real command line, as it is printed.

Messages are read out of the source: what stands in braces counts as one word. A command without
arguments is a mention, and only has to exist; with arguments it has to be whole.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

import enactor.main
import planner.main
import runbooks.main
import sandbox.main
import sentinel.main

ROOT = Path(__file__).parents[2]
PROGRAMS = {
    "dns-enactor": enactor.main.app,
    "dns-planner": planner.main.app,
    "dns-runbook": runbooks.main.app,
    "dns-sandbox": sandbox.main.app,
    "dns-sentinel": sentinel.main.app,
}
# typer keeps its UsageError to itself, and exports a child of it.
USAGE_ERROR: Any = typer.BadParameter.__mro__[1]
PACKAGES = ("dnsplan", "planner", "enactor", "sentinel", "runbooks", "sandbox")
# What stands in braces; a number, which any argument takes.
FILLED = "7"
NAMED = re.compile(r"\bdns-(?:enactor|planner|runbook|sandbox|sentinel)(?: [\w./=-]+)+")
# Words of a sentence that goes on behind a command.
GOES_ON = frozenset(
    (
        "again",
        "and",
        "first",
        "for",
        "in",
        "is",
        "it",
        "on",
        "once",
        "or",
        "takes",
        "that",
        "to",
        "with",
    )
)


def texts() -> Iterator[tuple[str, str]]:
    """Each text of the product with its file, docstrings left out."""
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            tree = ast.parse(path.read_text())
            said = {
                id(node.value)
                for node in ast.walk(tree)
                if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
            }
            inside = {
                id(part)
                for node in ast.walk(tree)
                if isinstance(node, ast.JoinedStr)
                for part in node.values
            }
            for node in ast.walk(tree):
                if id(node) not in said | inside and (text := filled(node)):
                    yield str(path.relative_to(ROOT)), text


def filled(node: ast.AST) -> str:
    """A text with something in its braces; empty for what is no text."""
    match node:
        case ast.Constant(str() as text):
            return text
        case ast.JoinedStr(values):
            return "".join(filled(one) or FILLED for one in values)
        case _:
            return ""


def commands_in(text: str) -> Iterator[list[str]]:
    """Each command that a text names, word by word."""
    for found in NAMED.findall(text):
        words = found.rstrip(".").split()
        end = next((at for at, word in enumerate(words) if word in GOES_ON), len(words))
        yield [FILLED if word.isupper() else word for word in words[:end]]


def trouble(words: list[str]) -> str:
    """Why the real command line would not take these words; empty when it does."""
    program, *rest = words
    group: Any = typer.main.get_command(PROGRAMS[program])
    if not rest or rest[0] == FILLED:  # the verb is filled in elsewhere
        return ""
    verb, *arguments = rest
    if verb not in group.commands:
        return "no such command"
    if not arguments:
        return ""
    try:
        group.commands[verb].make_context(verb, list(arguments))
    except USAGE_ERROR as error:
        return str(error.format_message())
    return ""


def test_every_command_that_a_message_names_is_taken() -> None:
    """Who copies it at 3 a.m. need not look anything up."""
    named = [(file, words) for file, text in texts() for words in commands_in(text)]
    assert len(named) > 40
    wrong = [
        f"{file}: {' '.join(words)}: {found}" for file, words in named if (found := trouble(words))
    ]
    assert wrong == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("ends with dns-runbook thaw shop", "Missing argument"),
        ("run dns-runbook thaw shop 9f86 first", ""),
        ("look at dns-runbook statsu", "no such command"),
        ("run dns-runbook rollback shop GENERATION", ""),
        ("run dns-runbook rollback shop GENERATION --pinned", "No such option"),
    ],
)
def test_a_command_that_is_not_whole_is_found(text: str, found: str) -> None:
    """This check can fail."""
    [words] = commands_in(text)
    assert trouble(words).startswith(found)
    assert bool(trouble(words)) == bool(found)


ON_A_PAGE = re.compile(
    r"`(?:\.venv/bin/)?(dns-(?:sandbox|planner|enactor|sentinel|runbook) [a-z]+)"
)


def test_documents_name_commands_that_exist() -> None:
    """A page that names a command which no program has is a page that lies at 3 a.m."""
    pages = [ROOT / "README.md", *ROOT.glob("docs/*.md"), *ROOT.glob("runbooks/*.md")]
    named = {command for page in pages for command in ON_A_PAGE.findall(page.read_text())}
    missing = []
    for command in sorted(named):
        program, verb = command.split()
        if CliRunner().invoke(PROGRAMS[program], [verb, "--help"]).exit_code:
            missing.append(command)
    assert named
    assert missing == []
