"""Carries the SDK's requests by a run's wire, and says what befell them as HTTP says it.

Connections end, time-outs, throttles and server errors come, each with or without effect.
"""

from collections.abc import Callable
from hashlib import blake2b
from random import Random
from typing import Any, TypeAlias

from botocore.exceptions import (
    BotoCoreError,
    ConnectionClosedError,
    EndpointConnectionError,
    ReadTimeoutError,
)

from sandbox.aws.call import Answer, Call
from sandbox.aws.faults import INTERNAL, PRIOR_REQUEST, THROTTLE, THROUGHPUT, UNAVAILABLE, Refuse
from sandbox.aws.gate import refused
from tests.simulation.doors import ROUTE53, TABLE
from tests.simulation.processes import Process
from tests.simulation.stack.hearing import BATCH, Hearing, is_fence_read
from tests.simulation.wire import RESET, THROTTLED, TIMED_OUT, Op, Wire, gist

Told: TypeAlias = type[ConnectionClosedError | ReadTimeoutError | EndpointConnectionError] | Refuse

SERVER_ERROR = 500
WRITES = frozenset({"PutItem", "UpdateItem", "DeleteItem", "TransactWriteItems", BATCH})
# Called as at the ports, so that a run's costs are counted alike.
NAMES = {
    BATCH: "submit",
    "ListResourceRecordSets": "list page",
    "GetChange": "poll change",
}
# Answers to a batch that leave no doubt: all of it took place, or nothing.
VERDICTS = frozenset({None, "InvalidChangeBatch", "InvalidInput", "NoSuchHealthCheck"})


class Network:
    """`tests.simulation.stack.clients.Carrier` of one run."""

    def __init__(
        self, wire: Wire, act: Callable[[Call], Answer], hearing: Hearing, chance: Random
    ) -> None:
        """`act` is the backends' answer, at once; `chance` words the troubles."""
        self._wire = wire
        self._act = act
        self._hearing = hearing
        self._chance = chance

    async def carry(self, process: Process, url: str, call: Call) -> Answer:
        """Carry one request."""
        hearing = self._hearing
        hearing.sent(process, call)
        try:
            answer: Answer = await self._wire.call(
                process,
                op_of(call),
                lambda: hearing.effects(process, call, self._act),
                unknown=lambda reason: self._trouble(reason, url, call),
            )
        except BotoCoreError:
            hearing.unanswered(process, call)
            raise
        if answer.error not in VERDICTS:
            hearing.unanswered(process, call)
        return answer

    def _trouble(self, reason: str, url: str, call: Call) -> Any:
        """An error answer, or what the SDK raises when no answer came."""
        told = self._chance.choice(_said(reason, call))
        if not isinstance(told, Refuse):
            return told(endpoint_url=url, error=reason)
        if told.status >= SERVER_ERROR:
            self._wire.landed["server error"] += 1
        return refused(call, told)


def _said(reason: str, call: Call) -> tuple[Told, ...]:
    """The ways in which a trouble may be said."""
    if reason == RESET:
        return (ConnectionClosedError, UNAVAILABLE)
    if reason == TIMED_OUT:
        return (ConnectionClosedError, ReadTimeoutError, INTERNAL)
    if reason == THROTTLED:
        return throttles(call)
    return (EndpointConnectionError,)


def throttles(call: Call) -> tuple[Refuse, ...]:
    """How a service says that it is asked too much, or by too many at once."""
    if call.service == "dynamodb":
        return (Refuse("ThrottlingException", "Rate exceeded"), THROUGHPUT)
    return (THROTTLE, PRIOR_REQUEST) if call.operation == BATCH else (THROTTLE,)


def op_of(call: Call) -> Op:
    """What a request is to the wire."""
    service = ROUTE53 if call.service == "route53" else TABLE
    name = "read fence" if is_fence_read(call) else NAMES.get(call.operation, call.operation)
    # To the byte, but for headers, since those hold real time.
    asked = blake2b(call.target.encode() + b"\n" + call.body, digest_size=6).hexdigest()
    return Op(service, name, writes=call.operation in WRITES, about=f" {asked}")


@gist.register
def _(answer: Answer) -> str:
    return f"{answer.status} {answer.error or 'ok'}"
