"""A page as a log event: the sink that is always there, and cannot fail by itself."""

import structlog

from dnsplan.notices import Change, Notice
from dnsplan.runtime.paging.ports import Delivered

_LOUD = frozenset({Change.PAGE, Change.CHANGE})


class LogSink:
    """One event a notice: an error for a page, its end as information."""

    name = "log"

    def __init__(self) -> None:
        """Take the process's log."""
        self._log = structlog.get_logger("page")

    async def send(self, notice: Notice) -> Delivered:
        """Write it."""
        say = self._log.error if notice.change in _LOUD else self._log.info
        say("page", **notice.facts, text=notice.text)
        return Delivered()
