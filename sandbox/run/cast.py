"""Which processes a sandbox runs, and how each is called. Pure.

The same console commands that an operator runs, each with an access key id of its own.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

from sandbox.run.child import Command
from sandbox.run.environment import child_environment
from sandbox.run.hosts import BackendAddress

PLANNER = "planner.main:run"
ENACTOR = "enactor.main:run"
BACKENDS = "sandbox.run.backends:run"


def init_command(config: Path, *, outer: Mapping[str, str], endpoint_url: str) -> Command:
    """Make the table; runs to its end before any daemon starts."""
    return _command(
        "init", PLANNER, ("dns-planner", "init"), config, outer=outer, endpoint_url=endpoint_url
    )


def daemon_commands(
    config: Path, azs: Sequence[str], *, outer: Mapping[str, str], endpoint_url: str
) -> tuple[Command, ...]:
    """A planner in the first AZ, an enactor in each, and cleanup."""
    called = [
        (f"planner-{azs[0]}", PLANNER, ("dns-planner", "run", "--az", azs[0])),
        *((f"enactor-{az}", ENACTOR, ("dns-enactor", "run", "--az", az)) for az in azs),
        ("cleanup", PLANNER, ("dns-planner", "cleanup", "--daemon")),
    ]
    return tuple(
        _command(name, entry, words, config, outer=outer, endpoint_url=endpoint_url)
        for name, entry, words in called
    )


def backends_command(
    control_port: int, addresses: Sequence[BackendAddress], *, outer: Mapping[str, str]
) -> Command:
    """The demo servers; they know nothing of AWS."""
    words = ("demo-backends", str(control_port), *map(str, addresses))
    environment = child_environment(outer, endpoint_url="", access_key="")
    return Command("backends", BACKENDS, words, environment)


def _command(
    name: str,
    entry: str,
    words: tuple[str, ...],
    config: Path,
    *,
    outer: Mapping[str, str],
    endpoint_url: str,
) -> Command:
    environment = child_environment(outer, endpoint_url=endpoint_url, access_key=name)
    arguments = (*words, "--config", str(config))
    return Command(name, entry, arguments, {**environment, "PYTHONUNBUFFERED": "1"})
