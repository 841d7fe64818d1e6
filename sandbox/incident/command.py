"""What `dns-sandbox incident` does: play both, tell each step as it happens, and say who held."""

import asyncio
import re
import sys
import textwrap
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass

import msgspec
from rich.console import Console
from rich.text import Text

from sandbox.incident.check_then_write import play_check_then_write
from sandbox.incident.checkers import Breach
from sandbox.incident.fenced import play_fenced
from sandbox.incident.house import House, close_off, open_house
from sandbox.incident.story import Narrator, Step, StoryClock, Tone
from sandbox.run.output import Output
from sandbox.run.screens import complain

STYLES = {Tone.PLAIN: "", Tone.DELAY: "yellow", Tone.GOOD: "green", Tone.BAD: "red"}
TITLES = {
    "check_then_write": "October 2025, check-then-write: plans own records, cleanup goes by age",
    "fenced": "The same delays, with this system",
}

# Clock and actor, as `Step` writes them; what happened begins behind them.
STEP_INDENT = 29
_STEP = re.compile(r"\d\d:\d\d:\d\dZ  ")

# Both plays take about two seconds; what takes this long has stopped.
PLAYED_WITHIN_S = 120.0

Show = Callable[[str, str], None]  # a line and its style
Play = Callable[[House, Narrator], Awaitable[tuple[Breach, ...]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class IncidentOptions:
    """The command line."""

    json: bool
    plain: bool


@dataclass(frozen=True, slots=True)
class Played:
    """One play: what broke, and every step."""

    broken: tuple[str, ...]
    trace: tuple[Step, ...]


def tell_incident(options: IncidentOptions, environ: MutableMapping[str, str]) -> int:
    """Play both; 0 when the careless system broke and this one held. AWS leaves `environ`."""
    close_off(environ)
    output = Output()
    show = _silent if options.json else _writer(output, plain=options.plain)
    try:
        played = asyncio.run(_play_both(show))
    except (OSError, TimeoutError) as error:
        complain(f"the incident cannot be played: {error}")
        return 1
    except KeyboardInterrupt:
        return 1
    if options.json:
        output.write(msgspec.json.format(msgspec.json.encode(played), indent=2).decode())
    else:
        show(*_verdict(played))
    return output.exit_code(0 if _as_promised(played) else 1)


async def _play_both(show: Show) -> dict[str, Played]:
    plays: dict[str, Play] = {
        "check_then_write": play_check_then_write,
        "fenced": play_fenced,
    }
    played = {}
    async with asyncio.timeout(PLAYED_WITHIN_S):
        for name, play in plays.items():
            show(TITLES[name], "bold")
            narrator = Narrator(StoryClock(), lambda step: show(str(step), STYLES[step.tone]))
            async with open_house() as house:
                found = await play(house, narrator)
            played[name] = Played(tuple(one.promise for one in found), tuple(narrator.steps))
            show("", "")
    return played


def _as_promised(played: dict[str, Played]) -> bool:
    return bool(played["check_then_write"].broken) and not played["fenced"].broken


def _verdict(played: dict[str, Played]) -> tuple[str, str]:
    careless, fenced = (", ".join(played[name].broken) or "nothing" for name in TITLES)
    text = f"check-then-write broke {careless}; this system broke {fenced}"
    return text, "bold green" if _as_promised(played) else "bold red"


def _silent(_line: str, _style: str) -> None:
    """JSON comes at the end."""


def _writer(output: Output, *, plain: bool) -> Show:
    if not sys.stdout.isatty():
        return lambda line, _style: output.write(line)
    console = Console(highlight=False, color_system=None if plain else "auto")
    return lambda line, style: console.print(Text(folded(line, console.width), style=style))


def folded(line: str, width: int) -> str:
    """A step in as many lines as a terminal needs, broken between words, under its first words."""
    indent = STEP_INDENT if _STEP.match(line) and width > 2 * STEP_INDENT else 2
    lines = textwrap.wrap(
        line, width, subsequent_indent=" " * indent, break_on_hyphens=False, tabsize=1
    )
    return "\n".join(lines)
