"""Structured logs, set up once by a `main`: JSON lines in a pipe, readable lines on a terminal.

Everything goes to stderr, so that stdout holds only what a command was asked to print. Messages of
libraries take the same way, from warnings up. Nothing else in the project touches this set-up.
A line that cannot be written, to a full disk or a pipe that nobody reads, ends no work: once lines
can be written again, it is said how many were lost.
"""

import io
import json
import logging
from collections.abc import Mapping
from typing import TextIO, cast

import structlog
from structlog.typing import EventDict, Processor

from dnsplan.errors import visible_lines

LEVEL_VARIABLE = "DNSPLAN_LOG_LEVEL"
DEFAULT_LEVEL = "info"
LEVELS: Mapping[str, int] = {
    "debug": logging.DEBUG,
    "info": logging.INFO,
    "warning": logging.WARNING,
    "error": logging.ERROR,
}


def configure(environ: Mapping[str, str], stream: TextIO, **facts: str) -> None:
    """Set up logging for this process; `facts` (az, component) stand in every event."""
    stated = environ.get(LEVEL_VARIABLE, DEFAULT_LEVEL).strip().lower()
    level = LEVELS.get(stated, logging.INFO)
    # Loggers write and flush, and ask for nothing else that a TextIO has.
    lasting = cast("TextIO", _LastingStream(stream))
    shared: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_logger_name,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    ending = _ending(is_terminal=stream.isatty())
    structlog.configure(
        processors=[*shared, *ending],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=_NamedLoggers(lasting),
        cache_logger_on_first_use=False,  # a test may set it up again
    )
    structlog.contextvars.clear_contextvars()
    structlog.contextvars.bind_contextvars(**facts)
    _route_libraries(shared, ending, lasting)
    if stated not in LEVELS:
        log = structlog.get_logger("telemetry")
        log.warning("log_level_unknown", found=stated, allowed=sorted(LEVELS), used=DEFAULT_LEVEL)


class _LastingStream(io.TextIOBase):
    """A stream that never fails whoever writes: what it cannot take is counted and told later."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._lost = 0

    def write(self, text: str) -> int:
        """Write a line, and before it how many were lost; or lose it."""
        try:
            if self._lost:
                self._stream.write(self._told())
                self._stream.flush()
            self._lost = 0
            self._stream.write(text)
            self._stream.flush()
        except (OSError, ValueError):  # the latter of a stream that was closed
            self._lost += 1
        return len(text)

    def _told(self) -> str:
        return (
            json.dumps({"event": "log_lines_lost", "level": "warning", "lines": self._lost}) + "\n"
        )


class _NamedLogger(structlog.WriteLogger):
    def __init__(self, stream: TextIO, name: str) -> None:
        super().__init__(stream)
        self.name = name


class _NamedLoggers:
    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def __call__(self, name: str = "dnsplan", *_: object) -> _NamedLogger:
        return _NamedLogger(self._stream, name)


def _ending(*, is_terminal: bool) -> list[Processor]:
    if is_terminal:
        return [_made_visible, structlog.dev.ConsoleRenderer(colors=True)]
    return [structlog.processors.dict_tracebacks, structlog.processors.JSONRenderer(default=str)]


def _made_visible(_logger: object, _method: str, event: EventDict) -> EventDict:
    """On a terminal words could draw; what is no text is shown by its repr, which cannot."""
    return {
        key: visible_lines(value) if isinstance(value, str) else value
        for key, value in event.items()
    }


def _route_libraries(shared: list[Processor], ending: list[Processor], stream: TextIO) -> None:
    handler = logging.StreamHandler(stream)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, *ending],
        )
    )
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.WARNING)
