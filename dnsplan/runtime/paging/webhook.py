"""A page as a JSON POST. The address is a secret: no log, no error and no page holds it."""

import aiohttp
import msgspec

from dnsplan.notices import Notice
from dnsplan.runtime.config.secret import SecretText
from dnsplan.runtime.paging.ports import Delivered, Undelivered

# Refusals that may pass: too early, too often, and the server's own troubles.
_PASSING = frozenset({408, 425, 429})
_SERVER_ERROR, _FINE, _CLIENT_ERROR = 500, 200, 400


class WebhookSink:
    """Posts notices. The body holds title, text and facts; `id` and `change` tell repeats."""

    def __init__(self, url: SecretText, *, position: int, timeout_s: float) -> None:
        """`position`: where it stands in the config's alarms, which is its name."""
        self._url = url
        self._timeout_s = timeout_s
        self.name = f"webhook alarms[{position}]"

    async def send(self, notice: Notice) -> Delivered | Undelivered:
        """One POST; a status from 200 to 299 is a delivery. Redirects are not followed."""
        body = msgspec.json.encode({**notice.facts, "text": notice.text})
        timeout = aiohttp.ClientTimeout(total=self._timeout_s)
        try:
            async with (
                aiohttp.ClientSession(timeout=timeout) as session,
                session.post(
                    self._url.reveal(),
                    data=body,
                    headers={"Content-Type": "application/json"},
                    allow_redirects=False,
                ) as answer,
            ):
                status = answer.status
        except TimeoutError:
            return Undelivered(f"no answer in {self._timeout_s:g} s")
        except (aiohttp.ClientError, OSError, ValueError) as error:
            return Undelivered(type(error).__name__)
        if _FINE <= status < _FINE + 100:
            return Delivered()
        passes = status in _PASSING or status >= _SERVER_ERROR or status < _CLIENT_ERROR
        return Undelivered(f"status {status}", for_good=not passes)
