"""What `dns-sandbox incident` does: play both, tell each step as it happens, and say who held."""

import asyncio
import sys
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
from sandbox.run.screens import complain, write_line

STYLES = {Tone.PLAIN: "", Tone.DELAY: "yellow", Tone.GOOD: "green", Tone.BAD: "red"}
TITLES = {
    "check_then_write": "October 2025, check-then-write: plans own records, cleanup goes by age",
    "fenced": "The same delays, with this system",
}

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
    show = _silent if options.json else _writer(plain=options.plain)
    try:
        played = asyncio.run(_play_both(show))
    except (OSError, TimeoutError) as error:
        complain(f"the incident cannot be played: {error}")
        return 1
    except KeyboardInterrupt:
        return 1
    if options.json:
        write_line(msgspec.json.format(msgspec.json.encode(played), indent=2).decode())
    else:
        show(*_verdict(played))
    return 0 if _as_promised(played) else 1


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


def _writer(*, plain: bool) -> Show:
    if plain or not sys.stdout.isatty():
        return lambda line, _style: write_line(line)
    console = Console(highlight=False)
    return lambda line, style: console.print(Text(line, style=style))
