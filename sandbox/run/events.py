"""One line of a process's output as an event that a person can read. Pure.

Daemons in a pipe log one JSON object a line; anything else (a message of the interpreter, an
operator's mistake on stderr) is kept as it is. An event keeps all that was said; only its line for
people is short.
"""

import re
from collections.abc import Mapping
from datetime import UTC, datetime

import msgspec
from msgspec import Struct

from dnsplan.errors import visible

# The process is named for its component and AZ already.
_HEADER = ("timestamp", "level", "event", "logger", "component", "az")
_LOUD = frozenset({"warning", "error", "critical"})
# A page holds all evidence; on a line it is what happened to which name.
_TOLD = {"page": frozenset({"change", "title", "run"})}
VALUE_CHARACTERS_MAX = 160
# A digest's beginning tells it from every other one that a person looks at.
HEX_CHARACTERS_MAX = 12
_HEX = re.compile(r"[0-9a-f]{32,}")


class Event(Struct, frozen=True):
    """Something that a process of the sandbox said or did."""

    at_s: float
    who: str
    level: str
    what: str
    facts: tuple[tuple[str, str], ...] = ()

    @property
    def is_loud(self) -> bool:
        """Whether it asks for a person's eye."""
        return self.level in _LOUD

    def __str__(self) -> str:
        """Time of day, process, event and facts in one line."""
        day_time = datetime.fromtimestamp(self.at_s, tz=UTC).strftime("%H:%M:%SZ")
        told = _TOLD.get(self.what)
        facts = "".join(
            f" {name}={_short(value)}" for name, value in self.facts if told is None or name in told
        )
        return visible(f"{day_time} {self.who:<17} {self.what}{facts}")


def read_line(who: str, line: str, *, now_s: float) -> Event | None:
    """The event in one line of output; None for an empty line."""
    text = line.rstrip()
    if not text:
        return None
    fields = _object(text)
    if fields is None or not isinstance(fields.get("event"), str):
        return Event(now_s, who, "info", text)
    facts = tuple(
        (name, fact)
        for name, value in fields.items()
        if name not in _HEADER and (fact := _text(value)) is not None
    )
    return Event(now_s, who, str(fields.get("level", "info")), str(fields["event"]), facts)


def _object(text: str) -> Mapping[str, object] | None:
    if not text.startswith("{"):
        return None
    try:
        return msgspec.json.decode(text, type=dict[str, object])
    except msgspec.DecodeError:
        return None


def _text(value: object) -> str | None:
    if value is None or value in ("", [], {}):
        return None
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def _short(value: str) -> str:
    if _HEX.fullmatch(value):
        return f"{value[:HEX_CHARACTERS_MAX]}…"
    if len(value) > VALUE_CHARACTERS_MAX:
        value = f"{value[: VALUE_CHARACTERS_MAX - 1]}…"
    return f'"{value}"' if " " in value and not value.startswith(("[", "{")) else value
