"""What can go wrong with a request, and where: armed by tests, struck by the requests they name.

Deciding only; `gate.py` does what a fault says. The oldest armed fault that fits a request strikes
it, and no other one does.
"""

import asyncio
import itertools
from dataclasses import dataclass, field
from typing import Literal

from sandbox.aws.call import Answer, Call


@dataclass(frozen=True, slots=True)
class Where:
    """Which requests a fault strikes; None fits all. `after` of them pass first."""

    service: str | None = None
    operation: str | None = None
    access_key: str | None = None
    resource: str | None = None  # zone id or table name
    contains: str | None = None  # text somewhere in the body
    after: int = 0
    times: int | None = 1  # None: until it is taken away

    def fits(self, call: Call) -> bool:
        """Is this request one of them?"""
        return (
            self.service in (None, call.service)
            and self.operation in (None, call.operation)
            and self.access_key in (None, call.access_key)
            and (self.resource is None or self.resource in call.resources)
            and (self.contains is None or self.contains.encode() in call.body)
        )


@dataclass(frozen=True, slots=True)
class LoseRequest:
    """The connection closes before the request acts."""


@dataclass(frozen=True, slots=True)
class LoseReply:
    """The request acts; the connection closes without a reply."""


@dataclass(frozen=True, slots=True)
class WithholdReply:
    """The request acts; the reply waits until it is released."""


@dataclass(frozen=True, slots=True)
class HoldRequest:
    """The request waits at the door and acts when released, even if its client has gone."""


@dataclass(frozen=True, slots=True)
class Refuse:
    """An error comes back. `applied`: the request acted all the same."""

    code: str
    message: str
    status: int = 400
    applied: bool = False


@dataclass(frozen=True, slots=True)
class Delay:
    """The request reaches the service late."""

    delay_s: float


Fault = LoseRequest | LoseReply | WithholdReply | HoldRequest | Refuse | Delay

THROTTLE = Refuse("Throttling", "Rate exceeded")
PRIOR_REQUEST = Refuse(
    "PriorRequestNotComplete",
    "The request was rejected because Route 53 was still processing a prior request.",
)
THROUGHPUT = Refuse(
    "ProvisionedThroughputExceededException",
    "The level of configured provisioned throughput for the table was exceeded.",
)
CONFLICT = Refuse("TransactionConflictException", "Transaction is ongoing for the item")
UNAVAILABLE = Refuse("ServiceUnavailable", "Service is unavailable", 503)
INTERNAL = Refuse("InternalFailure", "An internal error occurred", 500)

# Far more than a test looks at; a throttle that stands for hours must not fill the memory.
STRIKES_KEPT_MAX = 1_000

Progress = Literal["waiting", "acted", "done"]


@dataclass(slots=True)
class Strike:
    """One request that a fault struck."""

    id: int
    call: Call
    answer: Answer | None = None
    released: asyncio.Event = field(default_factory=asyncio.Event)
    acted: asyncio.Event = field(default_factory=asyncio.Event)
    done: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def progress(self) -> Progress:
        """Say how far the request has come."""
        if self.done.is_set():
            return "done"
        return "acted" if self.acted.is_set() else "waiting"


@dataclass(slots=True)
class Armed:
    """One fault, the requests it passed over, and those it struck."""

    id: int
    fault: Fault
    where: Where
    seen: int = 0
    struck_count: int = 0
    strikes: list[Strike] = field(default_factory=list)
    struck: asyncio.Event = field(default_factory=asyncio.Event)

    async def first(self) -> Strike:
        """Wait for the first request that the fault strikes."""
        await self.struck.wait()
        return self.strikes[0]

    def note(self, strike: Strike) -> None:
        """Keep a strike; of many, the finished ones that are oldest are let go."""
        self.struck_count += 1
        self.strikes.append(strike)
        if len(self.strikes) > STRIKES_KEPT_MAX:
            finished = (n for n, one in enumerate(self.strikes) if one.done.is_set())
            drop = next(finished, None)
            if drop is not None:
                del self.strikes[drop]
        self.struck.set()

    def takes(self, call: Call) -> bool:
        """Does the fault strike this request? Counts it if it fits."""
        if self.spent or not self.where.fits(call):
            return False
        self.seen += 1
        return self.seen > self.where.after

    @property
    def spent(self) -> bool:
        """Has the fault struck as often as it should?"""
        return self.where.times is not None and self.struck_count >= self.where.times


class Faults:
    """All armed faults of a stand-in, and whether it is away."""

    def __init__(self) -> None:
        self.armed: dict[int, Armed] = {}
        self.away = False
        self._ids = itertools.count(1)

    def arm(self, fault: Fault, where: Where) -> Armed:
        """Let a fault strike the requests it names from now on."""
        armed = Armed(next(self._ids), fault, where)
        self.armed[armed.id] = armed
        return armed

    def strike(self, call: Call) -> tuple[Armed, Strike] | None:
        """Find the fault that strikes a request."""
        for armed in self.armed.values():
            if armed.takes(call):
                strike = Strike(next(self._ids), call)
                armed.note(strike)
                return armed, strike
        return None

    def release(self, armed_id: int) -> int:
        """Let all requests or replies that a fault holds go on; say how many there were."""
        held = [strike for strike in self.armed[armed_id].strikes if not strike.released.is_set()]
        for strike in held:
            strike.released.set()
        return len(held)

    def disarm(self, armed_id: int) -> None:
        """Take a fault away; what it holds goes on."""
        self.release(armed_id)
        del self.armed[armed_id]

    def clear(self) -> None:
        """Take every fault away."""
        for armed_id in list(self.armed):
            self.disarm(armed_id)
        self.away = False
