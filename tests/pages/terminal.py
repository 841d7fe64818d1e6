"""Types one command in this process and keeps what its person would see.

It is the command's own app with its own arguments, on standard streams that are a terminal only
where it asks something: so what it shows are the lines of a pipe, as the pages have them.
"""

import io
import os
import shlex
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass

import dns.message
import dns.name
import dns.query
import typer

import enactor.main
import planner.main
import runbooks.main
import sentinel.main

APPS = {
    "dns-enactor": enactor.main.app,
    "dns-planner": planner.main.app,
    "dns-runbook": runbooks.main.app,
    "dns-sentinel": sentinel.main.app,
}


@dataclass(frozen=True, slots=True)
class Printed:
    """What a command left on the screen, and its exit code."""

    code: int
    lines: tuple[str, ...]


CTRL_C, CTRL_D = "\x03", "\x04"


class Wide(io.StringIO):
    """Standard output that is a terminal; how wide it is says COLUMNS."""

    def isatty(self) -> bool:
        """Tables are drawn."""
        return True


class Keyboard(io.StringIO):
    """Standard input with a person who answers once, and whose typing is seen."""

    def __init__(self, answer: str, screen: io.StringIO) -> None:
        """`screen` shows what is typed, as a terminal echoes it."""
        super().__init__()
        self._answer, self._screen = answer, screen
        self._ready = os.open(os.devnull, os.O_RDONLY)

    def fileno(self) -> int:
        """Something that can always be read: the person never thinks."""
        return self._ready

    def close(self) -> None:
        """Leave."""
        if not self.closed:
            os.close(self._ready)
        super().close()

    def isatty(self) -> bool:
        """A person sits here, if there is anything to answer."""
        return bool(self._answer)

    def readline(self, _size: int = -1, /) -> str:  # type: ignore[override]  # as TextIOBase has it
        """The answer, with the return key; Ctrl-C and Ctrl-D are none."""
        if self._answer == CTRL_C:
            raise KeyboardInterrupt
        if self._answer == CTRL_D:
            return ""
        typed = f"{self._answer}\n"
        self._screen.write(typed)
        return typed


def type_in(command: str, *, answer: str, name_server: str) -> Printed:
    """Run a command line as it stands on a page."""
    program, *words = shlex.split(command)
    if program == "dig":
        return Printed(0, tuple(dig(words, name_server)))
    screen = io.StringIO()
    with redirect_stdout(screen), redirect_stderr(screen), keyboard(answer, screen):
        code = run(program, words)
    return Printed(code, tuple(screen.getvalue().splitlines()))


def run(program: str, words: Sequence[str]) -> int:
    """The exit code of a command of ours."""
    try:
        typer.main.get_command(APPS[program])(list(words), prog_name=program)
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else 1
    return 0


def dig(words: Sequence[str], name_server: str) -> Iterator[str]:
    """`dig +short NAME TYPE`, asked of the room's server; the real program is asked elsewhere."""
    name, kind = (word for word in words if word[0] not in "+@")
    host, _, port = name_server.rpartition(":")
    query = dns.message.make_query(dns.name.from_text(name), kind)
    reply = dns.query.udp(query, host, port=int(port), timeout=10)
    return (one.to_text() for rrset in reply.answer for one in rrset)


def on_a_terminal(command: str) -> Printed:
    """What a terminal shows of a command that asks nothing."""
    program, *words = shlex.split(command)
    screen, told = Wide(), io.StringIO()
    with redirect_stdout(screen), redirect_stderr(told), keyboard("", told):
        code = run(program, words)
    return Printed(code, tuple(screen.getvalue().splitlines()))


@contextmanager
def keyboard(answer: str, screen: io.StringIO) -> Iterator[None]:
    """Standard input is this person's."""
    before = sys.stdin
    sys.stdin = Keyboard(answer, screen)
    try:
        yield
    finally:
        sys.stdin = before


@contextmanager
def at(folder: os.PathLike[str], **variables: str) -> Iterator[None]:
    """This process stands in a folder, with these variables set."""
    before, cwd = dict(os.environ), os.getcwd()  # noqa: PTH109 - to go back to
    os.chdir(folder)
    os.environ.update(variables)
    try:
        yield
    finally:
        os.chdir(cwd)
        os.environ.clear()
        os.environ.update(before)
