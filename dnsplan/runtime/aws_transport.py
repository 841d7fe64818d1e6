"""One request to AWS with an end: name look-up, connection, sending and the whole answer together.

The SDK's own bounds are for a connection that is made and for each silence while an answer is read.
A resolver that hangs, or what sends an answer byte by byte, would hold a request for minutes or for
ever: a zone would wait with it, and a freeze.
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
