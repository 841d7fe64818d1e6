"""How a command that changes something runs: config and desk, the typed confirmation, exit codes.

It decides nothing about zones. What went wrong is told on standard error, in words that name the
next command and the page to read; facts go to standard output.
"""

import asyncio
import select
import signal
import socket
import sys
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from rich.console import RenderableType

from dnsplan.errors import ConfigError, DnsplanError, visible, visible_lines
from dnsplan.exits import FAILED, REFUSED, USAGE
from dnsplan.runtime.config import load
from dnsplan.runtime.config.schema import Settings
from dnsplan.runtime.keys import signer_of
from dnsplan.runtime.terminal import Visible, terminal
from dnsplan.vouch import Role
from runbooks.controls.outside import Mistaken, Operator, Refused
from runbooks.controls.reading_on import read_on
from runbooks.controls.streams import let_go, let_through, open_missing
from runbooks.controls.telling import fitted, tell
from runbooks.controls.wiring import Desk, open_desk
from runbooks.looking.naming import labels_mistake

TABLE_COLUMNS_MIN = 72


class NotConfirmed(DnsplanError):
    """The operator stopped at the question."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ControlOptions:
    """What every changing command takes."""

    config: Path | None
    labels: tuple[str, ...]
    because: str
    by: str
    yes: bool
    json: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Sure:
    """What a script says beside: the newest generation that it saw, and whether it only asks."""

    expected: int | None
    dry_run: bool


def looking(config: Path | None, labels: tuple[str, ...], *, json: bool = False) -> ControlOptions:
    """What a command takes that changes nothing: it asks nobody, and nobody signs it."""
    return ControlOptions(config=config, labels=labels, because="", by="", yes=True, json=json)


def run(
    options: ControlOptions,
    environ: Mapping[str, str],
    act: Callable[[Desk, Operator], Awaitable[int]],
    *,
    signs: bool,
    records: bool = True,
) -> int:
    """Open the desk, act, and give the exit code; without its key nothing that `signs` begins."""

    async def at_desk(settings: Settings, operator: Operator) -> int:
        labels = options.labels or tuple(settings.zones)
        async with open_desk(settings, labels, operator.signer) as desk:
            return await act(desk, operator)

    return run_with(options, environ, at_desk, signs=signs, records=records)


def run_with(
    options: ControlOptions,
    environ: Mapping[str, str],
    work: Callable[[Settings, Operator], Awaitable[int]],
    *,
    signs: bool = False,
    records: bool = True,
) -> int:
    """Load the config, do work that opens what it needs itself, and give the exit code.

    `records`: also the files of `records_from`. Work that does not go by what the config states of
    names leaves them out: neither their size nor a mistake in them is in its way.
    """

    async def done(settings: Settings) -> int:
        signer = signer_of(settings.signing, Role.OPERATOR, environ) if signs else None
        operator = Operator(options.by or environ.get("USER", "unknown"), options.because, signer)
        return await work(settings, operator)

    def at_once() -> int:
        settings = load(options.config, environ, records=records).settings
        names = {label: zone.name for label, zone in settings.zones.items()}
        if (mistake := labels_mistake(options.labels, names)) is not None:
            return say(mistake, USAGE)
        return asyncio.run(done(settings))

    return exit_code_of(at_once)


def exit_code_of(work: Callable[[], int]) -> int:
    """Do some work, and tell what went wrong with the exit code that goes with it."""
    open_missing()
    let_through(sys.stdout)
    try:
        code = _told_code_of(work)
        sys.stdout.flush()
    except BrokenPipeError:  # as of a pager that was left: nobody listens to words about it
        let_go(sys.stdout)
        return FAILED
    except OSError as error:
        let_go(sys.stdout)
        where = error.filename or "standard output"
        return say(f"{where}: {error.strerror or error}; look at dns-runbook status", FAILED)
    return code


def _told_code_of(work: Callable[[], int]) -> int:
    try:
        return work()
    except (ConfigError, Mistaken) as error:
        return say(str(error), USAGE)
    except NotConfirmed as error:
        return say(str(error), FAILED)
    except DnsplanError as error:
        code = REFUSED if isinstance(error, Refused) else FAILED
        return say(f"{error}\npage: {read_on(error)}", code)
    except KeyboardInterrupt:
        return say("stopped; look at dns-runbook status", FAILED)


def is_sure(options: ControlOptions, consequence: str, *, typed: str | None = None) -> bool:
    """Ask for the zones' labels, or another text, to be typed, unless a script says yes."""
    if options.yes:
        return True
    zones = " ".join(options.labels) or "all zones"
    wanted = zones if typed is None else typed
    if not sys.stdin.isatty():
        tell("this command asks before it changes anything; --yes is for scripts")
        return False
    tell(f"{zones}: {consequence}")
    if not (line := _asked(f'Type "{wanted}" to go on: ')):
        tell("")  # Ctrl-D ends no line on the screen
    return line.strip() == wanted


def _asked(question: str) -> str:
    """A line from the terminal; Ctrl-C ends the command at once, from the question's first letter.

    asyncio's own handler would only cancel the task, which a read that blocks never notices. Nor
    does a read notice a signal that comes just before it: so that none is lost, whatever comes
    first is waited for, a line or a signal.
    """
    heard, rings = socket.socketpair()
    rings.settimeout(0)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    before_fd = signal.set_wakeup_fd(rings.fileno())
    try:
        sys.stderr.write(question)
        sys.stderr.flush()
        select.select([sys.stdin, heard], [], [])
        return sys.stdin.readline()
    except KeyboardInterrupt as error:
        raise NotConfirmed("\nstopped at the question; nothing was changed") from error
    finally:
        signal.set_wakeup_fd(before_fd)
        signal.signal(signal.SIGINT, before)
        heard.close()
        rings.close()


def show(table: Callable[[], RenderableType], lines: Iterable[str]) -> None:
    """A table on a terminal that has room for one, else plain lines: in narrow columns dates and
    commands would be broken where nobody can copy them."""
    if not sys.stdout.isatty():
        sys.stdout.writelines(f"{visible(line)}\n" for line in lines)
        return
    console = terminal()
    if console.width >= TABLE_COLUMNS_MIN:
        console.print(Visible(table()))
    else:
        sys.stdout.writelines(f"{fitted(visible(line), console.width)}\n" for line in lines)


def done(text: str) -> None:
    """What was done and how to undo it, on standard output."""
    text = visible_lines(text)
    if sys.stdout.isatty():
        text = fitted(text, terminal().width)
    sys.stdout.write(text + "\n")


def say(text: str, code: int) -> int:
    """The last line, and the exit code that goes with it."""
    tell(text)
    return code
