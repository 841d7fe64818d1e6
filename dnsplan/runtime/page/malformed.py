"""What reaches the page's port and is no HTTP is one short line a minute, however much of it comes.

Anything on this machine can send it, and a traceback for each would fill the log. The server's own
faults are no such thing: they are logged whole, each time.
"""

import logging

import structlog
from aiohttp.http_exceptions import HttpProcessingError

from dnsplan.ports import Clock

SAID_AGAIN_S = 60.0


class MalformedRequests(logging.Filter):
    """Counts what could not be read, and lets everything else through."""

    def __init__(self, clock: Clock) -> None:
        """Nothing has come."""
        super().__init__()
        self._clock = clock
        self._since = 0
        self._said_s: float | None = None

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether the record is the log's."""
        error = record.exc_info[1] if record.exc_info else None
        if not isinstance(error, HttpProcessingError):
            return True
        self._since += 1
        now_s = self._clock.elapsed_s()
        if self._said_s is None or now_s - self._said_s >= SAID_AGAIN_S:
            log = structlog.get_logger("page")
            log.warning("malformed_request", kind=type(error).__name__, count=self._since)
            self._said_s, self._since = now_s, 0
        return False


def server_log(clock: Clock) -> logging.Logger:
    """What one server writes to: `getLogger` would give the next one this one's filter too."""
    log = logging.Logger("aiohttp.server")  # noqa: LOG001 - one a server
    log.parent = logging.getLogger()
    log.addFilter(MalformedRequests(clock))
    return log
