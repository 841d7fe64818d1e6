"""Carry one request through what may befall it, to the backend and back. The only place that waits.

Whether it came over a socket or from a client in the same loop makes no difference here.
"""

import asyncio
from collections.abc import Callable
from typing import assert_never
from xml.sax.saxutils import escape

import msgspec

from sandbox.aws.backend import Backend
from sandbox.aws.call import Answer, Call
from sandbox.aws.faults import (
    THROTTLE,
    Delay,
    Fault,
    Faults,
    HoldRequest,
    LoseReply,
    LoseRequest,
    Refuse,
    Strike,
    WithholdReply,
)
from sandbox.aws.ledger import Ledger


class ConnectionLostError(Exception):
    """The client gets no reply: its connection closes."""


class Gate:
    """The way in and out of one stand-in."""

    def __init__(self, backend: Backend, clock: Callable[[], float]) -> None:
        self.backend = backend
        self.faults = Faults()
        self.ledger = Ledger()
        self._clock = clock

    async def carry(self, call: Call) -> Answer:
        """Answer a request, or raise ConnectionLostError."""
        entry = self.ledger.arrived(call, self._clock())
        answer: Answer | None = None
        try:
            answer = await self._carry(call)
        finally:
            self.ledger.answered(entry, answer)
        return answer

    async def _carry(self, call: Call) -> Answer:
        if self.faults.away:
            raise ConnectionLostError
        struck = self.faults.strike(call)
        if struck is None:
            return self.act(call)
        armed, strike = struck
        try:
            return await self.befall(armed.fault, strike)
        finally:
            strike.progress = "done"

    def act(self, call: Call) -> Answer:
        """Let the backend answer, if the account's rate allows."""
        account = self.backend.route53
        if call.service == "route53" and not account.spend():
            if account.settings.switches.throttled_batch_may_land:
                self.backend.answer(call)
            return error_answer(call, THROTTLE)
        return self.backend.answer(call)

    async def befall(self, fault: Fault, strike: Strike) -> Answer:
        """Do to a request what a fault says."""
        match fault:
            case LoseRequest():
                raise ConnectionLostError
            case LoseReply():
                self.land(strike)
                raise ConnectionLostError
            case WithholdReply():
                answer = self.land(strike)
                await strike.released.wait()
            case HoldRequest():
                await strike.released.wait()
                answer = self.land(strike)
            case Delay():
                await asyncio.sleep(fault.delay_s)
                answer = self.land(strike)
            case Refuse():
                if fault.applied:
                    self.land(strike)
                answer = error_answer(strike.call, fault)
            case _:
                assert_never(fault)
        return answer

    def land(self, strike: Strike) -> Answer:
        """Let a struck request act, and keep what it was answered."""
        strike.answer = self.act(strike.call)
        strike.progress = "acted"
        return strike.answer


def error_answer(call: Call, refuse: Refuse) -> Answer:
    """Word an error as the service's protocol does."""
    if call.service == "dynamodb":
        body = msgspec.json.encode(
            {
                "__type": f"com.amazonaws.dynamodb.v20120810#{refuse.code}",
                "message": refuse.message,
            }
        )
        kind = "application/x-amz-json-1.0"
        return Answer(refuse.status, {"Content-Type": kind}, body, refuse.code)
    sender = "Sender" if refuse.status < 500 else "Receiver"
    xml = (
        f"<ErrorResponse><Error><Type>{sender}</Type><Code>{escape(refuse.code)}</Code>"
        f"<Message>{escape(refuse.message)}</Message></Error>"
        "<RequestId>00000000-0000-0000-0000-000000000000</RequestId></ErrorResponse>"
    )
    return Answer(refuse.status, {"Content-Type": "text/xml"}, xml.encode(), refuse.code)
