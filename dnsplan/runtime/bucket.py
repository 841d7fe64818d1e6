"""How fast this process may ask AWS: a token bucket that AWS's throttles make slower for a while.

Route 53 allows five requests a second to the whole account, whoever sends them. Each process takes
its share; a throttle says that the sum is too much, so the rate is halved, and every call that
passes gives a little of it back (additive increase, multiplicative decrease). A place in the line
is taken at once and then waited for, so calls pass in the order in which they came; patient ones
take theirs only when a call is to spare, and do not wait for that for long.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from math import ceil

from dnsplan.ports import Clock


@dataclass(frozen=True, slots=True)
class BucketRate:
    """The share of one process. `least_per_s` keeps a throttled process alive."""

    per_s: float
    burst: int
    least_per_s: float


# Halving twice in one round trip would punish one event twice.
HALVED_AGAIN_AFTER_S = 1.0
# A check may turn into a repair, so no call stands aside for longer, at each try.
PATIENCE_S = 5.0
# Several that wait wake together, and all but one of them wait again.
LOOK_AGAIN_S = 0.05
# Some 20 calls that pass bring a halved rate back.
REGAINED_SHARE = 0.025


class TokenBucket:
    """A rate that adapts. One for each account that a process asks."""

    def __init__(self, clock: Clock, rate: BucketRate) -> None:
        """Start full: a start-up burst is what the burst is for. The counts are for metrics."""
        self._clock = clock
        self._rate = rate
        self._per_s = rate.per_s
        self._level = float(rate.burst)
        self._seen_s = clock.elapsed_s()
        self._halved_s: float | None = None
        self._is_patient: ContextVar[bool] = ContextVar("is_patient", default=False)
        self.taken = 0
        self.throttles = 0

    @property
    def per_s(self) -> float:
        """The present rate."""
        return self._per_s

    def has_spare(self) -> bool:
        """Whether a call that can wait may be made: half of the burst is kept for those that
        cannot, such as a repair. After a throttle there is none for a while."""
        self._refill()
        return self._level >= self._spare_from

    def wait_s(self) -> float:
        """How long a call that came now would wait."""
        self._refill()
        return max(0.0, (1.0 - self._level) / self._per_s)

    @contextmanager
    def patiently(self) -> Iterator[None]:
        """What is called in here lets other calls pass; tasks that are made in here do as well."""
        before = self._is_patient.set(True)
        try:
            yield
        finally:
            self._is_patient.reset(before)

    async def take(self) -> None:
        """Take a place in the line and wait for it."""
        self.taken += 1
        if self._is_patient.get():
            await self._let_others_pass()
        wait_s = self.wait_s()
        self._level -= 1.0
        if wait_s > 0.0:
            await self._clock.sleep(wait_s)

    def passed(self) -> None:
        """A call was answered: regain a little."""
        gained = self._per_s + self._rate.per_s * REGAINED_SHARE
        self._refill()
        self._per_s = min(self._rate.per_s, gained)

    def throttled(self) -> None:
        """AWS throttled a call: halve the rate, once for all calls of the same moment."""
        self.throttles += 1
        now_s = self._clock.elapsed_s()
        if self._halved_s is not None and now_s - self._halved_s < HALVED_AGAIN_AFTER_S:
            return
        self._refill()
        self._halved_s = now_s
        self._per_s = max(self._rate.least_per_s, self._per_s / 2)
        self._level = min(self._level, 0.0)

    @property
    def _spare_from(self) -> float:
        return 1.0 + (self._rate.burst - 1) / 2

    async def _let_others_pass(self) -> None:
        until_s = self._clock.elapsed_s() + PATIENCE_S
        while not self.has_spare() and (left_s := until_s - self._clock.elapsed_s()) > 0.0:
            spare_in_s = (self._spare_from - self._level) / self._per_s
            await self._clock.sleep(min(left_s, max(LOOK_AGAIN_S, spare_in_s)))

    def _refill(self) -> None:
        now_s = self._clock.elapsed_s()
        gained = (now_s - self._seen_s) * self._per_s
        self._level = min(float(self._rate.burst), self._level + gained)
        self._seen_s = now_s


def share_of_account(account_per_s: float, sharers: int) -> BucketRate:
    """One sharer's part of the account's rate; at most a second's worth at once, rounded up.

    All sharers' bursts together are then about what the account may send at once; with more, three
    AZs that are busy in the same second are throttled, and a throttled plan starts over.
    """
    per_s = account_per_s / max(1, sharers)
    return BucketRate(per_s=per_s, burst=ceil(per_s), least_per_s=per_s / 8)
