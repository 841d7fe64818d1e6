"""The count of names without answers as a CloudWatch metric, as `alarms.yaml` listens to it.

One request a count, in bounded time. The client is opened with the first count and kept; where it
cannot be opened the next count tries again, so that the sentinel starts without AWS too.
"""

import asyncio
from contextlib import AsyncExitStack
from typing import Any

from dnsplan.errors import ReadFailed
from dnsplan.runtime.aws import AwsClients
from dnsplan.runtime.paging.ports import Delivered, Undelivered

METRIC = "NamesWithoutAnswers"
DIMENSION = "Sentinel"
# An alarm with a period of 10 s takes metrics of high resolution only.
RESOLUTION_S = 1


class CloudWatchMeter:
    """`ports.Meter` on aiobotocore."""

    def __init__(
        self, clients: AwsClients, *, namespace: str, sentinel: str, timeout_s: float
    ) -> None:
        """`sentinel` is the metric's dimension; the Region comes by the AWS environment."""
        self._clients = clients
        self._namespace = namespace
        self._sentinel = sentinel
        self._timeout_s = timeout_s
        self._client: Any = None  # aiobotocore's clients have no static type
        self._stack = AsyncExitStack()
        self.name = f"cloudwatch {namespace} {METRIC} {DIMENSION}={sentinel}"

    async def publish(self, names: int) -> Delivered | Undelivered:
        """Put one value of now."""
        from dnsplan.runtime.aws_errors import AWS_TROUBLE, in_words

        try:
            async with asyncio.timeout(self._timeout_s):
                await self._put(names)
        except TimeoutError:
            return Undelivered(f"no answer in {self._timeout_s:g} s")
        except AWS_TROUBLE as error:
            return Undelivered(in_words(error))
        except ReadFailed as error:
            return Undelivered(str(error))
        return Delivered()

    async def close(self) -> None:
        """Close the client."""
        await self._stack.aclose()

    async def _put(self, names: int) -> None:
        if self._client is None:
            opening = self._clients.open("cloudwatch")
            self._client = await self._stack.enter_async_context(opening)
        await self._client.put_metric_data(
            Namespace=self._namespace,
            MetricData=[
                {
                    "MetricName": METRIC,
                    "Dimensions": [{"Name": DIMENSION, "Value": self._sentinel}],
                    "Value": float(names),
                    "Unit": "Count",
                    "StorageResolution": RESOLUTION_S,
                }
            ],
        )
