"""A page as a JSON POST, in our shape or in the receiver's. Address and key are secrets: no log, no
error and no page holds them."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import aiohttp
import msgspec

from dnsplan.notices import Notice
from dnsplan.runtime.config.secret import SecretText
from dnsplan.runtime.paging.ports import Delivered, Undelivered
from dnsplan.runtime.paging.shortened import shortened
from dnsplan.runtime.paging.template import facts_of, filled

# Refusals of the notice itself, which the same bytes meet again: its form, size, kind or headers.
# All others are about address, key, pace or server: a token is being rotated (401, 403), a gateway
# deployed (404, 405), and somebody mends it while the page still waits.
_OF_THE_NOTICE = frozenset({400, 406, 411, 413, 414, 415, 417, 422, 431})
_FINE = 200
_TOO_LARGE = 413
# What a receiver that folds repeats by a header goes by.
ID_HEADER = "Idempotency-Key"


@dataclass(frozen=True, slots=True)
class Shape:
    """What the receiver wants; without a `body` it gets title, text and all facts."""

    body: Mapping[str, object] | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    secret: SecretText | None = None


class WebhookSink:
    """Posts notices. `id` and `change` in the body, and a header, tell repeats."""

    def __init__(
        self, url: SecretText, *, position: int, timeout_s: float, shape: Shape = Shape()
    ) -> None:
        """`position`: where it stands in the config's alarms, which is its name."""
        self._url = url
        self._timeout_s = timeout_s
        self._shape = shape
        self.name = f"webhook alarms[{position}]"

    async def send(self, notice: Notice) -> Delivered | Undelivered:
        """One POST; a status from 200 to 299 is a delivery. Redirects are not followed. A page that
        is too large for the receiver is posted once more, shortened."""
        status = await self._post(notice)
        if status == _TOO_LARGE:
            status = await self._post(shortened(notice))
        if isinstance(status, Undelivered):
            return status
        if _FINE <= status < _FINE + 100:
            return Delivered()
        return Undelivered(f"status {status}", for_good=status in _OF_THE_NOTICE)

    async def _post(self, notice: Notice) -> int | Undelivered:
        """The status of the answer, or why there is none."""
        body, headers = self._written(notice)
        timeout = aiohttp.ClientTimeout(total=self._timeout_s)
        try:
            async with (
                aiohttp.ClientSession(timeout=timeout) as session,
                session.post(
                    self._url.reveal(), data=body, headers=headers, allow_redirects=False
                ) as answer,
            ):
                return answer.status
        except TimeoutError:
            return Undelivered(f"no answer in {self._timeout_s:g} s")
        except (aiohttp.ClientError, OSError, ValueError) as error:
            return Undelivered(type(error).__name__)

    def _written(self, notice: Notice) -> tuple[bytes, dict[str, str]]:
        shape = self._shape
        facts = facts_of(notice, None if shape.secret is None else shape.secret.reveal())
        body = (
            {**notice.facts, "text": notice.text}
            if shape.body is None
            else filled(dict(shape.body), facts)
        )
        stated = {key: str(filled(value, facts)) for key, value in shape.headers.items()}
        own = {"Content-Type": "application/json", ID_HEADER: _ascii(notice.notice_id)}
        return msgspec.json.encode(body), {**own, **stated}


def _ascii(text: str) -> str:
    return "".join(one if " " <= one <= "~" else "?" for one in text)
