"""The pages that a sentinel has open, from its own status page: one GET, bounded in time and size.

The sentinel shares nothing with the table, so its page is all that can be asked. What is no
sentinel's page, or one that does not look any more, is no word that all is well.
"""

from collections.abc import Sequence

import aiohttp
import msgspec
from msgspec import Struct

from dnsplan.errors import ReadFailed
from planner.rules.waves import OpenPage

TIMEOUT_S = 3.0
# A thousand zones with a hundred names each are some 20 MB.
BYTES_MAX = 64 * 1024 * 1024
_FINE = 200
_WHO = "paged"


class _Hold(Struct):
    who: str
    text: str
    since_s: float | None


class _Zone(Struct):
    label: str
    holds: tuple[_Hold, ...] = ()


class _About(Struct):
    component: str


class _State(Struct):
    about: _About
    not_ready: tuple[str, ...]
    zones: tuple[_Zone, ...]


class HttpSentinelPage:
    """ports.SentinelPage over HTTP."""

    def __init__(self, *, timeout_s: float = TIMEOUT_S) -> None:
        """Nothing is opened yet; each question has a connection of its own."""
        self._timeout_s = timeout_s

    async def pages(self, url: str) -> Sequence[OpenPage]:
        """Ask once."""
        try:
            state = msgspec.json.decode(await self._body(url), type=_State)
        except TimeoutError as error:
            raise ReadFailed(f"no answer in {self._timeout_s:g} s") from error
        except (aiohttp.ClientError, OSError, ValueError, msgspec.MsgspecError) as error:
            raise ReadFailed(str(error) or type(error).__name__) from error
        if state.about.component != "sentinel":
            raise ReadFailed(f"it is the page of a {state.about.component}")
        if state.not_ready:
            raise ReadFailed(f"it is not ready: {state.not_ready[0]}")
        return [
            OpenPage(zone.label, hold.text, hold.since_s or 0.0)
            for zone in state.zones
            for hold in zone.holds
            if hold.who == _WHO
        ]

    async def _body(self, url: str) -> bytes:
        timeout = aiohttp.ClientTimeout(total=self._timeout_s)
        async with (
            aiohttp.ClientSession(
                timeout=timeout, cookie_jar=aiohttp.DummyCookieJar(), trust_env=False
            ) as session,
            session.get(f"{url.rstrip('/')}/state", allow_redirects=False) as answer,
        ):
            if answer.status != _FINE:
                raise ReadFailed(f"status {answer.status}")
            body = bytearray()
            async for piece in answer.content.iter_any():
                body += piece
                if len(body) > BYTES_MAX:
                    raise ReadFailed(f"more than {BYTES_MAX} bytes")
            return bytes(body)
