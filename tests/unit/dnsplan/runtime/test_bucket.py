"""The token bucket: never over its rate, in order, slower after throttles, and alive for ever."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dnsplan.runtime.bucket import BucketRate, TokenBucket, share_of_account
from tests.fakes.clock import FakeClock

RATE = BucketRate(per_s=2.0, burst=4, least_per_s=0.25)


async def take(bucket: TokenBucket, clock: FakeClock, count: int) -> list[float]:
    """When each of so many calls went."""
    went = []
    for _ in range(count):
        await bucket.take()
        went.append(clock.elapsed_s())
    return went


async def test_burst_then_rate() -> None:
    """A full bucket lets its burst through at once and then keeps its rate."""
    clock = FakeClock()
    went = await take(TokenBucket(clock, RATE), clock, 8)
    assert went == [0, 0, 0, 0, 0.5, 1.0, 1.5, 2.0]


async def test_it_fills_up_to_the_burst() -> None:
    """An idle day saves up one burst and no more."""
    clock = FakeClock()
    bucket = TokenBucket(clock, RATE)
    await take(bucket, clock, 4)
    clock.advance(86_400)
    went = await take(bucket, clock, 5)
    assert [at - 86_400 for at in went] == [0, 0, 0, 0, 0.5]


@given(
    st.floats(0.1, 50),
    st.integers(1, 20),
    st.lists(st.floats(0, 3, allow_nan=False), min_size=1, max_size=60),
)
def test_no_window_exceeds_the_rate(per_s: float, burst: int, pauses: list[float]) -> None:
    """In any stretch of time no more than burst + rate x time go, whenever callers come."""
    clock = FakeClock()
    bucket = TokenBucket(clock, BucketRate(per_s=per_s, burst=burst, least_per_s=per_s / 8))

    async def run() -> list[float]:
        went = []
        for pause in pauses:
            clock.advance(pause)
            went += await take(bucket, clock, 2)
        return went

    went = asyncio.run(run())
    for first in range(len(went)):
        for last in range(first, len(went)):
            stretch = went[last] - went[first]
            assert last - first + 1 <= burst + per_s * stretch + 1e-6


async def test_waiters_go_in_order() -> None:
    """A place is taken when asked for, so calls go in the order in which they came."""
    clock = FakeClock()
    bucket = TokenBucket(clock, BucketRate(per_s=1.0, burst=1, least_per_s=1.0))
    waits = []
    for _ in range(4):
        waits.append(bucket.wait_s())
        bucket._level -= 1.0
    assert waits == [0.0, 1.0, 2.0, 3.0]


def test_throttles_halve_once_a_moment() -> None:
    """Calls that were throttled together halve the rate once; later throttles again."""
    clock = FakeClock()
    bucket = TokenBucket(clock, RATE)
    for _ in range(5):
        bucket.throttled()
    assert bucket.per_s == 1.0
    clock.advance(1.5)
    bucket.throttled()
    assert bucket.per_s == 0.5


def test_a_throttle_ends_the_burst() -> None:
    """What was saved up is not sent into a throttle: the next call waits."""
    clock = FakeClock()
    bucket = TokenBucket(clock, RATE)
    bucket.throttled()
    assert bucket.wait_s() == 1.0


def test_a_throttled_bucket_stays_alive() -> None:
    """However often AWS throttles, the least rate stays, and a wait is bounded by it."""
    clock = FakeClock()
    bucket = TokenBucket(clock, RATE)
    for _ in range(50):
        bucket.throttled()
        clock.advance(2)
    assert bucket.per_s == RATE.least_per_s
    assert bucket.wait_s() <= 1 / RATE.least_per_s


def test_it_recovers_by_calls_that_pass() -> None:
    """Calls that pass bring the rate back to its share and never above."""
    clock = FakeClock()
    bucket = TokenBucket(clock, RATE)
    bucket.throttled()
    for _ in range(10):
        bucket.passed()
    assert 1.0 < bucket.per_s < 2.0
    for _ in range(100):
        bucket.passed()
    assert bucket.per_s == RATE.per_s


@pytest.mark.parametrize(
    ("account", "sharers", "per_s", "burst"),
    [(5.0, 1, 5.0, 5), (5.0, 5, 1.0, 1), (5.0, 3, 5.0 / 3, 2), (0.5, 3, 0.5 / 3, 1)],
)
def test_shares(account: float, sharers: int, per_s: float, burst: int) -> None:
    """The sharers' rates add up to the account's; everybody may send at least one at once."""
    rate = share_of_account(account, sharers)
    assert (rate.per_s, rate.burst) == (per_s, burst)
    assert rate.least_per_s < rate.per_s


@pytest.mark.parametrize(("burst", "taken_max"), [(1, 1), (3, 2), (4, 2), (10, 5)])
async def test_half_of_the_burst_is_kept_for_what_cannot_wait(burst: int, taken_max: int) -> None:
    """Work that can wait stops early, so that a repair that comes now goes at once."""
    clock = FakeClock()
    bucket = TokenBucket(clock, BucketRate(per_s=2.0, burst=burst, least_per_s=0.25))
    taken = 0
    while bucket.has_spare():
        await bucket.take()
        taken += 1
    assert taken == taken_max
    assert burst == 1 or bucket.wait_s() == 0.0
    clock.advance(60.0)
    assert bucket.has_spare()


async def test_after_a_throttle_nothing_is_to_spare_for_a_while() -> None:
    """The account is over its rate: what can wait waits until the bucket has filled again."""
    clock = FakeClock()
    bucket = TokenBucket(clock, RATE)
    bucket.throttled()
    assert not bucket.has_spare()
    clock.advance(2.4)
    assert not bucket.has_spare()
    clock.advance(0.2)
    assert bucket.has_spare()


async def test_a_patient_call_goes_when_one_is_to_spare_and_others_go_before_it() -> None:
    """What comes while it waits finds the tokens that it left; outside the block all is as ever."""
    clock = FakeClock()
    bucket = TokenBucket(clock, RATE)
    assert await take(bucket, clock, 4) == [0.0] * 4
    with bucket.patiently():
        assert await take(bucket, clock, 1) == [1.25]
    assert await take(bucket, clock, 2) == [1.25, 1.5]


async def test_patience_ends() -> None:
    """A call that nobody leaves room for takes its place in the line like any other."""
    clock = FakeClock()
    bucket = TokenBucket(clock, BucketRate(per_s=0.1, burst=4, least_per_s=0.1))
    await take(bucket, clock, 4)
    with bucket.patiently():
        assert await take(bucket, clock, 1) == [pytest.approx(10.0)]
