"""The last log events of this process, kept for its page: what a person would read in the log.

It listens where events are logged and changes none. Debug events are not kept, and neither is more
than a bounded number.
"""

import re
from collections import deque
from collections.abc import Callable, Mapping, MutableMapping
from typing import Any

import msgspec
import structlog

from dnsplan.runtime.page.model import EventView

KEPT_MAX = 60
TEXT_CHARACTERS_MAX = 300
HEX_SHOWN = 12
_LONG_HEX = re.compile(r"[0-9a-f]{32,}")
# A page holds all evidence; here it is what happened to which name.
_TOLD = {"page": ("title",)}
_SHOWN_APART = ("event", "zone", "level")


class Happenings:
    """A structlog processor that passes every event on as it is."""

    def __init__(self, now_s: Callable[[], float]) -> None:
        """Nothing has happened."""
        self._now_s = now_s
        self._events: deque[EventView] = deque(maxlen=KEPT_MAX)

    def __call__(
        self, _logger: object, method: str, event: MutableMapping[str, Any]
    ) -> MutableMapping[str, Any]:
        """Keep one event; only those that are logged come here."""
        if method != "debug":
            self._events.append(_view(method, event, self._now_s()))
        return event

    def newest_first(self) -> tuple[EventView, ...]:
        """What happened last stands first."""
        return tuple(reversed(self._events))

    def listen(self) -> None:
        """Stand first in this process's line of processors, before times and names are added; in
        the place of a page that was before, where works begin anew."""
        processors = structlog.get_config()["processors"]
        others = (one for one in processors if not isinstance(one, Happenings))
        structlog.configure(processors=[self, *others])


def _view(level: str, event: Mapping[str, Any], now_s: float) -> EventView:
    what = str(event.get("event", ""))
    told = _TOLD.get(what) or [
        name
        for name in event
        if name not in _SHOWN_APART and not name.startswith(("_", "exc_info"))
    ]
    text = "  ".join(f"{name}={_text(event[name])}" for name in told if name in event)
    if len(text) > TEXT_CHARACTERS_MAX:
        text = f"{text[: TEXT_CHARACTERS_MAX - 1]}…"
    return EventView(now_s, level, what, str(event.get("zone", "")), text)


def _text(value: object) -> str:
    """A digest's beginning tells it from every other one that a person looks at."""
    if isinstance(value, str):
        return f"{value[:HEX_SHOWN]}…" if _LONG_HEX.fullmatch(value) else value
    return msgspec.json.encode(value, enc_hook=str).decode()
