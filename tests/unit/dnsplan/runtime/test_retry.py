"""The one retry layer: what is asked again, how long, how often, and within which budget."""

import aiohttp
import pytest
from botocore.exceptions import (
    ConnectTimeoutError,
    EndpointConnectionError,
    NoCredentialsError,
    ParamValidationError,
    ReadTimeoutError,
)
from botocore.parsers import ResponseParserError

from dnsplan.errors import AccessDenied, ReadFailed
from dnsplan.outcomes import Unknown
from dnsplan.runtime.aws_errors import (
    AWS_TROUBLE,
    code_of,
    failed_read,
    in_words,
    is_denial,
    is_throttle,
    is_transient,
    status_of,
    unknown_write,
)
from dnsplan.runtime.bucket import BucketRate, TokenBucket
from dnsplan.runtime.retry import RetryBudget, Retrying, RetryPolicy
from tests.contracts.scripted import aws_error
from tests.fakes.clock import FakeClock, SeededJitter

THROTTLE = aws_error("Throttling")


class Highest:
    """Chance at its worst: the longest wait each time."""

    def uniform(self, low: float, high: float) -> float:
        """The upper bound."""
        return max(low, high)

    def token(self, bits: int) -> str:
        """Not asked for."""
        raise AssertionError(bits)


class Service:
    """Fails so many times, then answers; counts how often and when it was asked."""

    def __init__(self, clock: FakeClock, failures: int, error: Exception = THROTTLE) -> None:
        self.asked_s: list[float] = []
        self._clock, self._failures, self._error = clock, failures, error

    async def ask(self) -> str:
        """One request."""
        self.asked_s.append(self._clock.elapsed_s())
        if len(self.asked_s) <= self._failures:
            raise self._error
        return "answer"


POLICY = RetryPolicy(tries_max=4, elapsed_s_max=15.0, first_delay_s=0.1, delay_s_max=4.0)


async def test_an_answer_is_asked_for_once() -> None:
    """What is answered is not asked again."""
    clock = FakeClock()
    service = Service(clock, 0)
    retrying = Retrying(clock, SeededJitter(), budget=RetryBudget())
    assert await retrying.call(service.ask) == "answer"
    assert service.asked_s == [0.0]


async def test_waits_grow_up_to_a_bound() -> None:
    """Each wait is at most twice the one before, and never above the bound."""
    clock = FakeClock()
    service = Service(clock, 7)
    policy = RetryPolicy(tries_max=8, elapsed_s_max=60, first_delay_s=1.0, delay_s_max=4.0)
    retrying = Retrying(clock, Highest(), budget=RetryBudget(), policy=policy)
    assert await retrying.call(service.ask) == "answer"
    assert service.asked_s == [0.0, 1.0, 3.0, 7.0, 11.0, 15.0, 19.0, 23.0]


async def test_waits_are_spread() -> None:
    """Full jitter: callers that failed together do not come back together."""
    first_waits = set()
    for seed in range(20):
        clock = FakeClock()
        service = Service(clock, 1)
        await Retrying(clock, SeededJitter(seed), budget=RetryBudget()).call(service.ask)
        first_waits.add(round(service.asked_s[1], 6))
    assert len(first_waits) == 20
    assert max(first_waits) <= POLICY.first_delay_s


async def test_tries_are_bounded() -> None:
    """After the last try the error is the caller's."""
    clock = FakeClock()
    service = Service(clock, 99)
    with pytest.raises(type(THROTTLE)):
        await Retrying(clock, SeededJitter(), budget=RetryBudget(), policy=POLICY).call(service.ask)
    assert len(service.asked_s) == POLICY.tries_max


async def test_time_is_bounded() -> None:
    """No retry starts after the time is over, however many tries are left."""
    clock = FakeClock()
    service = Service(clock, 99)
    policy = RetryPolicy(tries_max=99, elapsed_s_max=10.0, first_delay_s=1.0, delay_s_max=4.0)
    with pytest.raises(type(THROTTLE)):
        await Retrying(clock, Highest(), budget=RetryBudget(most=99), policy=policy).call(
            service.ask
        )
    assert max(service.asked_s) < 10.0


@pytest.mark.parametrize(
    "error",
    [
        aws_error("AccessDeniedException"),
        aws_error("ValidationException"),
        aws_error("ConditionalCheckFailedException"),
        aws_error("InvalidChangeBatch"),
        NoCredentialsError(),
        ParamValidationError(report="x"),
    ],
    ids=in_words,
)
async def test_the_permanent_is_not_asked_again(error: Exception) -> None:
    """A refusal that asking again cannot change is given at once."""
    clock = FakeClock()
    service = Service(clock, 1, error)
    with pytest.raises(type(error)):
        await Retrying(clock, SeededJitter(), budget=RetryBudget()).call(service.ask)
    assert len(service.asked_s) == 1


async def test_faults_of_the_program_are_not_asked_again() -> None:
    """What is no trouble of AWS goes up as it is."""
    clock = FakeClock()
    service = Service(clock, 1, KeyError("bug"))
    with pytest.raises(KeyError):
        await Retrying(clock, SeededJitter(), budget=RetryBudget()).call(service.ask)
    assert len(service.asked_s) == 1


async def test_the_budget_bounds_retries_of_all_calls() -> None:
    """When everything fails, requests are at most a tenth more than calls, past the savings."""
    clock = FakeClock()
    service = Service(clock, 10**9)
    retrying = Retrying(clock, SeededJitter(), budget=RetryBudget(share=0.1, most=10.0))
    for _ in range(1_000):
        with pytest.raises(type(THROTTLE)):
            await retrying.call(service.ask)
    retries = len(service.asked_s) - 1_000
    assert 100 <= retries <= 110


def test_the_budget_is_saved_up_to_a_bound() -> None:
    """A quiet day does not save up a storm of retries."""
    budget = RetryBudget(share=0.1, most=3.0)
    for _ in range(1_000):
        budget.called()
    assert budget.left == 3.0
    assert [budget.spend() for _ in range(5)] == [True, True, True, False, False]


async def test_each_try_takes_a_place_in_the_bucket() -> None:
    """Retries are paced like calls; throttles slow the bucket, answers speed it up again."""
    clock = FakeClock()
    bucket = TokenBucket(clock, BucketRate(per_s=4.0, burst=1, least_per_s=0.5))
    retrying = Retrying(clock, Highest(), budget=RetryBudget(), bucket=bucket)
    service = Service(clock, 1)
    await retrying.call(service.ask)
    assert service.asked_s[1] >= 0.5
    assert 2.0 < bucket.per_s < 2.2


KINDS = [
    (THROTTLE, True, True, False),
    (aws_error("PriorRequestNotComplete"), True, True, False),
    (aws_error("InternalFailure", 500), False, True, False),
    (aws_error("Odd", 503), False, True, False),
    (aws_error("ValidationException"), False, False, False),
    (aws_error("AccessDenied", 403), False, False, True),
    (aws_error("ExpiredToken", 400), False, False, True),
    (NoCredentialsError(), False, False, True),
    (EndpointConnectionError(endpoint_url="http://127.0.0.1:1"), False, True, False),
    (ReadTimeoutError(endpoint_url="x"), False, True, False),
    (ConnectTimeoutError(endpoint_url="x"), False, True, False),
    (ResponseParserError("half an answer"), False, True, False),
    (aiohttp.ClientPayloadError("cut"), False, True, False),
    (ConnectionResetError("reset"), False, True, False),
    (TimeoutError(), False, True, False),
]


@pytest.mark.parametrize(("error", "throttle", "transient", "denial"), KINDS, ids=str)
def test_kinds_of_trouble(
    error: Exception, *, throttle: bool, transient: bool, denial: bool
) -> None:
    """Every error of a call is trouble of one kind, in words of one line."""
    assert isinstance(error, AWS_TROUBLE)
    assert (is_throttle(error), is_transient(error), is_denial(error)) == (
        throttle,
        transient,
        denial,
    )
    assert "\n" not in in_words(error)
    read = failed_read(error, "read it")
    assert type(read) is (AccessDenied if denial else ReadFailed)
    assert str(read).startswith("read it: ")
    look = "; check the credentials and their policy" if denial else ""
    assert unknown_write(error, "claim") == Unknown(f"claim: {in_words(error)}{look}")


def test_what_aws_did_not_say() -> None:
    """An error without an answer has no code and no status."""
    assert (code_of(THROTTLE), status_of(THROTTLE)) == ("Throttling", 400)
    assert (code_of(ConnectionResetError()), status_of(ConnectionResetError())) == ("", 0)


@pytest.mark.parametrize(
    "code", ["RequestExpired", "RequestTimeTooSkewed", "SignatureDoesNotMatch"]
)
def test_a_clock_that_is_wrong_is_looked_for(code: str) -> None:
    """AWS refuses what was signed at another time than its own; keys are changed in vain."""
    hint = "; check this machine's clock, and then the credentials and their policy"
    assert str(failed_read(aws_error(code, 403), "read it")).endswith(hint)
    assert "clock" not in str(failed_read(aws_error("AccessDenied", 403), "read it"))
