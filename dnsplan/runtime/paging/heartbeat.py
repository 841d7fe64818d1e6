"""A dead man's switch: a ping after each interval in which the work was really done.

Whoever receives it pages when it stays away, so that a daemon that is dead, stuck or cut off is
seen too. A cycle that failed or hangs is no sign of life: what is counted is passes that ended
well, never that the process runs.
"""

from collections.abc import Awaitable, Callable

import aiohttp
import structlog

from dnsplan.runtime.config.secret import SecretText

_FINE = 200


class Heartbeat:
    """Pings one address."""

    def __init__(self, url: SecretText, *, timeout_s: float) -> None:
        """Nothing was done yet, so the first interval may stay silent."""
        self._url = url
        self._timeout_s = timeout_s
        self._passes = 0
        self._reason = ""
        self._log = structlog.get_logger("paging")

    def beside(self, work: Callable[[], Awaitable[None]]) -> Callable[[], Awaitable[None]]:
        """The same work, counted when it ends well."""

        async def counted() -> None:
            await work()
            self.done()

        return counted

    def done(self) -> None:
        """A cycle ran to its end."""
        self._passes += 1

    async def run_once(self) -> None:
        """Ping, if anything was done since the last ping; a ping that fails is not repeated."""
        passes, self._passes = self._passes, 0
        if not passes:
            self._say("no cycle ran to its end")
            return
        self._say(await self._ping())

    async def _ping(self) -> str:
        """Why it failed; empty: it did not. No reason holds the address."""
        timeout = aiohttp.ClientTimeout(total=self._timeout_s)
        try:
            async with (
                aiohttp.ClientSession(timeout=timeout) as session,
                session.get(self._url.reveal(), allow_redirects=False) as answer,
            ):
                is_fine = _FINE <= answer.status < _FINE + 100
                return "" if is_fine else f"status {answer.status}"
        except TimeoutError:
            return f"no answer in {self._timeout_s:g} s"
        except (aiohttp.ClientError, OSError, ValueError) as error:
            return type(error).__name__

    def _say(self, reason: str) -> None:
        if reason and reason != self._reason:
            self._log.error("heartbeat_missed", reason=reason)
        elif not reason and self._reason:
            self._log.info("heartbeat_again")
        self._reason = reason
