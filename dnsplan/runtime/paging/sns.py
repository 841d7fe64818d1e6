"""A page as a message to an SNS topic; its facts are message attributes that subscribers filter by.

The client is opened for each notice: pages are rare. Credentials that were refused are read again
with the next one, since whoever writes them into files may have written others.
"""

import asyncio
from hashlib import blake2b

from dnsplan.errors import ReadFailed
from dnsplan.notices import Notice
from dnsplan.runtime.aws import AwsClients
from dnsplan.runtime.paging.ports import Delivered, Undelivered

# SNS takes less than 100 characters of ASCII without line breaks, and 256 KB of text.
SUBJECT_MAX = 99
TEXT_BYTES_MAX = 200_000


class SnsSink:
    """Publishes notices to one topic."""

    def __init__(self, clients: AwsClients, arn: str, *, timeout_s: float) -> None:
        """The topic's Region stands in its ARN."""
        self._clients = clients
        self._arn = arn
        self._timeout_s = timeout_s
        self.name = f"sns {arn}"

    async def send(self, notice: Notice) -> Delivered | Undelivered:
        """Publish once; an answer with a message id is a delivery. No refusal is for good: what is
        sent always fits, and a policy or a credential can be mended while the page waits."""
        from dnsplan.runtime.aws_errors import AWS_TROUBLE, in_words, is_denial

        try:
            async with asyncio.timeout(self._timeout_s):
                await self._publish(notice)
        except TimeoutError:
            return Undelivered(f"no answer in {self._timeout_s:g} s")
        except AWS_TROUBLE as error:
            if is_denial(error):
                self._clients = self._clients.anew()
            return Undelivered(in_words(error))
        except ReadFailed as error:  # no client can be opened, as for a profile that is not there
            return Undelivered(str(error))
        return Delivered()

    async def _publish(self, notice: Notice) -> None:
        region = self._arn.split(":")[3] if self._arn.count(":") > 2 else None
        async with self._clients.open("sns", region=region) as client:
            await client.publish(
                TopicArn=self._arn,
                Subject=_ascii(notice.title)[:SUBJECT_MAX],
                Message=notice.text.encode()[:TEXT_BYTES_MAX].decode(errors="ignore"),
                MessageAttributes={
                    key: {"DataType": "String", "StringValue": value}
                    for key, value in _attributes(notice)
                },
                **_order(self._arn, notice),
            )


def _order(arn: str, notice: Notice) -> dict[str, str]:
    """What a FIFO topic asks for: news of one page keep their order, and one sent twice is one."""
    if not arn.endswith(".fifo"):
        return {}
    return {
        "MessageGroupId": _digest(notice.page_id),
        "MessageDeduplicationId": _digest(notice.notice_id),
    }


def _digest(text: str) -> str:
    """At most 128 letters, whatever stands in a name."""
    return blake2b(text.encode(), digest_size=32).hexdigest()


def _attributes(notice: Notice) -> tuple[tuple[str, str], ...]:
    """What subscribers filter by, and what tells one that arrives twice."""
    return (
        ("id", notice.page_id),
        ("change", str(notice.change)),
        ("notice_id", notice.notice_id),
    )


def _ascii(text: str) -> str:
    return "".join(one if " " <= one <= "~" else "?" for one in text)
