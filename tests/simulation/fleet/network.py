"""The way to the cloud: each call takes its time, may be refused for the account's rate, and its
answer may be lost on the way back. What was lost took effect all the same.

Half of what is lost ends the connection, half ends by the SDK's time-out.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from random import Random
from typing import Any, TypeVar

from botocore.exceptions import (
    ClientError,
    ConnectionClosedError,
    EndpointConnectionError,
    ReadTimeoutError,
)

from tests.simulation.loop import SimLoop
from tests.simulation.processes import Process

Result = TypeVar("Result")

# Each way; a batch of a thousand changes is not slower than the rest here.
TRAVEL_S = (0.01, 0.1)
URL = "https://route53.example"


class End(StrEnum):
    """How a request ended."""

    ANSWERED = "answered"
    REFUSED = "refused"
    THROTTLED = "throttled"
    LOST = "lost"
    NO_ROUTE = "no route"


@dataclass(slots=True)
class Network:
    """The way to one service, for a whole world."""

    loop: SimLoop
    timeout_s: float
    chance: Random
    lost_share: float = 0.0
    is_down: bool = False
    travel_s: tuple[float, float] = TRAVEL_S

    async def call(
        self,
        process: Process,
        act: Callable[[], Result],
        *,
        admitted: Callable[[], bool] = lambda: True,
        ended: Callable[[End, Result | None], None] = lambda _end, _result: None,
    ) -> Result:
        """One request, sent once. Raises what the SDK would when there is no good answer."""
        await process.wait(self.chance.uniform(*self.travel_s))
        end, answer = self._end(act, admitted)
        ended(end, answer if end in (End.ANSWERED, End.LOST) else None)  # type: ignore[arg-type]  # an error is no result
        back_s = self.chance.uniform(*self.travel_s)
        if end is End.LOST:
            times_out = self.chance.random() < 0.5
            await process.wait(self.timeout_s if times_out else back_s)
            raise (ReadTimeoutError if times_out else ConnectionClosedError)(
                endpoint_url=URL, error="lost"
            )
        await process.wait(back_s)
        if isinstance(answer, BaseException):
            raise answer
        return answer

    def _end(
        self, act: Callable[[], Result], admitted: Callable[[], bool]
    ) -> tuple[End, Result | BaseException]:
        if self.is_down:
            return End.NO_ROUTE, EndpointConnectionError(endpoint_url=URL)
        if not admitted():
            return End.THROTTLED, error_of("Throttling", "Rate exceeded", status=400)
        try:
            answer = act()
        except ClientError as error:
            return End.REFUSED, error
        return (End.LOST if self.chance.random() < self.lost_share else End.ANSWERED), answer


def error_of(code: str, message: str, *, status: int) -> ClientError:
    """An error as the SDK raises it."""
    said: Any = {
        "Error": {"Code": code, "Message": message},
        "ResponseMetadata": {"HTTPStatusCode": status},
    }
    return ClientError(said, "Request")
