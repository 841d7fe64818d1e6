"""How a dead child comes back, and how its end is told."""

import signal

import pytest

from sandbox.run.child import DELAY_MAX_S, FIRST_DELAY_S, describe_exit, restart_delay_s


def test_the_delay_doubles_up_to_its_bound() -> None:
    """A child that keeps dying is started ever more rarely, never not at all."""
    delays = [restart_delay_s(deaths) for deaths in range(1, 200)]
    assert delays[:4] == [FIRST_DELAY_S * factor for factor in (1, 2, 4, 8)]
    assert delays == sorted(delays)
    assert max(delays) == DELAY_MAX_S


@pytest.mark.parametrize(
    ("code", "words"),
    [(0, "exit code 0"), (3, "exit code 3"), (-signal.SIGKILL, "SIGKILL"), (-250, "signal 250")],
)
def test_an_end_is_told_in_words(code: int, words: str) -> None:
    """A signal is named, an exit code is a number."""
    assert words == describe_exit(code)
