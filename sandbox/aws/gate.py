"""Carry one request through what may befall it, to the backend and back. The only place that waits.

Whether it came over a socket or from a client in the same loop makes no difference here.
"""

import asyncio
from collections.abc import Callable
from typing import assert_never

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
from sandbox.aws.protocol_errors import error_answer


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
            strike.done.set()

    def act(self, call: Call) -> Answer:
        """Let the backend answer, if the account's rate allows."""
        account = self.backend.route53
        if call.service == "route53" and not account.spend():
            if account.settings.switches.throttled_batch_may_land:
                self.backend.answer(call)
            return refused(call, THROTTLE)
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
                answer = refused(strike.call, fault)
            case _:
                assert_never(fault)
        return answer

    def land(self, strike: Strike) -> Answer:
        """Let a struck request act, and keep what it was answered."""
        strike.answer = self.act(strike.call)
        strike.acted.set()
        return strike.answer


def refused(call: Call, refuse: Refuse) -> Answer:
    """Word an injected error as the service would."""
    return error_answer(call.service, refuse.code, refuse.message, refuse.status)
