"""`--help` tells what a command is for, how it is called, and what its exit code means."""

from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from runbooks.main import app

GROUP: Any = typer.main.get_command(app)


def helped(*words: str) -> str:
    """What the help says."""
    said = CliRunner().invoke(app, [*words, "--help"])
    assert said.exit_code == 0
    return said.output


@pytest.mark.parametrize("command", sorted(GROUP.commands))
def test_every_command_has_examples_and_exit_codes(command: str) -> None:
    """An example calls this very command; success and wrong use have a code each."""
    text = helped(command)
    examples = text.partition("Examples:")[2].partition("Exit codes:")[0]
    assert f"dns-runbook {command}" in examples
    codes = text.partition("Exit codes:")[2]
    assert {"0", "1", "2"} <= {line.split()[0] for line in codes.splitlines() if line.strip()}


def test_the_groups_help_has_examples_and_exit_codes() -> None:
    """Who does not know the command yet begins here."""
    text = helped()
    assert "dns-runbook rollback shop 139 --dry-run" in text
    assert "4  --dry-run: changes pending" in text
