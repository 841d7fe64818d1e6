"""The last log events of this process, kept for its page: what a person would read in the log.

It listens where events are logged and changes none. Debug events are not kept, and neither is more
than a bounded number.
"""

from collections import deque
from collections.abc import Callable, Mapping, MutableMapping
from typing import Any

import msgspec
import structlog

from dnsplan.runtime.page.model import EventView

KEPT_MAX = 60
TEXT_CHARACTERS_MAX = 400
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
        """Stand first in this process's line of processors, before times and names are added."""
        processors = structlog.get_config()["processors"]
        structlog.configure(processors=[self, *processors])


def _view(level: str, event: Mapping[str, Any], now_s: float) -> EventView:
    facts = ((name, value) for name, value in event.items() if name not in _SHOWN_APART)
    text = "  ".join(
        f"{name}={_text(value)}" for name, value in facts if not name.startswith(("_", "exc_info"))
    )
    if len(text) > TEXT_CHARACTERS_MAX:
        text = f"{text[: TEXT_CHARACTERS_MAX - 1]}…"
    return EventView(now_s, level, str(event.get("event", "")), str(event.get("zone", "")), text)


def _text(value: object) -> str:
    if isinstance(value, str):
        return value
    return msgspec.json.encode(value, enc_hook=str).decode()
