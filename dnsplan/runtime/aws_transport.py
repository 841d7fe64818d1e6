"""One request to AWS, to AWS alone and with an end: look-up, connection, sending, whole answer.

The SDK's own bounds are for a connection that is made and for each silence while an answer is read.
A resolver that hangs, or what sends an answer byte by byte, would hold a request for minutes or for
ever: a zone would wait with it, and a freeze. And its HTTP client goes where an answer points to:
a proxy or a portal would have a batch sent again elsewhere, with the token of the credentials.
"""

import asyncio
from typing import Any

from aiobotocore.httpsession import AIOHTTPSession
from botocore.exceptions import ReadTimeoutError


class BoundedSession(AIOHTTPSession):
    """The SDK's HTTP session; no request takes longer than its connection and its answer may."""

    def __init__(self, **settings: Any) -> None:
        """`timeout` among the settings is for the connection, and for the answer."""
        super().__init__(**settings)
        self._whole_s = sum(settings["timeout"])

    async def send(self, request: Any) -> Any:
        """Send a request once; what is not over in time may have taken place."""
        try:
            async with asyncio.timeout(self._whole_s):
                return await super().send(request)
        except TimeoutError as error:
            raise ReadTimeoutError(endpoint_url=request.url, error=error) from error

    async def _get_session(self, proxy_url: str | None) -> Any:
        session = await super()._get_session(proxy_url)  # type: ignore[misc]  # stubs leave it out
        return _Straight(session)


class _Straight:
    """A session whose requests go nowhere but where they were sent."""

    def __init__(self, session: Any) -> None:
        self._session = session

    async def request(self, *arguments: Any, **options: Any) -> Any:
        return await self._session.request(*arguments, **options, allow_redirects=False)
