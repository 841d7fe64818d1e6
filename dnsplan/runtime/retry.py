"""The one layer that asks AWS again: full jitter, bounded by count and time, within a budget.

It serves reads and writes that may be repeated without harm. Fenced writes never pass through it.
The budget lets a tenth of the calls be repeated, so that retries cannot become the load when
everything fails. Source: Amazon Builders' Library, timeouts, retries and backoff with jitter.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeVar

from dnsplan.ports import Clock, Jitter
from dnsplan.runtime.aws_errors import AWS_TROUBLE, is_throttle, is_transient
from dnsplan.runtime.bucket import TokenBucket

Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """Bounds of one call with its retries."""

    tries_max: int = 4  # three more chances outlive a restarting node; more is the next cycle's
    elapsed_s_max: float = 15.0  # a cycle must end; the next one asks anew anyway
    first_delay_s: float = 0.1
    delay_s_max: float = 4.0


class RetryBudget:
    """A tenth of the calls, saved up to `most`. Shared by all calls of a process."""

    def __init__(self, *, share: float = 0.1, most: float = 10.0) -> None:
        """Start full, so that trouble at start-up can be outlived."""
        self._share = share
        self._most = most
        self._left = most

    @property
    def left(self) -> float:
        """Retries that may be made now."""
        return self._left

    def called(self) -> None:
        """A first try was made."""
        self._left = min(self._most, self._left + self._share)

    def spend(self) -> bool:
        """Take one retry if there is one."""
        if self._left < 1.0:
            return False
        self._left -= 1.0
        return True


class Retrying:
    """Makes calls, and makes them again within bounds. The last error is the caller's to map."""

    def __init__(
        self,
        clock: Clock,
        jitter: Jitter,
        *,
        budget: RetryBudget,
        policy: RetryPolicy | None = None,
        bucket: TokenBucket | None = None,
    ) -> None:
        """Keep what bounds the calls; `bucket` paces every try when it is given."""
        self._clock = clock
        self._jitter = jitter
        self._budget = budget
        self._policy = policy or RetryPolicy()
        self._bucket = bucket

    async def call(self, ask: Callable[[], Awaitable[Answer]]) -> Answer:
        """Ask until an answer comes, the error is permanent, or a bound is reached."""
        started_s = self._clock.elapsed_s()
        self._budget.called()
        tries = 0
        while True:
            tries += 1
            try:
                return await self._once(ask)
            except AWS_TROUBLE as error:
                delay_s = self._delay_s(tries)
                spent_s = self._clock.elapsed_s() - started_s
                if not is_transient(error) or not self._may_retry(tries, spent_s + delay_s):
                    raise
            await self._clock.sleep(delay_s)

    async def _once(self, ask: Callable[[], Awaitable[Answer]]) -> Answer:
        if self._bucket is None:
            return await ask()
        await self._bucket.take()
        try:
            answer = await ask()
        except AWS_TROUBLE as error:
            if is_throttle(error):
                self._bucket.throttled()
            raise
        self._bucket.passed()
        return answer

    def _delay_s(self, tries: int) -> float:
        ceiling_s = min(self._policy.delay_s_max, self._policy.first_delay_s * 2 ** (tries - 1))
        return self._jitter.uniform(0.0, ceiling_s)

    def _may_retry(self, tries: int, spent_s: float) -> bool:
        within = tries < self._policy.tries_max and spent_s < self._policy.elapsed_s_max
        return within and self._budget.spend()
