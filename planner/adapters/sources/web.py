"""Targets from a web address: one GET a read, without redirects, in bounded time and size.

Address and authorization are secrets: no log, no error and no plan holds them. Certificates are
always verified; no proxy or cookie of this machine is used.
"""

import aiohttp

from dnsplan.runtime.config.secret import SecretText
from planner.rules.document import DOCUMENT_BYTES_MAX, listing_of
from planner.rules.roll import Listing

_FINE = 200


class WebSource:
    """ports.Source over one address."""

    def __init__(
        self, url: SecretText, authorization: SecretText | None, *, timeout_s: float
    ) -> None:
        """Nothing is opened yet; each read has a connection of its own."""
        self._url = url
        self._authorization = authorization
        self._timeout_s = timeout_s

    async def read(self) -> Listing:
        """Ask once."""
        headers = {"User-Agent": "dnsplan", "Accept": "application/json"}
        if self._authorization is not None:
            headers["Authorization"] = self._authorization.reveal()
        timeout = aiohttp.ClientTimeout(total=self._timeout_s)
        try:
            async with (
                aiohttp.ClientSession(
                    timeout=timeout, cookie_jar=aiohttp.DummyCookieJar(), trust_env=False
                ) as session,
                session.get(self._url.reveal(), headers=headers, allow_redirects=False) as answer,
            ):
                if answer.status != _FINE:
                    return Listing((), f"status {answer.status}")
                return listing_of(await _bounded(answer.content))
        except TimeoutError:
            return Listing((), f"no answer in {self._timeout_s:g} s")
        except (aiohttp.ClientError, OSError, ValueError) as error:
            # An error's text may hold the address.
            return Listing((), type(error).__name__)


async def _bounded(body: aiohttp.StreamReader) -> bytes:
    """The body, read no further than one byte beyond what is allowed."""
    text = bytearray()
    while len(text) <= DOCUMENT_BYTES_MAX:
        piece = await body.read(DOCUMENT_BYTES_MAX + 1 - len(text))
        if not piece:
            break
        text += piece
    return bytes(text)
